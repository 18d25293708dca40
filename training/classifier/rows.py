"""Rows that story classifiers are trained on: groups of a human-written story and negative samples from several sources."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.core.checkpoint import load_normalizer
from openmeva.metrics.core.text import Normalizer
from openmeva.training.classifier.data import in_held_out_share
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.config import config_file, read_mapping
from openmeva.training.files import checksum
from openmeva.training.graded.groups import corruption_seed, group_file, make_groups
from openmeva.training.negatives.groups import GroupRow, read_groups
from openmeva.training.paths import NAMES_FILE, RUNS, resolve_path
from openmeva.training.plot_guided.filtered_stories import (
    exclude_judged,
    read_filtered_stories,
    with_corrupted_words,
)
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.training_sets import build_sets


def load_rows(
    config: RowsConfig, data: Path, run: Path, cache: Path
) -> tuple[list[GroupRow], list[GroupRow], dict[str, Any]]:
    """Training rows, held-out rows, and the manifest entries of both.

    Args:
        config: sources of the rows.
        data: folder of the corpora.
        run: folder for the graded groups.
        cache: folder of tagged corpora.

    Raises:
        ValueError: an invalid row (its file and line are named), or two human-written stories in a group.
    """
    train: list[GroupRow] = []
    validation: list[GroupRow] = []
    provenance: dict[str, Any] = {"data": {}, "graded": {}}
    groups_seed = corruption_seed(config.seed, config.data_seed)
    sampling_seed = config.seed if config.draw_seed is None else config.draw_seed
    for settings in config.graded or ():
        manifest = make_groups(settings, data, run, cache, groups_seed)
        provenance["data"].update(manifest["data"])
        provenance["graded"][settings["name"]] = {key: manifest[key] for key in ("train", "validation")}
        rows = read_groups(group_file(run, settings["name"], "train"))
        train += sample_groups(rows, settings.get("groups"), sampling_seed)
        if manifest["validation"]["rows"]:
            validation += read_groups(group_file(run, settings["name"], "validation"))
    if config.training_sets:
        plot_config = read_mapping(PlotNegativesConfig, config_file("plot_negatives", config.training_sets))
        build_sets(plot_config, data, RUNS / "plots" / plot_config["name"], cache)
    normalizer = load_normalizer(NAMES_FILE, config.delexicalize)
    if released := config.released:
        rows = exclude_judged(
            list(read_filtered_stories(data / released.file)), released.exclude, data, normalizer
        )
        rows = [
            row for row in with_corrupted_words(rows, normalizer) if short_enough(row, released.max_words)
        ]
        human_groups = {row.group for row in rows if row.label}
        rows = [row for row in rows if row.group in human_groups]
        provenance["data"].update(
            {file: checksum(data / file) for file in (released.file, *released.exclude)}
        )
        validation += [row for row in rows if in_held_out_share(row.group, released.share)]
        rows = [row for row in rows if not in_held_out_share(row.group, released.share)]
        train += sample_groups(rows, released.groups, sampling_seed)
    for entry in config.files or ():
        path = resolve_path(entry.path)
        rows = [row for row in read_groups(path) if short_enough(row, entry.max_words)]
        names = list(dict.fromkeys(row.group for row in rows))[: entry.groups]
        limited = set(names)
        provenance["data"][entry.path] = checksum(path)
        share = entry.share
        for row in rows:
            if row.group in limited and row.split != "test":
                held = row.split == "validation" if row.split else in_held_out_share(row.group, share)
                (validation if held else train).append(row)
    check_human_stories([*train, *validation], normalizer)
    held_out = {row.group for row in validation}  # by any source: several may have a group, with other shares
    train = [row for row in train if row.group not in held_out]
    validation = sample_groups(validation, config.validation_groups, sampling_seed)
    return sample_groups(train, config.groups, sampling_seed), validation, provenance


def check_human_stories(rows: Iterable[GroupRow], normalizer: Normalizer) -> None:
    """Checks that each group has one human-written story; several files may have it.

    Raises:
        ValueError: a group has two that differ, also as normalised.
    """
    human: dict[str, str] = {}
    for row in rows:
        story = human.setdefault(row.group, row.story) if row.label else row.story
        # either may be normalised already, which changes when done twice
        if story != row.story and not {story, normalizer(story)} & {row.story, normalizer(row.story)}:
            raise ValueError(
                f"group {row.group}: expected one human-written story, got {story[:60]!r} and {row.story[:60]!r}. "
                "Rows with the same group are one group, even in several files: give other groups other ids"
            )


def short_enough(row: GroupRow, max_words: int | None) -> bool:
    """Whether a story has at most `max_words` words; true without a limit."""
    return max_words is None or len(row.story.split()) <= max_words


def sample_groups(rows: list[GroupRow], count: int | None, seed: int) -> list[GroupRow]:
    """The rows of at most `count` randomly sampled groups; all rows if `count` is None."""
    names = sorted({row.group for row in rows})
    if count is None or count >= len(names):
        return rows
    chosen = np.random.default_rng(seed).permutation(len(names))[:count]
    sampled = {names[i] for i in chosen}
    return [row for row in rows if row.group in sampled]
