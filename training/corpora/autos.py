"""AUTOS: coherent stories and their perturbations, one aspect at a time (OpenMEVA section 3.2).

    python -m training.corpora.autos --config roc --stories validation.jsonl --out datasets/autos
    python -m training.corpora.autos --config mini --stories datasets/stories/mini.jsonl --out datasets/autos

Writes `<out>/<config>/discrimination.parquet` and `invariance.parquet` and prints counts a row beside the shares
of Tables 6 and 7. An interrupted build goes on where it stopped.
"""

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.progress import track

from training.corpora.story_rows import StoryRow, read_rows
from training.files import replacing
from training.negatives.draws import Draws
from training.perturbations.corpus import Corpus
from training.perturbations.material import Material
from training.perturbations.paraphraser import Paraphraser
from training.perturbations.perturber import Perturber
from training.perturbations.registry import ASPECTS, DISCRIMINATION_ASPECTS, INVARIANCE_ASPECTS
from training.perturbations.story import Story, tag_stories

from .autos_counts import table

SPAN = pa.struct([(name, pa.int32()) for name in ("original_start", "original_end", "start", "end")])
SCHEMA = pa.schema(
    [
        ("story_id", pa.string()),
        ("context", pa.string()),
        ("story", pa.string()),
        ("aspect", pa.string()),
        ("technique", pa.string()),
        ("label", pa.int8()),
        ("origin", pa.string()),
        ("perturbed_from", pa.string()),
        ("changed_spans", pa.list_(SPAN)),
    ]
)
SPLITS = ("discrimination", "invariance")
CHUNK = 250
VERSION = "1"  # of what the parts of a build hold

Row = dict[str, Any]
Grammar = Callable[[Sequence[str]], list[float]]
"""Scores sentences for grammaticality, 0..1, higher is better."""


@dataclass(frozen=True)
class AutosBuilder:
    """Makes the rows of AUTOS from stories.

    Args:
        corpus: where foreign sentences and words come from.
        paraphraser: source of paraphrases.
        similarity: MoverScore.
        seed: any non-negative integer.
        grammar: the filter of appendix B.2: a perturbed story is left out where a sentence that its original
            lacks scores below .5, typos aside. None for no filter.
    """

    corpus: Corpus
    paraphraser: Paraphraser
    similarity: Callable[[Sequence[tuple[str, str]]], list[float]]
    seed: int = 0
    grammar: Grammar | None = None

    def discrimination(self, rows: Sequence[StoryRow]) -> list[Row]:
        """Coherent examples (label 1) as each aspect selects them, and perturbed stories (label 0)."""
        stories = self._parsed([row["story"] for row in rows])
        found: list[Row] = []
        for name in DISCRIMINATION_ASPECTS:
            aspect = ASPECTS[name]
            perturbers = self._perturbers(name)
            for row, story in zip(rows, stories, strict=True):
                if aspect.selects(story, perturbers[row["keep"]].material):
                    found.append(_original(row, name, "human"))
            found += self._perturbed(rows, stories, name, perturbers, "human")
        return found

    def invariance(self, rows: Sequence[StoryRow], origin: str) -> list[Row]:
        """For each aspect the stories that it applies to (label 1) and what became of them (label 0)."""
        stories = self._parsed([row["story"] for row in rows])
        found: list[Row] = []
        for name in INVARIANCE_ASPECTS:
            changed = self._perturbed(rows, stories, name, self._perturbers(name), origin)
            ids = {row["perturbed_from"] for row in changed}
            found += [_original(row, name, origin) for row in rows if row["story_id"] in ids]
            found += changed
        return found

    def _perturbers(self, aspect: str) -> dict[int, Perturber]:
        return {
            keep: Perturber(
                aspect, self.seed, material=Material(keep, self.corpus, self.paraphraser, self.similarity)
            )
            for keep in (0, 1)
        }

    def _perturbed(
        self,
        rows: Sequence[StoryRow],
        stories: Sequence[Story],
        aspect: str,
        perturbers: dict[int, Perturber],
        origin: str,
    ) -> list[Row]:
        found: list[Row] = []
        for row, story in zip(rows, stories, strict=True):
            result = perturbers[row["keep"]].perturb(story, row["story_id"])
            if result is not None:
                found.append(
                    {
                        "story_id": f"{row['story_id']}/{aspect}",
                        "context": row["context"],
                        "story": result.story,
                        "aspect": aspect,
                        "technique": result.technique,
                        "label": 0,
                        "origin": origin,
                        "perturbed_from": row["story_id"],
                        "changed_spans": [span._asdict() for span in result.spans],
                    }
                )
        if self.grammar is not None and aspect != "typo" and found:
            originals = {row["story_id"]: story for row, story in zip(rows, stories, strict=True)}
            return self._grammatical(found, originals)
        return found

    def _grammatical(self, found: list[Row], originals: dict[str, Story]) -> list[Row]:
        grammar = self.grammar
        if grammar is None:
            return found
        new: list[list[str]] = []
        for row in found:
            before = {sentence.text for sentence in originals[row["perturbed_from"]].sentences}
            new.append([s.text for s in Story(row["story"]).sentences if s.text not in before])
        scores = iter(grammar([text for texts in new for text in texts]))
        lowest = [min((next(scores) for _ in texts), default=1.0) for texts in new]
        return [row for row, score in zip(found, lowest, strict=True) if score >= 0.5]

    def _parsed(self, texts: Sequence[str]) -> list[Story]:
        stories = [Story(text) for text in texts]
        tag_stories(stories)
        return stories


