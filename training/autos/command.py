"""AUTOS of a corpus or of a file of stories, as the commands build it."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from openmeva.training.autos.build import SPLITS, TRIED, build
from openmeva.training.autos.builder import AutosBuilder
from openmeva.training.autos.counts import counts_table, yield_table
from openmeva.training.common.checkpoint import WHOLE, weights_file
from openmeva.training.common.config import read_yaml, resolved
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.corpora.story_rows import StoryRow, read_rows
from openmeva.training.files import checksum
from openmeva.training.paths import CONFIGS, ENCODER, STORIES, WEIGHTS, WORK
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.corpus import StoryPool
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.paraphrasers import find_paraphraser
from openmeva.training.text.knowledge.resources import lexicon_files, require
from openmeva.training.text.story import parse

AUTOS = WORK / "datasets" / "autos"
CONFIGURATIONS = ("mini", "roc", "wp")


@dataclass(frozen=True)
class Building:
    """What AUTOS is built of, and how.

    Attributes:
        configs: of `CONFIGURATIONS`; `roc` and `wp` where there are none.
        stories: a file of stories, for one configuration; else
        data: a folder of the corpora, of which the held-out stories are taken.
        out: the folder of the configurations' folders; `datasets/autos` where None, unless rows of other stories lie there.
        context: of stories without one: `first_sentence` or `none`.
        paraphrases: `rules`, a `.json` file of back-translations, a model, or two translation models, `THERE+BACK`.
        grammar: filter by grammaticality: `default`, a checkpoint's folder, or `none`.
        skip_bad: leave rows without a story out, in place of refusing them.
        limit: stories to take, at most.
        share: of the stories of a corpus without a validation file, where not what trainings hold out (.05): more takes in
            stories that the shipped weights were trained on.
        processes: that work at the same time; they change no row.
        seed: of the draws.
    """

    configs: Sequence[str] = ()
    stories: str | Path | None = None
    data: Path | None = None
    out: Path | None = None
    context: str = "first_sentence"
    paraphrases: str = "rules"
    grammar: str = "default"
    skip_bad: bool = False
    limit: int | None = None
    share: float | None = None
    processes: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = [name for name in self.configs if name not in CONFIGURATIONS]
        if unknown:
            raise ValueError(
                f"expected a configuration among {', '.join(CONFIGURATIONS)}, got {unknown[0]!r}"
            )
        if (self.stories is None) == (self.data is None):
            raise ValueError("expected a file of stories (--stories), or a folder of the corpora (--data)")
        if self.stories is not None and len(self.configs) != 1:
            raise ValueError("--stories needs one --config")
        if self.data is not None and "mini" in self.configs:
            raise ValueError("mini is built from --stories datasets/stories/mini.jsonl")
        if self.share is not None and not 0 < self.share <= 1:
            raise ValueError(f"--share: expected a share above 0 and up to 1, got {self.share:g}")
        if self.processes < 1:
            raise ValueError(f"--processes: expected 1 or more, got {self.processes}")


def build_autos(how: Building) -> None:
    """Builds every configuration, and prints its counts and where it lies.

    Raises:
        ValueError: a bad row, a damaged file, or rows that lie already where those of `stories` would go and no `out` is given.
        FileNotFoundError: a file, WordNet or ConceptNet that is missing, before any work is done.
    """
    _spare(how)
    require_knowledge()
    for config in how.configs or ("roc", "wp"):
        _build_one(config, how)


def _spare(how: Building) -> None:
    """Refuses to write rows of a user's own stories over others, where no folder was named."""
    if how.out is not None or how.stories is None:
        return
    (config,) = how.configs
    own = config == "mini" and Path(how.stories).resolve() == STORIES  # which the shipped rows are made of
    if not own and all((AUTOS / config / f"{split}.parquet").is_file() for split in SPLITS):
        raise ValueError(
            f"{AUTOS / config}: expected --out FOLDER for the rows of {how.stories}, since those of other stories may lie there"
        )


def require_knowledge() -> None:
    """WordNet and ConceptNet, as aspects need them; a FileNotFoundError where one is missing."""
    for name in sorted(
        {need for aspect in ASPECTS.values() for need in (*aspect.needs, *aspect.selection_needs)}
    ):
        if name in ("wordnet", "conceptnet"):
            require(name)


def builder_of(rows: Sequence[StoryRow], paraphrases: str, grammar: str, seed: int) -> AutosBuilder:
    """The builder whose foreign sentences and words come from these stories; the settings are those of `Building`.

    Raises:
        ValueError: a source of paraphrases or a filter that is not there.
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


def _build_one(config: str, how: Building) -> None:
    import torch

    if how.processes > 1:
        torch.set_num_threads(1)  # the processes share the cores; and a fork may not follow parallel work
    rows, bad = _rows(config, how)
    for message in bad:
        print(f"skipped: {message}", file=sys.stderr)
    builder = builder_of(rows, how.paraphrases, how.grammar, how.seed)
    settings = json.dumps([how.paraphrases, how.grammar, _inputs(how)])
    folder = (how.out or AUTOS) / config
    tables = build(rows, builder, folder, settings, sys.stderr.isatty(), how.processes)
    discrimination, invariance = (tables[split].to_pylist() for split in SPLITS)
    print(f"{config}: {len(rows)} stories\n\n{counts_table(discrimination, invariance, len(rows), config)}")
    if builder.grammar is not None:
        tried: Counter[str] = Counter()
        for content in tables.values():
            tried.update(json.loads(content.schema.metadata[TRIED]))
        print(
            f"\nLeft by the filter by grammaticality, paraphrases evened:\n\n{yield_table(discrimination, invariance, tried)}"
        )
    print(f"\nwritten: {', '.join(str(folder / f'{split}.parquet') for split in SPLITS)}")


def _inputs(how: Building) -> dict[str, str]:
    """SHA-256 of the files that the rows depend on, by name: parts made of other ones are not used again."""
    files = {**lexicon_files(), "encoder": ENCODER / WHOLE}
    if Path(how.paraphrases).is_file():
        files["paraphrases"] = Path(how.paraphrases)
    if how.grammar != "none":
        files["grammar"] = weights_file(
            WEIGHTS / "grammar" if how.grammar == "default" else Path(how.grammar)
        )
    return {name: checksum(file) for name, file in files.items()}


def _rows(config: str, how: Building) -> tuple[list[StoryRow], list[str]]:
    if how.stories is not None:
        return read_rows(how.stories, how.context, how.skip_bad, how.limit)
    if how.data is None:
        raise ValueError("expected a folder of the corpora, got none")
    file = CONFIGS / "autos.yaml"
    corpora = resolved(dict[str, CorpusConfig], read_yaml(file.read_text(encoding="utf-8")), str(file))
    corpus = CorpusConfig.from_mapping(corpora[config])
    if how.share is not None:
        corpus = replace(corpus, validation_share=how.share)
    return held_out_rows(
        corpus, how.data, ENCODER / "names.json", how.limit, corpus.block_words is not None
    ), []
