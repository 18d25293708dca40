"""Reasons for a score: alignment of words with the typed story, the likely error, and their HTML."""

import json
from collections.abc import Callable, Sequence

import pytest

from openmeva.spaces.catalogue import read_catalogue
from openmeva.spaces.markup import escape, format_number
from openmeva.spaces.story_scorer.alignment import align
from openmeva.spaces.story_scorer.diagnosis import Diagnosis, StoryError, diagnose
from openmeva.spaces.story_scorer.markup import likely_errors, shaded_sentences
from tests.spaces import diagnoses
from tests.spaces.test_reference_scores import shipped_checkpoint

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


def test_words_are_aligned_with_the_typed_story() -> None:
    sentences = align(STORY, EXPLANATION)
    assert ["".join(word.text for word in sentence.words) for sentence in sentences] == [
        "Ann's dog didn't eat.",
        '"Why?" she asked.',
        "Tom ran home!",
    ]
    changed = [
        (word.text, word.suggestion)
        for sentence in sentences
        for word in sentence.words
        if word.suggestion is not None
    ]
    assert changed == [("n't", ""), ("ran", "walked")]
    assert [sentence.gain for sentence in sentences] == [0.3, -0.1, 0.0]


def test_normalized_text_is_shown_if_sentence_counts_differ() -> None:
    sentences = align("One. Two. Three.", {"sentences": [{"text": "one two .", "gain": 0.1}]})
    assert "".join(word.text for word in sentences[0].words) == "one two ."


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "${alert(1)}", "{{7*7}}", '" onmouseover="x', "</p>"]
)
def test_stories_are_escaped(text: str) -> None:
    explanation = {"sentences": [{"text": text.lower(), "gain": 0.4}], "edits": []}
    shown = shaded_sentences(align(text, explanation))
    inside = shown.split('higher">', 1)[1].split("</mark>")[0]
    assert not set('<>"${}') & set(inside)
    assert escape(text) in shown


def test_costly_sentences_are_marked_with_their_cost() -> None:
    shown = shaded_sentences(align(STORY, EXPLANATION))
    assert shown.count("<mark") == 1
    assert "(costs 0.30)" in shown
    assert "suggested: “walked”" in shown
    assert "suggested: delete" in shown


REPEATED = "Ann was hungry. She made a sandwich. She made a sandwich. She ate it."
SHUFFLED = "Ann was hungry. She ate it. She made a sandwich."
NEGATED = "Ann was hungry. She did not make a sandwich. She ate it."


GOOD = "Ann was hungry. She made a sandwich. She ate it."


def rescored(good: Sequence[str], asked: list[str] | None = None) -> Callable[[Sequence[str]], list[float]]:
    """A score that is high only for some stories."""

    def rescore(stories: Sequence[str]) -> list[float]:
        if asked is not None:
            asked.extend(stories)
        return [0.9 if story in good else 0.1 for story in stories]

    return rescore


def low(value: float) -> bool:
    return value <= 0.3


@pytest.mark.parametrize(
    ("story", "good", "kind", "places"),
    [
        (REPEATED, GOOD, "repeated", (1, 2)),
        (SHUFFLED, GOOD, "reordered", (1, 2)),
        (SHUFFLED, "Ann was hungry. She made a sandwich.", "unrelated", (1,)),
    ],
)
def test_best_repair_determines_the_error(story: str, good: str, kind: str, places: tuple[int, ...]) -> None:
    diagnosis = diagnose(story, fitting(story), 0.1, low, rescored([good]))
    assert diagnosis is not None
    assert diagnosis == Diagnosis((StoryError(kind, places),), 0.1, 0.9, good)
    html = likely_errors(diagnosis, "Plot coherence")
    assert "likely error" in html
    assert "Fixing this would raise Plot coherence from 0.10 to 0.90." in html


def test_errors_that_mask_each_other_are_repaired_together() -> None:
    story = "Ann was hungry. The whale swam by. She made a sandwich. The bread was red. She ate it."

    def rescore(stories: Sequence[str]) -> list[float]:
        return [0.9 if text == GOOD else 0.1 + 0.05 * ("whale" not in text) for text in stories]

    diagnosis = diagnose(story, fitting(story), 0.1, low, rescore)
    assert diagnosis is not None
    assert set(diagnosis.errors) == {StoryError("unrelated", (1,)), StoryError("unrelated", (3,))}
    assert diagnosis.repaired == GOOD


def test_repeated_sentence_is_found_at_any_score() -> None:
    story = "Ann was hungry. She made a sandwich. She made a sandwich! She made a sandwich. She ate it."
    diagnosis = diagnose(story, fitting(story.replace("!", ".")), 0.8, low, rescored([GOOD]))
    assert diagnosis == Diagnosis(
        (StoryError("repeated", (1, 2)), StoryError("repeated", (1, 3))), 0.8, 0.9, GOOD
    )
    short_repetition = "He ran off. No. It rained. No. He ran home."  # a short sentence may be repeated
    assert diagnose(short_repetition, fitting(short_repetition), 0.8, low, rescored([])) is None


