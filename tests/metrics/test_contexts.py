"""A story that already begins with its context, in another spelling, too, is not read after it once more."""

import unicodedata
from functools import cache
from typing import Any

import pytest

from openmeva.metrics.core.contexts import (
    begins_with_context,
    is_beginning,
    join_contexts,
    without_context,
)
from openmeva.training.scoring.loading import load

CONTEXT = "Ann’s dog was hungry."
REST = "She made a sandwich. The dog ate it. She laughed."
WHOLE = (
    f"{CONTEXT} {REST}",
    f"Ann's dog was  hungry . {REST}",
    f"ANN'S DOG WAS HUNGRY. {REST}",
)


loaded = cache(load)


def scored(metric: str, story: str, context: str | None) -> float:
    columns: dict[str, Any] = {"predictions": [story]}
    if context is not None:
        columns["contexts"] = [context]
    result = loaded(metric).compute(**columns, dtype="float32", show_progress=False)
    return float(result.get("unreferenced", result["scores"])[0])


@pytest.mark.parametrize("metric", ["union", "plot_coherence", "ppl", "sentavg", "discriminator"])
@pytest.mark.parametrize("whole", WHOLE)
def test_context_at_the_beginning_of_a_story_is_ignored(metric: str, whole: str) -> None:
    assert scored(metric, whole, CONTEXT) == pytest.approx(scored(metric, whole, None), rel=1e-5)


@pytest.mark.parametrize("whole", WHOLE)
def test_ruber_bert_compares_the_context_with_the_rest(whole: str) -> None:
    assert scored("ruber_bert", whole, CONTEXT) == pytest.approx(
        scored("ruber_bert", REST, CONTEXT), abs=1e-5
    )
    assert scored("ruber_bert", CONTEXT, CONTEXT) > 0, "a story that is its context is scored as it is"


def test_beginning_is_followed_by_at_most_ten_sentences():
    assert [is_beginning("Ann was hungry.", "She ate. " * count) for count in (10, 11)] == [True, False]


@pytest.mark.parametrize(
    ("story", "context", "own"),
    [
        ("I can't swim. I sank.", "I can.", None),
        ("Ann ran 5.5 miles.", "Ann ran 5.", None),
        ("Tom went home early.", "Tom went home.", None),
        ("Tom went home, and he slept.", "Tom went home!", None),
        ('"Tom went home early," Ann said.', '"Tom went home."', None),
        ("Tom went home Ann slept.", "Tom went home.", "Ann slept."),
        ("Tom went home\nhe slept.", "Tom went home.", "he slept."),
        ("Tom went home... he slept.", "Tom went home.", "he slept."),
        ("Tom went home early.", "Tom went home", "early."),
        ("tom went home he slept .", "Tom went home.", "he slept ."),
        ("[MALE] went home he slept .", "[MALE] went home .", "he slept ."),
        ("Ann ran.She fell.", "Ann ran.", "She fell."),
        (unicodedata.normalize("NFD", "At the café. He ate."), "At the café.", "He ate."),
        ("Cafe Rio was open . He ate .", "Café Rio was open.", "He ate ."),
    ],
)
def test_end_of_a_context_is_found_whatever_its_spelling(story: str, context: str, own: str | None) -> None:
    assert begins_with_context(story, context) == (own is not None)
    assert without_context(story, context) == (own or story)
    assert (join_contexts([story], [context], True) == [story]) == (own is not None)


def test_ruber_bert_leaves_out_a_prompt_with_its_tag() -> None:
    prompt, rest = "[ WP ] You wake up . ", "I rubbed my eyes . Nobody was there ."
    module = load("ruber_bert", "wp")
    whole, own = (
        module.compute(predictions=[text], contexts=[prompt], dtype="float32")["scores"]
        for text in (prompt + rest, rest)
    )
    assert whole == pytest.approx(own, abs=1e-6)
