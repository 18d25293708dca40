"""Rows of the discriminator: human-written stories, and stories generated from their plots."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.checkpoint import read_settings
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.common.config import as_mapping, parse
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.discriminator.config import DiscriminatorConfig
from openmeva.training.files import checksum, write_text
from openmeva.training.negatives.groups import GroupRow, read_groups, write_groups
from openmeva.training.paths import resolve_path
from openmeva.training.plot_guided.generator.model import load_generator
from openmeva.training.plot_guided.generator.sampling import StorySampler
from openmeva.training.plot_guided.plots.corpus import PlottedStory, load_plots
from openmeva.training.text.tagged_corpus import text_inputs

GENERATION_SETTINGS = (
    "corpus",
    "plots",
    "share",
    "sampling",
    "groups",
    "validation_groups",
    "seed",
)  # the generated stories depend on these settings


def generated_groups(stories: Sequence[PlottedStory], sampler: StorySampler, seed: int) -> list[GroupRow]:
    """Groups of a human-written story and a story generated from its plot.

    If the generated story is empty or equals the human-written one, the group is skipped.
    """
    written = sampler.write(
        [plotted.plot for plotted in stories], [(seed, number) for number in range(len(stories))]
    )
    rows = []
    for human, text in zip(stories, written, strict=True):
        if text.strip() and text != human.text:
            rows.append(GroupRow(human.group, human.text, "human", 1, 0))
            rows.append(GroupRow(human.group, text, "generator", 0, 1))
    return rows


def load_rows(
    config: DiscriminatorConfig, data: Path, run: Path, cache: Path
) -> tuple[list[GroupRow], list[GroupRow], dict[str, Any]]:
    """Training rows, held-out rows, and the manifest entries of both.

    Raises:
        ValueError: no generator in the configured folder, one that was trained with other plots or another share of the
            stories (it may have read those that are to be generated), or no stories for a split.
    """
    folder = resolve_path(config.generator)
    if not weights_file(folder).is_file():
        raise ValueError(
            f"{folder}: no generator there; `python -m training.plot_guided.generator` trains one"
        )
    trained_with = read_settings(folder, "generator")
    for name in ("share", "plots"):
        if getattr(config, name) != trained_with[name]:
            raise ValueError(
                f"{name}: expected {trained_with[name]!r}, with which {folder} was trained, got {getattr(config, name)!r}"
            )
    provenance = {
        "data": data_checksums(config.corpus, data),
        "generator": checksum(weights_file(folder)),
        "text": text_inputs(),
    }
    files = {split: run / f"rivals-{split}.parquet" for split in ("train", "validation")}
    record = run / "rivals.json"
    if not _is_generated(record, config, provenance):
        corpus = load_plots(as_mapping(config), data, cache)
        sampler = StorySampler(
            load_generator(folder), config.sampling, delexicalize=config.corpus.delexicalize
        )
        stories_by_split = {
            "train": corpus.metrics[: config.groups],
            "validation": corpus.validation[: config.validation_groups],
        }
        for split, stories in stories_by_split.items():
            if not stories:
                raise ValueError(
                    f"corpus, share: expected {split} stories that the generator was not trained on, got none"
                )
        record.unlink(missing_ok=True)  # its files are overwritten now
        for split, stories in stories_by_split.items():
            write_groups(files[split], generated_groups(stories, sampler, config.seed))
        settings = {key: value for key, value in as_mapping(config).items() if key in GENERATION_SETTINGS}
        write_text(record, json.dumps(settings | provenance) + "\n")
    train, validation = (list(read_groups(files[split])) for split in ("train", "validation"))
    return train, validation, provenance


def _is_generated(record: Path, config: DiscriminatorConfig, provenance: dict[str, Any]) -> bool:
    """Whether generated stories of this configuration, data and generator exist."""
    if not record.is_file():
        return False
    recorded = json.loads(record.read_text(encoding="utf-8"))
    if set(GENERATION_SETTINGS) - recorded.keys():  # from a version that did not record all of them
        return False
    settings = {key: recorded[key] for key in GENERATION_SETTINGS}
    same = parse(DiscriminatorConfig, {**as_mapping(config), **settings}, str(record)) == config
    return same and all(recorded.get(key) == value for key, value in provenance.items())