def test_edits_are_classified_as_negation_or_substitution() -> None:
    explanation = fitting(NEGATED)
    explanation["edits"] = [
        {"token": "did", "suggestion": "", "sentence": 1, "start": 1, "end": 2},
        {"token": "not", "suggestion": "", "sentence": 1, "start": 2, "end": 3},
    ]
    scores = [0.9, 0.1]

    def rescore(stories: Sequence[str]) -> list[float]:
        return [scores["not" in story or "make" not in story] for story in stories]

    diagnosis = diagnose(NEGATED, explanation, 0.1, low, rescore)
    assert diagnosis is not None
    assert diagnosis.errors == (StoryError("negated", (1,)),)
    explanation["edits"] = [{"token": "sandwich", "suggestion": "cake", "sentence": 1, "start": 5, "end": 6}]
    diagnosis = diagnose(
        NEGATED, explanation, 0.1, low, lambda stories: [scores["cake" not in story] for story in stories]
    )
    assert diagnosis is not None
    assert diagnosis.errors == (StoryError("substituted", (1,)),)


def test_low_score_without_repair_gives_an_unexplained_error() -> None:
    diagnosis = diagnose(SHUFFLED, fitting(SHUFFLED), 0.1, low, lambda stories: [0.19 for _ in stories])
    assert diagnosis == Diagnosis((), 0.1, 0.1, SHUFFLED)
    html = likely_errors(diagnosis, "Plot coherence")
    assert "Something is wrong, but we cannot tell what" in html
    assert "om-fine" not in html
    assert "None of the repairs tried raises the score much." in html


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (1, "Repairs are tried on stories of 2 to 24 sentences, and this one has 1."),
        (2, "No repair was tried, since none applies to this story."),
        (3, ""),
        (24, ""),
        (25, "Repairs are tried on stories of 2 to 24 sentences, and this one has 25."),
    ],
)
def test_low_score_without_any_repair_tried_says_why(count: int, why: str) -> None:
    story = " ".join(f"Name{place} ran{place} home{place}." for place in range(count))
    asked: list[str] = []
    diagnosis = diagnose(story, fitting(story), 0.1, low, rescored([], asked))
    assert diagnosis == Diagnosis((), 0.1, 0.1, story, why)
    assert bool(asked) == (not why)
    html = likely_errors(diagnosis, "Plot coherence")
    assert ("repairs tried" in html) == (not why)
    assert why in html


def test_story_with_typical_human_score_is_not_diagnosed() -> None:
    asked: list[str] = []
    assert diagnose(SHUFFLED, fitting(SHUFFLED), 0.31, low, rescored([GOOD], asked)) is None
    assert asked == []
    assert likely_errors(None, "Plot coherence") == ""


KEPT = json.loads(diagnoses.KEPT.read_text(encoding="utf-8"))
EXPECTED = {
    "A sound story": None,
    "Repeats itself": StoryError("repeated", (1, 2)),
    "Out of order": "reordered",
    "Contradicts itself": "negated",
    "Goes astray": "unrelated",
    "With a reference": None,
    "To a prompt": None,
    "said thrice": StoryError("repeated", (1, 2)),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_examples_get_the_diagnosis_they_illustrate(name: str) -> None:
    """From stored scores of the shipped weights: `python -m tests.spaces.diagnoses`."""
    diagnosis = diagnoses.diagnosed(KEPT[name], diagnoses.stories()[name][1])
    if EXPECTED[name] is None:
        assert diagnosis is None
    else:
        assert diagnosis is not None
        first = diagnosis.errors[0]
        assert EXPECTED[name] in (first, first.error_type)


def test_stored_scores_match_shipped_weights() -> None:
    catalogue = read_catalogue()
    for name, (corpus, _) in diagnoses.stories().items():
        shipped = {metric: shipped_checkpoint(catalogue[metric], corpus) for metric in diagnoses.METRICS}
        assert KEPT[name]["checkpoints"] == shipped, name


def test_sound_example_scores_near_the_human_median() -> None:
    """Half of the forty human stories score lower, half of them as high or higher."""
    forty = [entry["score"] for name, entry in KEPT.items() if name.startswith("mini-roc-")]
    assert len(forty) == 40
    assert sum(score < KEPT["A sound story"]["score"] for score in forty) == 19


def test_at_most_four_of_forty_human_stories_are_diagnosed() -> None:
    human = {name: story for name, (_, story) in diagnoses.stories().items() if name.startswith("mini-")}
    assert len(human) == 40
    diagnosed = [name for name, story in human.items() if diagnoses.diagnosed(KEPT[name], story)]
    assert len(diagnosed) <= 4, diagnosed


def test_number_formatting() -> None:
    assert [format_number(value) for value in (0.0, -0.001, -2.5, 12345.6)] == [
        "0.00",
        "0.00",
        "−2.50",
        "12,346",
    ]
