"""The plot-guided paper's five training sets (Tables 2 and 3), built from stories that the generator was not trained on.

    python -m training.plot_guided.training_sets --config roc --data DIR

HEUR_SENT_SUB, HEUR_KEY_SUB, UNION_DATA, MANPLTS and AF_MANPLTS, one Parquet file each in runs/plots/NAME/sets. Columns:
`group`, `split` (train, validation, test, by hash of the group: 80, 10 and 10 %, or the configuration's `splits`),
`label`, `source`, `story`, `context` and `manipulations`. Earlier stages run first if they are not done. The counts are
printed next to the paper's.
"""

import argparse
import json
import zlib
from collections.abc import Callable, Sequence
from functools import cache as cache_result
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from openmeva.metrics.core.text import join_words
from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.common.command import stage_command
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.files import checksum
from openmeva.training.negatives import UnionSampler, UnionSampling, language_of
from openmeva.training.negatives.groups import SPLITS
from openmeva.training.negatives.heuristics import substitute_antonyms, substitute_sentences
from openmeva.training.paths import RUNS, resolve_path
from openmeva.training.plot_guided.adversarial_filtering.stage import filter_negatives
from openmeva.training.plot_guided.generator.text import as_generated
from openmeva.training.plot_guided.manipulations import MANIPULATIONS
from openmeva.training.plot_guided.negatives import generated_form, make_negatives, settings
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.plots.corpus import (
    PlotCorpus,
    PlottedStory,
    load_plots,
    plot_inputs,
    story_of_group,
)
from openmeva.training.plot_guided.set_counts import counts_table, split_counts
from openmeva.training.stages import Stage, read_stage

SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("split", pa.string()),
        ("label", pa.int32()),
        ("source", pa.string()),
        ("story", pa.string()),
        ("context", pa.string()),
        ("manipulations", pa.list_(pa.string())),
    ]
)
CHUNK = 500
UNION_SENTENCES = 4  # minimum number of sentences of a story in UNION_DATA
Negative = tuple[str, list[str]]
"""The text of a negative and the names of the edits."""


def split_of(group: str, shares: tuple[int, int] | None = None) -> str:
    """The split of a story, its blocks and all their negatives.

    80 % train, 10 % validation, 10 % test; `shares` are the first two.

    >>> split_of("roc:1"), split_of("roc:1", (0, 0))
    ('train', 'test')
    """
    number = zlib.crc32(story_of_group(group).encode())
    if shares is None:
        return SPLITS[max(0, number % 10 - 7)]
    index = number % 100
    return SPLITS[(index >= shares[0]) + (index >= sum(shares))]


def shares_of(config: dict[str, Any], name: str) -> tuple[int, int] | None:
    """The configuration's shares of a set's splits; None: the default shares."""
    splits = config.get("splits") or {}
    shares = splits.get(name, splits.get("default"))
    return None if shares is None else (shares[0], shares[1])


