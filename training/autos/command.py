"""Builds AUTOS from a corpus or from a file of stories, for the commands."""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from openmeva.metrics.core.files import FULL_MODEL, check_folder
from openmeva.training.autos.build import SPLITS, UNFILTERED_COUNTS, build, build_key, existing_builds
from openmeva.training.autos.builder import AutosBuilder
from openmeva.training.autos.counts import counts_table, yield_table
from openmeva.training.common.bounds import check_minimum
from openmeva.training.common.cards import join_card, loading_call
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.common.config import read_configs
from openmeva.training.corpora.held_out import held_out_files, held_out_rows
from openmeva.training.corpora.named_files import check_judged_files
from openmeva.training.corpora.notices import warn_about_foreign_stories
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.corpora.story_rows import StoryRow, read_story_rows
from openmeva.training.files import checksum, write_text
from openmeva.training.paths import CONFIGS, ENCODER, NAMES_FILE, WEIGHTS, WORK
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.paraphrasers import find_paraphraser
from openmeva.training.processes import model_processes
from openmeva.training.text.knowledge.resources import find_resource, lexicon_files, require_resource
from openmeva.training.text.knowledge.wordnet_files import wordnet_checksum
from openmeva.training.text.story import parse
from openmeva.training.text.tagged_corpus import text_inputs

AUTOS = WORK / "datasets" / "autos"
CONFIGURATIONS = ("mini", "roc", "wp")
_BODY = """
# AUTOS of your own stories

Built by `openmeva autos`, for your own use: the terms of the stories hold for it.
"""


@dataclass(frozen=True)
class AutosBuildOptions:
    """The sources and settings of a build of AUTOS.

    Attributes:
        configs: names from `CONFIGURATIONS`, or any name with `stories` and `out`; default: `roc` and `wp`.
        stories: a file of stories, for one configuration. Exactly one of `stories` and `data` is given.
        data: a folder of the corpora, whose held-out stories are used.
        out: the parent folder of the configurations; default: `datasets/autos`.
        replace: whether to replace a build with other settings, instead of raising an error.
        context: context of rows of `stories` that have none: `first_sentence` or `none`.
        paraphrases: `rules`, a `.json` file of back-translations, a model, or two translation models, `THERE+BACK`.
        grammar: the grammaticality filter: `default`, a checkpoint's folder, or `none`.
        skip_bad: whether to skip rows of `stories` without a story, instead of raising an error.
        limit: maximum number of stories.
        share: with `data`, the share of stories to use of a corpus without a validation file; default: the held-out
            share (.05). A larger share includes stories that the shipped weights were trained on.
        processes: number of parallel processes, 1 with an accelerator; it does not affect the rows.
        seed: random seed, 0 or more.

    Raises:
        ValueError: incompatible settings, or a number out of its range.
    """

    configs: Sequence[str] = ()
    stories: str | Path | None = None
    data: Path | None = None
    out: Path | None = None
    replace: bool = False
    context: str = "first_sentence"
    paraphrases: str = "rules"
    grammar: str = "default"
    skip_bad: bool = False
    limit: int | None = None
    share: float | None = None
    processes: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.configs:
            if self.stories is None and name not in CONFIGURATIONS:
                raise ValueError(f"expected a configuration among {', '.join(CONFIGURATIONS)}, got {name!r}")
            if self.out is None and name not in CONFIGURATIONS:
                raise ValueError(f"--config {name}: expected --out FOLDER with a name of your own")
            if not re.fullmatch(r"\w[\w.-]*", name):
                raise ValueError(
                    f"--config: expected a name of letters, digits and the characters _-., got {name!r}"
                )
        if (self.stories is None) == (self.data is None):
            raise ValueError("expected a file of stories (--stories), or a folder of the corpora (--data)")
        if self.stories is not None and len(self.configs) != 1:
            raise ValueError("--stories needs one --config")
        if self.data is not None and "mini" in self.configs:
            raise ValueError("mini is built from --stories datasets/stories/mini.jsonl")
        for option, is_given, source, is_allowed in (
            ("context", self.context != "first_sentence", "--stories", self.stories is not None),
            ("skip-bad", self.skip_bad, "--stories", self.stories is not None),
            ("share", self.share is not None, "--data", self.data is not None),
        ):
            if is_given and not is_allowed:
                raise ValueError(f"--{option}: expected only with {source}")
        if self.share is not None and not 0 < self.share <= 1:
            raise ValueError(f"--share: expected a share above 0 and up to 1, got {self.share:g}")
        check_minimum(1, processes=self.processes, limit=self.limit)
        check_minimum(0, seed=self.seed)


