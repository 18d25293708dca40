"""Where negations may be added to or removed from a story."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules import polarity
from openmeva.training.perturbations.rules.polarity import may_be_affirmed, may_be_negated, story_depends_on
from openmeva.training.text.sentence import Sentence


@pytest.mark.parametrize(
    ("text", "negation", "expected"),
    [
        ("He didn't find the key.", 2, True),
        ("She couldn't help laughing.", 2, False),
        ("He didn't have much money.", 2, False),
        ("Didn't he sleep?", 1, False),
        ("He stayed if it didn't rain.", 5, False),
    ],
)
def test_may_be_affirmed(text: str, negation: int, expected: bool) -> None:
    (sentence,) = Story(text).sentences
    assert sentence.lowered[negation] == "n't"
    assert may_be_affirmed(sentence, negation) is expected


@pytest.mark.parametrize(
    ("text", "verb", "expected"),
    [
        ("He found the key.", 1, True),
        ("When it rained, he found the key.", 5, True),
        ("When it rained, he found the key.", 2, False),  # not the main clause
        ("He found some keys.", 1, False),  # "did not find some"
        ("He got up and left.", 1, False),  # "did not get up and left"
        ("She went home, packed, and slept.", 1, False),
    ],
)
def test_may_be_negated(text: str, verb: int, expected: bool) -> None:
    (sentence,) = Story(text).sentences
    assert may_be_negated(sentence, verb) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He bought a dog. It barked all night.", True),
        ("He bought the dog. The dog barked.", True),
        ("He bought the dog, so he was happy.", True),
        ("He bought the dog. His wife sang.", False),
        ("He bought the dog.", False),  # nothing in the later story depends on it
    ],
)
def test_story_depends_on(text: str, expected: bool) -> None:
    assert story_depends_on(Story(text).sentences[0], 1) is expected


def test_sentence_is_lemmatised_once_for_all_its_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text without a full stop takes time proportional to its length."""
    positions: list[int] = []
    original_lemma = polarity._lemma

    def counting_lemma(sentence: Sentence, at: int) -> str:
        positions.append(at)
        return original_lemma(sentence, at)

    monkeypatch.setattr(polarity, "_lemma", counting_lemma)
    story = Story("he bought the dog and " * 200 + "ran .")
    (sentence,) = story.sentences
    for at in range(len(sentence)):
        story_depends_on(sentence, at)
    assert len(positions) == 2 * len(sentence), "once for the story, once for the sentence"