def set_row(
    group: str,
    source: str,
    story: str,
    context: str,
    manipulations: Sequence[str],
    shares: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """A row of a training set whose splits have `shares`."""
    return {
        "group": group,
        "split": split_of(group, shares),
        "label": int(source == "human"),
        "source": source,
        "story": story,
        "context": context,
        "manipulations": list(manipulations),
    }


def heuristic_samplers(
    stories: Sequence[PlottedStory], config: dict[str, Any]
) -> dict[str, Callable[[int], Negative | None]]:
    """The three rule-based sets: functions from a story's index to its negative, or None if the rule does not apply."""
    tagged = [story.story for story in stories]
    context = CorpusConfig.from_mapping(config["corpus"]).context
    sampling = UnionSampling(keep=int(context == "first_sentence"))
    english = language_of(sampling)
    sampler = UnionSampler(tagged, english, sampling, seed=config["seed"]) if tagged else None

    def rng(set_number: int, index: int) -> BufferedRandom:
        return BufferedRandom(np.random.default_rng((config["seed"], set_number, index)))

    def sentences(index: int) -> Negative | None:
        words = substitute_sentences(index, tagged, rng(1, index))
        return (join_words(words), ["sentence_substitution"]) if words else None

    def keywords(index: int) -> Negative | None:
        words = substitute_antonyms(tagged[index], english, rng(2, index))
        return (join_words(words), ["keyword_substitution"]) if words else None

    def union(index: int) -> Negative | None:
        if sampler is None or len(tagged[index]) < UNION_SENTENCES:
            return None
        edited = sampler.sample(index)
        return (join_words(edited.words), list(edited.applied)) if edited else None

    return {"heur_sent_sub": sentences, "heur_key_sub": keywords, "union_data": union}


def build_sets(config: dict[str, Any], data: Path, out: Path, cache: Path) -> dict[str, Path]:
    """All five sets by name, AF_MANPLTS only if the configuration has `filtering`; finished stages are not repeated."""
    corpus = cache_result(lambda: load_plots(config, data, cache))
    sources = {"manplts": make_negatives(config, data, out, cache, corpus)}
    if config.get("filtering"):
        sources["af_manplts"] = filter_negatives(config, corpus, data, sources["manplts"], out)
    written = {
        name: set_from_negatives(name, source, config, corpus, data, out / "sets")
        for name, source in sources.items()
    }
    return {**heuristic_sets(config, corpus, data, out / "sets"), **written}


def build_manplts(config: dict[str, Any], data: Path, out: Path, cache: Path) -> Path:
    """Only MANPLTS, as needed for Table 7, which excludes one manipulation at a time."""
    corpus = cache_result(lambda: load_plots(config, data, cache))
    negatives = make_negatives(config, data, out, cache, corpus)
    return set_from_negatives("manplts", negatives, config, corpus, data, out / "sets")


def heuristic_sets(
    config: dict[str, Any], corpus: Callable[[], PlotCorpus], data: Path, out: Path
) -> dict[str, Path]:
    """The three rule-based sets, for all of the metrics' stories: each story, followed by its negative."""
    found = settings(config, data, resolve_path(config["generator"]))
    fingerprint = {**plot_inputs(config, data), **{key: found[key] for key in ("conceptnet", "wordnet")}}
    paths: dict[str, Path] = {}
    makers: dict[str, Callable[[int], Negative | None]] = {}
    for name in ("heur_sent_sub", "heur_key_sub", "union_data"):
        shares = shares_of(config, name)
        split = {} if shares is None else {"splits": list(shares)}
        stage = Stage(out, name, {**fingerprint, "set": name, **split})
        if not stage.is_done():
            stories = corpus().metrics
            makers = makers or heuristic_samplers(stories, config)
            rows = partial(heuristic_rows, make=makers[name], name=name, stories=stories, shares=shares)
            stage.run(len(stories), rows, CHUNK, SCHEMA, lambda table: {"counts": split_counts(table)})
        paths[name] = stage.result
    return paths


def heuristic_rows(
    span: range,
    make: Callable[[int], Negative | None],
    name: str,
    stories: Sequence[PlottedStory],
    shares: tuple[int, int] | None,
) -> list[dict[str, Any]]:
    """Each story of a span, followed by its negative; stories that have none are left out."""
    return [
        set_row(story.group, source, text, story.context, operations, shares)
        for index in span
        if (negative := make(index))
        for story in [stories[index]]
        for source, text, operations in (("human", story.text, []), (name, *negative))
    ]


def set_from_negatives(
    name: str,
    source: Path,
    config: dict[str, Any],
    corpus: Callable[[], PlotCorpus],
    data: Path,
    out: Path,
) -> Path:
    """A set of generated negatives: MANPLTS has the first candidate of each story, AF_MANPLTS all kept ones.

    Human stories are in the form of the generator's (`as_generated`), as in adversarial filtering.

    Args:
        name: `manplts` or `af_manplts`.
        source: the negatives.
        config: a configuration.
        corpus: reads the human stories; called only if there is work to do.
        data: the folder of the corpus, whose files' checksums identify these stories.
        out: the folder to write to.
    """
    shares = shares_of(config, name)
    split = {} if shares is None else {"splits": list(shares)}
    made_from = {
        **plot_inputs(config, data),
        "set": name,
        "human": "as generated",
        "source": checksum(source),
    }
    stage = Stage(out, name, {**made_from, **split})
    if stage.is_done():
        return stage.result
    human = {story.group: story for story in corpus().metrics}
    form = generated_form(config)
    rows, seen = [], set()
    for negative in read_stage(source):
        group = negative["group"]
        if not negative["story"].strip():  # empty: the generator ended it at once
            continue
        if negative["label"] or (name == "manplts" and group in seen):
            continue
        if group not in seen:
            seen.add(group)
            text = as_generated(form, human[group].story.words)
            rows.append(set_row(group, "human", text, human[group].context, [], shares))
        broken = negative["manipulations"]
        rows.append(set_row(group, name, negative["story"], negative["context"], broken, shares))
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    return stage.finish(table, {"counts": split_counts(table)})


OPTIONS: dict[str, dict[str, Any]] = {
    "--stories": {"type": int, "help": "number of human stories; default: the configuration's"},
    "--without": {
        "choices": list(MANIPULATIONS),
        "help": "write only MANPLTS, without this manipulation (Table 7); default --out: runs/plots/NAME-without-…",
    },
}


def make(config: dict[str, Any], given: argparse.Namespace) -> None:
    """Builds the sets and prints their counts."""
    if given.stories is not None and given.stories < 1:
        raise ValueError(f"--stories: expected 1 or more, got {given.stories}")
    if given.stories is not None:
        config["stories"] = given.stories
    folder = f"{config['name']}-without-{given.without}" if given.without else config["name"]
    out = given.out or RUNS / "plots" / folder
    if given.without:
        config["without"] = [given.without]
        paths = {"manplts": build_manplts(config, given.data, out, given.cache)}
    else:
        paths = build_sets(config, given.data, out, given.cache)
    built = {name: read_split_counts(path) for name, path in paths.items()}
    print(counts_table(config["name"], built))


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and runs the stages."""
    stage_command(
        "plot_guided.training_sets",
        PlotNegativesConfig,
        make,
        __doc__,
        "runs/plots/NAME",
        OPTIONS,
        arguments,
    )


def read_split_counts(path: Path) -> dict[str, int]:
    """The counts in the manifest of a set."""
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["counts"]


if __name__ == "__main__":
    main()