def build_autos(options: AutosBuildOptions) -> None:
    """Builds every configuration, and prints its counts and its files.

    Raises:
        ValueError: an invalid row, a damaged file, a folder that cannot be written to, another build that is writing to it,
            or, unless `options.replace`, an existing build with other settings.
        FileNotFoundError: a file, WordNet or ConceptNet is missing; raised before any story is perturbed.
    """
    check_folder(options.out or AUTOS)
    require_knowledge()
    rows_by_config = {config: _rows(config, options) for config in options.configs or ("roc", "wp")}
    for config, (rows, _) in rows_by_config.items():
        _check_replaceable(config, rows, options)
    for config, (rows, bad) in rows_by_config.items():
        for message in bad:
            print(f"skipped: {message}", file=sys.stderr)
        warn_about_foreign_stories(row["story"] for row in rows)
        _build_one(config, rows, options)


def _check_replaceable(config: str, rows: Sequence[StoryRow], options: AutosBuildOptions) -> None:
    """Raises a ValueError if the folder has a build with other or unknown settings."""
    folder = (options.out or AUTOS) / config
    existing = [] if options.replace else existing_builds(folder)
    key = build_key(rows, options.seed, _settings(options)) if existing else ""
    other = next((built for built in existing if built.get("key") != key), None)
    if other is None:
        return
    changed = ", ".join(
        f"{name} {_shown(other['settings'].get(name))} (now {_shown(value)})"
        for name, value in _recorded_settings(rows, options).items()
        if other and other["settings"].get(name) != value
    )
    details = (
        f"with {changed}"
        if changed
        else "of other stories, files or rules"
        if other
        else "with unknown settings"
    )
    raise ValueError(f"{folder}: expected --out FOLDER or --replace, since the folder has a build {details}")


def _shown(value: object) -> object:
    return "not given" if value is None else value


def _recorded_settings(rows: Sequence[StoryRow], options: AutosBuildOptions) -> dict[str, Any]:
    """The human-readable settings that rows depend on."""
    names = ("share", "limit", "seed", "context", "paraphrases", "grammar")
    return {**{name: getattr(options, name) for name in names}, "stories": len(rows)}


def _settings(options: AutosBuildOptions) -> str:
    """The settings and files that rows depend on besides stories and seed, as JSON."""
    return json.dumps([options.paraphrases, options.grammar, _inputs(options)])


def require_knowledge() -> None:
    """Raises a FileNotFoundError where WordNet or ConceptNet is needed by an aspect and missing."""
    for name in sorted(
        {resource for aspect in ASPECTS.values() for resource in (*aspect.needs, *aspect.selection_needs)}
    ):
        if name in ("wordnet", "conceptnet"):
            require_resource(name)


def make_builder(rows: Sequence[StoryRow], paraphrases: str, grammar: str, seed: int) -> AutosBuilder:
    """A builder that takes sentences and words of other stories from `rows`; the settings are those of `AutosBuildOptions`.

    Raises:
        ValueError: a source of paraphrases or a filter that does not exist.
    """
    scorer = None
    if grammar != "none":
        from openmeva.training.grammar.model import GrammarScorer

        scorer = GrammarScorer.load(None if grammar == "default" else Path(grammar))
    return AutosBuilder(
        StoryPool(parse([row["story"] for row in rows])),
        find_paraphraser(paraphrases),
        MoverSimilarity(),
        seed,
        scorer,
    )


