"""Reasons for a score: words found again in the typed story, the likely error, and how they are shown."""

from collections.abc import Sequence

import pytest

from openmeva.spaces.alignment import align
from openmeva.spaces.diagnosis import THRESHOLD, diagnose
from openmeva.spaces.markup import escape, number, shaded, verdict

STORY = "Ann's dog didn't eat. \"Why?\" she asked. Tom ran home!"
EXPLANATION = {
    "sentences": [
        {"text": "[FEMALE] 's dog did n't eat .", "gain": 0.3},
        {"text": '" why ? " she asked .', "gain": -0.1},
        {"text": "[MALE] ran home !", "gain": 0.0},
    ],
    "edits": [
        {"token": "n't", "suggestion": "", "sentence": 0, "start": 4, "end": 5},
        {"token": "ran", "suggestion": "walked", "sentence": 2, "start": 1, "end": 2},
    ],
}


def fitting(story: str) -> dict:
    """An explanation without gains and edits, of a story of plain sentences."""
    parts = [part.strip() + " ." for part in story.lower().rstrip(".").split(".")]
    return {"sentences": [{"text": part, "gain": 0.0} for part in parts], "edits": []}


def test_words_are_found_in_the_typed_story() -> None:
    sentences = align(STORY, EXPLANATION)
    assert ["".join(word.text for word in one.words) for one in sentences] == [
        "Ann's dog didn't eat.",
        '"Why?" she asked.',
        "Tom ran home!",
    ]
    changed = [
        (word.text, word.suggestion) for one in sentences for word in one.words if word.suggestion is not None
    ]
    assert changed == [("n't", ""), ("ran", "walked")]
    assert [one.gain for one in sentences] == [0.3, -0.1, 0.0]


def test_another_number_of_sentences_shows_the_normalised_text() -> None:
    sentences = align("One. Two. Three.", {"sentences": [{"text": "one two .", "gain": 0.1}]})
    assert "".join(word.text for word in sentences[0].words) == "one two ."


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "${alert(1)}", "{{7*7}}", '" onmouseover="x', "</p>"]
)
def test_stories_are_shown_as_text(text: str) -> None:
    explanation = {"sentences": [{"text": text.lower(), "gain": 0.4}], "edits": []}
    shown = shaded(align(text, explanation))
    inside = shown.split('higher">', 1)[1].split("</mark>")[0]
    assert not set('<>"${}') & set(inside)
    assert escape(text) in shown


def test_costly_sentences_are_marked_and_said() -> None:
    shown = shaded(align(STORY, EXPLANATION))
    assert shown.count("<mark") == 1
    assert "(costs 0.30)" in shown
    assert "would read “walked”" in shown
    assert "would go" in shown


REPEATED = "Ann was hungry. She made a sandwich. She made a sandwich. She ate it."
SHUFFLED = "Ann was hungry. She ate it. She made a sandwich."
NEGATED = "Ann was hungry. She did not make a sandwich. She ate it."


@pytest.mark.parametrize(
    ("story", "good", "kind", "places"),
    [
        (REPEATED, "Ann was hungry. She made a sandwich. She ate it.", "repeated", (1, 2)),
        (SHUFFLED, "Ann was hungry. She made a sandwich. She ate it.", "reordered", (1, 2)),
        (SHUFFLED, "Ann was hungry. She made a sandwich.", "unrelated", (1,)),
    ],
)
def test_the_repair_that_helps_most_names_the_error(
    story: str, good: str, kind: str, places: tuple[int, ...]
) -> None:
    def rescore(stories: Sequence[str]) -> list[float]:
        return [0.9 if one == good else 0.1 for one in stories]

    found = diagnose(story, fitting(story), 0.1, rescore)
    assert found is not None
    assert (found.kind, found.sentences, found.repaired) == (kind, places, good)
    assert found.gain == pytest.approx(0.8)
    assert "likely error" in verdict(found, 3)


def test_edits_of_negations_and_of_other_words() -> None:
    explanation = fitting(NEGATED)
    explanation["edits"] = [
        {"token": "did", "suggestion": "", "sentence": 1, "start": 1, "end": 2},
        {"token": "not", "suggestion": "", "sentence": 1, "start": 2, "end": 3},
    ]
    found = diagnose(
        NEGATED,
        explanation,
        0.1,
        lambda stories: [0.9 if "not" not in s and "make" in s else 0.1 for s in stories],
    )
    assert found is not None
    assert found.kind == "negated"
    explanation["edits"] = [{"token": "sandwich", "suggestion": "cake", "sentence": 1, "start": 5, "end": 6}]
    found = diagnose(
        NEGATED, explanation, 0.1, lambda stories: [0.9 if "cake" in s else 0.1 for s in stories]
    )
    assert found is not None
    assert (found.kind, found.sentences) == ("substituted", (1,))


def test_a_story_that_no_repair_helps_has_no_error() -> None:
    found = diagnose(
        SHUFFLED, fitting(SHUFFLED), 0.8, lambda stories: [0.8 + 0.9 * THRESHOLD for _ in stories]
    )
    assert found is None
    assert "no clear error" in verdict(None, 3)
    assert (
        diagnose("One sentence.", fitting("One sentence."), 0.1, lambda stories: [1.0 for _ in stories])
        is None
    )


def test_numbers() -> None:
    assert [number(value) for value in (0.0, -0.001, -2.5, 12345.6)] == ["0.00", "0.00", "−2.50", "12,346"]
