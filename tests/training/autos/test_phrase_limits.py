"""Limit on phrases in paraphrases: no word or phrase that they add marks too many of them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from openmeva.training.autos.builder import AutosBuilder, BuiltRows, Row
from openmeva.training.autos.phrase_limits import added_phrases, exceeded_limits, limit_phrases, phrase_shares
from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.perturbations import StoryPool, parse
from openmeva.training.perturbations.engine.paraphraser import Paraphraser
from openmeva.training.text.sentence import Sentence

COUNT = 120
STORIES: list[StoryRow] = [
    {
        "story_id": f"s{at}",
        "context": "",
        "story": f"{'Again ' * (at % 3 == 0)}Ann came. She saw dog{at}.",
        "keep": 1,
    }
    for at in range(COUNT)
]


class Openers:
    """Puts one of a few words before each sentence, always trying the same one first."""

    name = "openers"

    def __init__(self, *words: str) -> None:
        self.words = words

    def paraphrases(self, sentence: Sentence, draws: Any) -> list[str]:
        name = sentence.words[2]
        others = [f"Word{at} " for at in range(int(name[3:]) % 60)]
        return [f"{word}{name} ran{name} off{name}." for word in (*self.words, *others)]


def builder(paraphraser: Paraphraser) -> AutosBuilder:
    return AutosBuilder(StoryPool(parse(["Ann came."])), paraphraser, lambda pairs: [1.0] * len(pairs))


def test_added_phrases_and_their_limits() -> None:
    row: Row = {"story": "He ran. Then he slept."}
    assert added_phrases(row, "He ran. He slept.") == {
        *("then", "then he", "then he slept"),
        *("^ then", "^ then he", "^ then he slept"),  # openings of a sentence
    }
    usual = phrase_shares(["Then he ran.", "He ran.", "She ran.", "She sat."])
    assert (usual["ran"], usual["then he"], usual["he"], usual["^ he"]) == (0.75, 0.25, 0.5, 0.25)
    marked: Sequence[frozenset[str]] = (
        [frozenset({"then", "so"})] * 30 + [frozenset({"so"})] * 30 + [frozenset()] * 40
    )
    assert exceeded_limits(marked, {}) == {"so": 5, "then": 5}  # a twentieth, the largest excess first
    assert exceeded_limits(marked, {"so": 0.15, "then": 0.35}) == {
        "so": 15,
        "then": 20,
    }  # as frequent in human stories


def test_limit_does_not_fall_below_two_stories() -> None:
    marked = [frozenset({"then"})] * 2 + [frozenset({"so"})] * 3 + [frozenset[str]()] * 25
    assert exceeded_limits(marked, {}) == {"so": 2}


@pytest.mark.parametrize("aspect", ["semantic_repetition", "paraphrase"])
def test_stories_above_the_phrase_limit_are_paraphrased_again_or_dropped(aspect: str) -> None:
    autos_builder = builder(Openers("Again "))
    rows = autos_builder.perturb_again(STORIES, aspect, "human", frozenset())
    assert all("Again " in row["story"] for row in rows)
    coherent = [{**STORIES[at], "aspect": aspect, "label": 1, "origin": "human"} for at in range(COUNT)]
    limited = limit_phrases(BuiltRows([*coherent, *rows], Counter()), STORIES, STORIES, autos_builder).rows
    perturbed = [row for row in limited if row["label"] == 0]
    marked = [added_phrases(row, STORIES[int(row["perturbed_from"][1:])]["story"]) for row in perturbed]
    assert 60 < len(perturbed) < COUNT
    assert exceeded_limits(marked, phrase_shares(row["story"] for row in STORIES)) == {}
    assert sum("again" in phrases for phrases in marked) > COUNT / 20  # a third of the human stories have it
    assert len({phrase for phrases in marked for phrase in phrases if phrase.startswith("word")}) > 40
    originals = {row["story_id"] for row in limited if row["label"] == 1}
    perturbed_ids = {row["perturbed_from"] for row in perturbed}
    assert originals == (
        {row["story_id"] for row in STORIES} if aspect == "semantic_repetition" else perturbed_ids
    )


def test_phrase_limits_ignore_small_sets() -> None:
    autos_builder = builder(Openers("Again "))
    rows = autos_builder.perturb_again(STORIES[:6], "paraphrase", "human", frozenset())
    assert len(rows) == 6
    assert limit_phrases(BuiltRows(rows, Counter()), STORIES, STORIES, autos_builder).rows == rows
