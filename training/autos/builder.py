"""The rows of AUTOS: the stories that each aspect selects, and the stories that it perturbs."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.perturbations.aspects.registry import (
    ASPECTS,
    DISCRIMINATION_ASPECTS,
    INVARIANCE_ASPECTS,
)
from openmeva.training.perturbations.engine.material import PerturbationMaterial, Similarity
from openmeva.training.perturbations.engine.paraphraser import Paraphraser
from openmeva.training.perturbations.engine.perturbed import Perturbed
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.perturber import Perturber
from openmeva.training.text.story import Story, parse

Row = dict[str, Any]
Grammar = Callable[[Sequence[str]], list[float]]
"""Scores sentences for grammaticality, 0..1, higher is better."""


class BuiltRows(NamedTuple):
    """Rows, and the number of perturbed stories of each aspect before the grammaticality filter."""

    rows: list[Row]
    unfiltered_counts: Counter[str]


@dataclass(frozen=True)
class AutosBuilder:
    """Makes the rows of AUTOS from stories.

    Args:
        corpus: source of sentences and words of other stories.
        paraphraser: source of paraphrases.
        similarity: MoverScore.
        seed: any non-negative integer.
        grammar: the grammaticality filter of appendix B.2: a perturbed story is excluded if one of its new sentences scores
            below .5; typos are not filtered. None for no filter.
    """

    corpus: StoryPool
    paraphraser: Paraphraser
    similarity: Similarity
    seed: int = 0
    grammar: Grammar | None = None

    def discrimination(self, rows: Sequence[StoryRow]) -> BuiltRows:
        """The coherent examples that each aspect selects (label 1), and the perturbed stories (label 0)."""
        stories = parse([row["story"] for row in rows])
        if isinstance(self.similarity, MoverSimilarity):
            self.similarity.prepare([sentence.text for story in stories for sentence in story.sentences])
        result: list[Row] = []
        unfiltered_counts: Counter[str] = Counter()
        for name in DISCRIMINATION_ASPECTS:
            aspect = ASPECTS[name]
            perturbers = self._perturbers(name)
            for row, story in zip(rows, stories, strict=True):
                if aspect.selects(story, perturbers[row["keep"]].material):
                    result.append(_original(row, name, "human"))
            perturbed = self._perturbed(rows, stories, name, perturbers, "human")
            unfiltered_counts[name] += len(perturbed)
            result += self._grammatical(perturbed, rows, stories)
        return BuiltRows(result, unfiltered_counts)

    def invariance(self, rows: Sequence[StoryRow], origin: str) -> BuiltRows:
        """For each aspect the perturbed stories that the filter keeps (label 0), and their originals (label 1)."""
        stories = parse([row["story"] for row in rows])
        result: list[Row] = []
        unfiltered_counts: Counter[str] = Counter()
        for name in INVARIANCE_ASPECTS:
            perturbed = self._perturbed(rows, stories, name, self._perturbers(name), origin)
            unfiltered_counts[name] += len(perturbed)
            changed = self._grammatical(perturbed, rows, stories)
            ids = {row["perturbed_from"] for row in changed}
            result += [_original(row, name, origin) for row in rows if row["story_id"] in ids]
            result += changed
        return BuiltRows(result, unfiltered_counts)

    def perturb_again(
        self, rows: Sequence[StoryRow], aspect: str, origin: str, avoided: frozenset[str]
    ) -> list[Row]:
        """Stories perturbed again in one aspect, where paraphrases must not add the `avoided` words and phrases."""
        stories = parse([row["story"] for row in rows])
        perturbed = self._perturbed(rows, stories, aspect, self._perturbers(aspect, avoided), origin)
        return self._grammatical(perturbed, rows, stories)

    def _perturbers(self, aspect: str, avoided: frozenset[str] = frozenset()) -> dict[int, Perturber]:
        return {
            keep: Perturber(
                aspect,
                self.seed,
                material=PerturbationMaterial(
                    keep, self.corpus, self.paraphraser, self.similarity, avoided=avoided
                ),
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
        results: dict[str, Perturbed | None] = {}
        for keep, perturber in perturbers.items():
            chosen = [number for number, row in enumerate(rows) if row["keep"] == keep]
            ids = [rows[number]["story_id"] for number in chosen]
            results.update(
                zip(ids, perturber.perturb_all([stories[number] for number in chosen], ids), strict=True)
            )
        results_by_row = [(row, results[row["story_id"]]) for row in rows]
        return [
            {**result.row(row["story_id"], row["context"]), "origin": origin}
            for row, result in results_by_row
            if result
        ]

    def _grammatical(
        self, perturbed: list[Row], rows: Sequence[StoryRow], stories: Sequence[Story]
    ) -> list[Row]:
        """The rows that the filter keeps; all rows are of one aspect."""
        grammar = self.grammar
        if grammar is None or not perturbed or perturbed[0]["aspect"] == "typo":
            return perturbed
        originals = {row["story_id"]: story for row, story in zip(rows, stories, strict=True)}
        new: list[list[str]] = []
        for row in perturbed:
            before = {sentence.text for sentence in originals[row["perturbed_from"]].sentences}
            new.append([s.text for s in Story(row["story"]).sentences if s.text not in before])
        scores = iter(grammar([text for texts in new for text in texts]))
        lowest = [min((next(scores) for _ in texts), default=1.0) for texts in new]
        return [row for row, score in zip(perturbed, lowest, strict=True) if score >= 0.5]


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