def _original(row: StoryRow, aspect: str, origin: str) -> Row:
    return {
        "story_id": row["story_id"],
        "context": row["context"],
        "story": row["story"],
        "aspect": aspect,
        "technique": None,
        "label": 1,
        "origin": origin,
        "perturbed_from": None,
        "changed_spans": [],
    }


def build(
    rows: Sequence[StoryRow], builder: AutosBuilder, folder: Path, settings: str = "", progress: bool = True
) -> dict[str, pa.Table]:
    """Write both splits to a folder; returns them.

    Stories are worked through in parts of 250, each kept in `<folder>/.parts` until the end: a build that was
    interrupted goes on from there. Nothing is ever half-written.

    Args:
        rows: of `read_rows`; ids differ.
        builder: makes the rows.
        folder: of the configuration; made if missing.
        settings: what else the rows depend on; parts made under others are not used again.
        progress: whether to show a bar.
    """
    key = hashlib.sha256(json.dumps([VERSION, settings, builder.seed, list(rows)]).encode()).hexdigest()[:16]
    parts = folder / ".parts" / key
    human = _in_parts(rows, builder.discrimination, parts / "discrimination", "discrimination", progress)
    incoherent = sampled(human, len(rows), builder.seed)
    keep = {row["story_id"]: row["keep"] for row in rows}
    again: list[StoryRow] = [{**_story_row(row), "keep": keep[row["perturbed_from"]]} for row in incoherent]
    same = _in_parts(
        rows, lambda part: builder.invariance(part, "human"), parts / "human", "invariance", progress
    )
    same += _in_parts(
        again,
        lambda part: builder.invariance(part, "discrimination"),
        parts / "again",
        "invariance of incoherent stories",
        progress,
    )
    tables = {"discrimination": _table(human), "invariance": _table(same)}
    for split, content in tables.items():
        with replacing(folder / f"{split}.parquet") as temporary:
            pq.write_table(content, temporary, compression="zstd")
    shutil.rmtree(folder / ".parts")
    return tables


def sampled(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """At most `count` of the perturbed rows, drawn by seed, in their order."""
    import numpy as np

    perturbed = [row for row in rows if row["label"] == 0]
    chosen = Draws(np.random.default_rng(seed)).shuffled(range(len(perturbed)))[:count]
    return [perturbed[at] for at in sorted(chosen)]


def _story_row(row: Row) -> StoryRow:
    return {"story_id": row["story_id"], "context": row["context"], "story": row["story"], "keep": 0}


def _in_parts(
    rows: Sequence[StoryRow],
    make: Callable[[Sequence[StoryRow]], list[Row]],
    folder: Path,
    title: str,
    progress: bool,
) -> list[Row]:
    found: list[Row] = []
    starts: Iterable[int] = range(0, len(rows), CHUNK)
    for start in track(list(starts), title, disable=not progress):
        path = folder / f"{start:07d}.parquet"
        if not path.is_file():
            made = make(rows[start : start + CHUNK])
            with replacing(path) as temporary:
                pq.write_table(pa.Table.from_pylist(made, SCHEMA), temporary, compression="zstd")
        found += pq.read_table(path, schema=SCHEMA).to_pylist()
    return found


def _table(rows: Sequence[Row]) -> pa.Table:
    """Rows by aspect in the order of the registry, within it as they came."""
    order = {name: place for place, name in enumerate(ASPECTS)}
    return pa.Table.from_pylist(sorted(rows, key=lambda row: order[row["aspect"]]), SCHEMA)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    options = _parse(arguments)
    from training.perturb import find_paraphraser
    from training.perturbations.similarity import MoverSimilarity

    try:
        rows, bad = read_rows(options.stories, options.context, options.bad == "skip", options.limit)
        for message in bad:
            print(f"skipped: {message}", file=sys.stderr)
        grammar = None
        if options.grammar:
            from training.grammar import GrammarScorer

            grammar = GrammarScorer.load(None if options.grammar == "default" else Path(options.grammar))
        stories = [Story(row["story"]) for row in rows]
        tag_stories(stories)
        builder = AutosBuilder(
            Corpus(stories), find_paraphraser(options.paraphrases), MoverSimilarity(), options.seed, grammar
        )
        settings = f"{options.paraphrases} {options.grammar}"
        tables = build(rows, builder, options.out / options.config, settings, sys.stderr.isatty())
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(
        table(
            tables["discrimination"].to_pylist(), tables["invariance"].to_pylist(), len(rows), options.config
        )
    )
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m training.corpora.autos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", choices=("mini", "roc", "wp"), required=True)
    parser.add_argument("--stories", type=Path, required=True, help="JSON lines ('story') or text lines")
    parser.add_argument("--out", type=Path, default=Path("datasets/autos"))
    parser.add_argument("--context", choices=("first_sentence", "none"), default="first_sentence")
    parser.add_argument(
        "--paraphrases", default="rules", help="rules, a .json file of back-translations, a model"
    )
    parser.add_argument("--grammar", help="filter by grammaticality: 'default', or a checkpoint's folder")
    parser.add_argument(
        "--bad", choices=("refuse", "skip"), default="refuse", help="what to do with bad lines"
    )
    parser.add_argument("--limit", type=int, help="stories to take, all unless given")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
