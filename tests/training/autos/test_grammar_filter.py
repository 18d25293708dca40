"""The grammaticality filter of AUTOS, and the originals of the invariance test."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from openmeva.training.autos.builder import AutosBuilder, Row
from openmeva.training.corpora.story_rows import StoryRow, read_story_rows
from openmeva.training.perturbations import StoryPool, parse
from openmeva.training.perturbations.paraphrasers import RuleParaphraser
from tests.mini_stories import MINI


@pytest.mark.parametrize(
    ("first", "last", "kept"), [(0.5, 0.5, True), (0.49, 0.9, False), (0.9, 0.49, False), (0.9, 0.8, True)]
)
def test_each_new_sentence_must_be_grammatical(first: float, last: float, kept: bool) -> None:
    scored: list[str] = []

    def grammar(sentences: Sequence[str]) -> list[float]:
        scored.extend(sentences)
        return [{"Ann run.": first, "Cy eats.": last}[sentence] for sentence in sentences]

    nothing: Any = None
    builder = AutosBuilder(nothing, nothing, nothing, grammar=grammar)
    original = "Ann ran. Bob sat. Cy ate."
    row: StoryRow = {"story_id": "s", "context": "", "story": original, "keep": 0}
    changed: Row = {"aspect": "consistency", "story": "Ann run. Bob sat. Cy eats.", "perturbed_from": "s"}
    assert builder._grammatical([changed], [row], parse([original])) == ([changed] if kept else [])
    assert scored == ["Ann run.", "Cy eats."]


def test_invariance_has_the_originals_of_the_perturbed_stories_only(everyday_facts: None) -> None:
    rows = read_story_rows(MINI, limit=12)[0]
    corpus = StoryPool(parse([row["story"] for row in rows]))
    builder = AutosBuilder(corpus, RuleParaphraser(), lambda pairs: [0.3] * len(pairs), seed=1)
    strict = replace(builder, grammar=lambda sentences: [float(len(s) % 2) for s in sentences])
    for made in (builder.invariance(rows, "human"), strict.invariance(rows, "human")):
        originals = [(row["aspect"], row["story_id"]) for row in made.rows if row["label"] == 1]
        perturbed = [(row["aspect"], row["perturbed_from"]) for row in made.rows if row["label"] == 0]
        assert originals == perturbed
        assert len({source for _, source in perturbed}) == 12, "a typo is always possible"
        assert len(perturbed) < 5 * 12
