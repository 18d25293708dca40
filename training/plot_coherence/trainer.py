"""Trains plot_coherence: `python -m training.plot_coherence --config training/configs/plot_coherence_mix.yaml --data DIR`.

Runs the stages that the configuration names, each of which leaves alone what is there already, then the
classifier on the rows that they wrote (`training/classifier.py`). Weights, manifest and card go to
`metrics/plot_coherence/weights/NAME/`.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from openmeva.metrics.core.text import Normalizer
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.classifier.data import held_out
from openmeva.training.classifier.distillation import teacher_configuration, with_teacher_logits
from openmeva.training.classifier.trainer import train_classifier, trained, weights_file
from openmeva.training.common.trainer import first_configuration
from openmeva.training.files import checksum
from openmeva.training.graded.groups import group_file, make_groups
from openmeva.training.negatives.groups import GroupRow, read_groups
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.plot_coherence.filtered_stories import (
    read_filtered_stories,
    with_damaged_words,
    without_judged,
)
from openmeva.training.plot_guided.training_sets import build_sets


def load_rows(
    config: dict[str, Any], data: Path, run: Path, cache: Path
) -> tuple[list[GroupRow], list[GroupRow], dict[str, Any]]:
    """Rows to train on, held-out rows, and what the manifest says of both.

    Args:
        config: `graded`: corpora whose stories are damaged here (see `training.graded.groups`); `training_sets`:
            the chain of plots, generator's stories and filtering (see `training.plot_guided.training_sets`); `released`:
            the authors' filtered stories, `{file, exclude, share, max_words}`: below `data`, without the groups of
            the judged stories in `exclude`; `files`: more rows, each `{path, groups, share, max_words}`: below the project's folder, at most so many groups,
            the share of them that is held out (5 % unless told, where the file has no splits), longer stories left
            out; `groups`, there and for each of `graded`: at most so many are trained on, drawn at random.
        data: the folder that the corpora lie in.
        run: where the graded groups are written.
        cache: of tagged corpora.
    """
    train: list[GroupRow] = []
    validation: list[GroupRow] = []
    provenance: dict[str, Any] = {"data": {}, "graded": {}}
    for settings in config.get("graded") or []:
        manifest = make_groups(settings, data, run, cache, config["seed"])
        provenance["data"].update(manifest["data"])
        provenance["graded"][settings["name"]] = {key: manifest[key] for key in ("train", "validation")}
        rows = read_groups(group_file(run, settings["name"], "train"))
        train += at_most(rows, settings.get("groups"), config["seed"])
        validation += read_groups(group_file(run, settings["name"], "validation"))
    if config.get("training_sets"):
        chain = yaml.safe_load((ROOT / config["training_sets"]).read_text(encoding="utf-8"))
        build_sets(chain, data, ROOT / "runs" / "plots" / chain["name"], cache)
    if entry := config.get("released"):
        delexicalize = config.get("delexicalize", True)
        normalizer = Normalizer.load(ENCODER / "names.json") if delexicalize else Normalizer()
        rows = without_judged(
            list(read_filtered_stories(data / entry["file"])), entry["exclude"], data, normalizer
        )
        rows = [row for row in with_damaged_words(rows, normalizer) if short_enough(row, entry)]
        people = {row.group for row in rows if row.label}
        rows = [row for row in rows if row.group in people]
        provenance["data"].update(
            {file: checksum(data / file) for file in (entry["file"], *entry["exclude"])}
        )
        for row in rows:
            (validation if held_out(row.group, entry.get("share", 0.05)) else train).append(row)
    for entry in config.get("files") or []:
        path = ROOT / entry["path"]
        rows = [row for row in read_groups(path) if short_enough(row, entry)]
        names = list(dict.fromkeys(row.group for row in rows))[: entry.get("groups")]
        kept = set(names)
        provenance["data"][entry["path"]] = checksum(path)
        share = entry.get("share", 0.05)
        for row in rows:
            if row.group in kept and row.split != "test":
                held = row.split == "validation" if row.split else held_out(row.group, share)
                (validation if held else train).append(row)
    return at_most(train, config.get("groups"), config["seed"]), validation, provenance


def short_enough(row: GroupRow, entry: dict[str, Any]) -> bool:
    """Whether a story has at most `max_words` words, where the configuration's entry says so."""
    return len(row.story.split()) <= entry.get("max_words", math.inf)


def at_most(rows: list[GroupRow], count: int | None, seed: int) -> list[GroupRow]:
    """The rows of `count` groups drawn at random; all where there are no more, or for None."""
    names = sorted({row.group for row in rows})
    if count is None or count >= len(names):
        return rows
    chosen = np.random.default_rng(seed).permutation(len(names))[:count]
    kept = {names[i] for i in chosen}
    return [row for row in rows if row.group in kept]


def train(
    config: dict[str, Any], data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Runs the stages and trains one configuration, after the one that it goes on from; returns the manifest.

    Where weights of the same configuration and rows are in `out` already, they are left alone.

    Args:
        config: see `load_rows` and `training.classifier.DEFAULTS`; `first`: the configuration that is trained where
            the adapter's folder `start` is not there yet.
        data: the folder that the corpora lie in.
        out: the checkpoint's folder.
        run: of the stages' files and the training's checkpoints.
        cache: of tagged corpora.
        resume: whether to go on from the last checkpoint.
    """
    if first := first_configuration(config):
        train(first, data, ROOT / config["start"], run, cache, resume)
    rows, validation, provenance = load_rows(config, data, run, cache)
    if teacher := teacher_configuration(config):
        folder, own = teacher
        train(own, data, folder, folder.parent, cache, resume)
        provenance["teacher"] = checksum(weights_file(folder))
    known = trained(config, provenance, out)
    if known:
        return known
    if teacher:
        rows = with_teacher_logits(rows, folder, config["metric"], run, config["teacher"].get("processes", 1))
    checkpoints = run / f"training-{config['name']}"
    manifest = train_classifier(config, rows, validation, out, checkpoints, provenance, resume)
    write_classifier_card(out, manifest)
    return manifest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpora lie in")
    parser.add_argument("--out", type=Path, help="default: metrics/plot_coherence/weights/NAME")
    parser.add_argument("--run", type=Path, help="stages' files and checkpoints; default: runs/METRIC-NAME")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument(
        "--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. passes=2 adapter=null"
    )
    arguments = parser.parse_args()
    config = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    for setting in arguments.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    out = arguments.out or ROOT / "metrics" / config["metric"] / "weights" / config["name"]
    run = arguments.run or ROOT / "runs" / f"{config['metric']}-{config['name']}"
    manifest = train(config, arguments.data, out, run, arguments.cache, arguments.resume)
    shown = ("groups", "stories", "steps", "validation", "groups_a_second", "minutes")
    print(json.dumps({key: manifest[key] for key in shown}, indent=2))
