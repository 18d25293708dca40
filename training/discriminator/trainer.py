"""Trains the discriminator: `python -m training.discriminator --config training/configs/discriminator_roc.yaml --data DIR`.

The plot-to-story generator writes a story from the plot of each human story that it was not trained on; the shared
classifier (`training/classifier.py`) learns to tell the two apart. Generated stories lie in the run's folder and are
not written anew. Weights, manifest and card go to `metrics/discriminator/weights/NAME/`.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from openmeva.metrics.core.checkpoint import file_digest
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.classifier.trainer import train_classifier
from openmeva.training.common.trainer import data_checksums
from openmeva.training.files import write_text
from openmeva.training.negatives.groups import GroupRow, read_groups, write_groups
from openmeva.training.paths import ROOT
from openmeva.training.plot_guided.generator.model import load_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.plots.corpus import PlottedStory, load_plots


def rival_rows(stories: Sequence[PlottedStory], sampler: StorySampler, seed: int) -> list[GroupRow]:
    """Each human story and the one that the generator writes from its plot, as a group.

    A story that comes out empty, or the same, is left out with its human one.
    """
    written = sampler.write([one.plot for one in stories], [(seed, place) for place in range(len(stories))])
    rows = []
    for human, text in zip(stories, written, strict=True):
        if text.strip() and text != human.text:
            rows.append(GroupRow(human.group, human.text, "human", 1, 0))
            rows.append(GroupRow(human.group, text, "generator", 0, 1))
    return rows


def load_rows(
    config: dict[str, Any], data: Path, run: Path, cache: Path
) -> tuple[list[GroupRow], list[GroupRow], dict[str, Any]]:
    """Rows to train on, held-out rows, and what the manifest says of both.

    Raises:
        ValueError: no generator where the configuration says.
    """
    folder = ROOT / config["generator"]
    if not (folder / "model.safetensors").is_file():
        raise ValueError(
            f"{folder}: no generator there; `python -m training.plot_guided.generator` trains one"
        )
    provenance = {
        "data": data_checksums(config, data),
        "generator": file_digest(folder / "model.safetensors"),
    }
    files = {split: run / f"rivals-{split}.parquet" for split in ("train", "validation")}
    record = run / "rivals.json"
    made = {
        key: config[key] for key in ("corpus", "plots", "share", "sampling", "groups", "seed")
    } | provenance
    if not (record.is_file() and json.loads(record.read_text(encoding="utf-8")) == made):
        corpus = load_plots(config, data, cache)
        sampler = StorySampler(*load_generator(folder), Sampling(**config["sampling"]))
        parts = {
            "train": corpus.metrics[: config["groups"]],
            "validation": corpus.validation[: config["validation_groups"]],
        }
        for split, stories in parts.items():
            write_groups(files[split], rival_rows(stories, sampler, config["seed"]))
        write_text(record, json.dumps(made) + "\n")
    train, validation = (list(read_groups(files[split])) for split in ("train", "validation"))
    return train, validation, provenance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpus lies in")
    parser.add_argument("--out", type=Path, help="default: metrics/discriminator/weights/NAME")
    parser.add_argument(
        "--run", type=Path, help="generated stories, checkpoints; default: runs/discriminator-NAME"
    )
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. groups=100")
    given = parser.parse_args()
    config = yaml.safe_load(given.config.read_text(encoding="utf-8"))
    for setting in given.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    out = given.out or ROOT / "metrics" / "discriminator" / "weights" / config["name"]
    run = given.run or ROOT / "runs" / f"discriminator-{config['name']}"
    train, validation, provenance = load_rows(config, given.data, run, given.cache)
    manifest = train_classifier(config, train, validation, out, run, provenance, given.resume)
    write_classifier_card(out, manifest)
    shown = ("groups", "stories", "steps", "validation", "groups_a_second", "minutes")
    print(json.dumps({key: manifest[key] for key in shown}, indent=2))