def _build_one(config: str, rows: Sequence[StoryRow], options: AutosBuildOptions) -> None:
    import torch

    processes = model_processes(options.processes)
    if processes > 1:
        torch.set_num_threads(1)  # the processes share the cores, and a fork is not safe after parallel work
    builder = make_builder(rows, options.paraphrases, options.grammar, options.seed)
    folder = (options.out or AUTOS) / config
    recorded = {**_recorded_settings(rows, options), "sha256": _sources(config, options)}
    tables = build(
        rows,
        builder,
        folder,
        _settings(options),
        sys.stderr.isatty(),
        processes,
        recorded,
        lambda: _check_replaceable(config, rows, options),
    )
    discrimination, invariance = (tables[split].to_pylist() for split in SPLITS)
    print(f"{config}: {len(rows)} stories\n\n{counts_table(discrimination, invariance, len(rows), config)}")
    if builder.grammar is not None:
        unfiltered_counts: Counter[str] = Counter()
        for content in tables.values():
            unfiltered_counts.update(json.loads(content.schema.metadata[UNFILTERED_COUNTS]))
        print(
            f"\nLeft after the filter and the limit on phrases:\n\n{yield_table(discrimination, invariance, unfiltered_counts)}"
        )
    _write_card(folder.parent)
    print(f"\nwritten: {', '.join(str(folder / f'{split}.parquet') for split in SPLITS)}")
    print(loading_call(folder.parent, config))


def _write_card(out: Path) -> None:
    """Writes a card that lists a folder's configurations, unless it has another card; without one, `datasets` joins splits."""
    card = out / "README.md"
    if card.is_file() and not card.read_bytes().endswith(_BODY.encode()):
        return
    with FileLock(out / ".lock"):  # otherwise a parallel build could omit this configuration
        configurations = [
            {
                "config_name": config,
                "data_files": [{"split": split, "path": f"{config}/{split}.parquet"} for split in SPLITS],
            }
            for config in sorted(folder.name for folder in out.iterdir() if existing_builds(folder))
        ]
        write_text(card, join_card({"pretty_name": "AUTOS", "configs": configurations}, _BODY))


def _inputs(options: AutosBuildOptions) -> dict[str, str]:
    """File name to SHA-256, for the files that the rows depend on: parts built with other files are not reused."""
    files = {**lexicon_files(), **input_files(options.paraphrases, options.grammar)}
    return {name: checksum(file) for name, file in files.items()} | text_inputs()


def _sources(config: str, options: AutosBuildOptions) -> dict[str, Any]:
    """SHA-256 of all sources of the rows, by name (of stories, by file); None for sources that are missing or unused."""
    wordnet = find_resource("wordnet")
    return {
        "stories": {name: checksum(file) for name, file in _story_files(config, options).items()},
        **dict.fromkeys(("conceptnet", "grammar")),
        **_inputs(options),
        "wordnet": wordnet and wordnet_checksum(wordnet),
    }


def input_files(paraphrases: str, grammar: str) -> dict[str, Path]:
    """The files that the rows depend on, except stories and lexicons, by name; the settings are those of `AutosBuildOptions`."""
    files = {"encoder": ENCODER / FULL_MODEL}
    if Path(paraphrases).is_file():
        files["paraphrases"] = Path(paraphrases)
    if grammar != "none":
        files["grammar"] = weights_file(WEIGHTS / "grammar" if grammar == "default" else Path(grammar))
    return files


def _rows(config: str, options: AutosBuildOptions) -> tuple[list[StoryRow], list[str]]:
    if options.stories is not None:
        return read_story_rows(options.stories, options.context, options.skip_bad, options.limit)
    if options.data is None:
        raise ValueError("expected a folder of the corpora, got none")
    corpus = _corpus(config, options)
    settings = CONFIGS / "corpora" / f"{config}.yaml"
    check_judged_files(corpus.exclude, options.data, f"take it out of `exclude` in {settings}")
    return held_out_rows(corpus, options.data, NAMES_FILE, options.limit, corpus.block_words is not None), []


def _corpus(config: str, options: AutosBuildOptions) -> CorpusConfig:
    corpus = read_configs(CorpusConfig, CONFIGS / "autos.yaml")[config]
    return corpus if options.share is None else replace(corpus, validation_share=options.share)


def _story_files(config: str, options: AutosBuildOptions) -> dict[str, Path]:
    """The files that `_rows` reads, by name; none where stories come from standard input."""
    if options.data is None:
        file = Path(options.stories or "")
        return {file.name: file} if file.is_file() else {}
    corpus = _corpus(config, options)
    return {name: options.data / name for name in (*held_out_files(corpus, options.data), *corpus.exclude)}
