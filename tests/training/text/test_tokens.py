"""Spans of words and sentences in a text."""

import numpy as np
import pytest

from openmeva.metrics.core.text import split_sentences
from openmeva.training.perturbations import Story
from openmeva.training.text.edits import Edit, apply_edits
from openmeva.training.text.tokens import token_spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I can't go.", ["I", "ca", "n't", "go", "."]),
        ("i ca n't go .", ["i", "ca", "n't", "go", "."]),
        ("She cannot swim; he'll", ["She", "can", "not", "swim", ";", "he", "'ll"]),
        ("Mr. Hill, 10:30 a.m., $1,000!", ["Mr.", "Hill", ",", "10:30", "a.m.", ",", "$", "1,000", "!"]),
        ("[MALE]'s well-known dog", ["[MALE]", "'s", "well-known", "dog"]),
        ("`` Hi , '' he said...", ["``", "Hi", ",", "''", "he", "said", "..."]),
        ("it’s five o'clock", ["it", "’s", "five", "o'clock"]),
        ("isn't", ["is", "n't"]),
    ],
)
def test_token_spans(text: str, words: list[str]) -> None:
    assert [text[a:b] for a, b in token_spans(text)] == words


def test_tokens_cover_all_characters_except_whitespace() -> None:
    rng = np.random.default_rng(0)
    alphabet = [*"abcN' \"’.,!?-—…0\n[]M`", "n't", "😀", "\ud800"]
    for _ in range(300):
        text = "".join(rng.choice(alphabet, 25))
        spans = token_spans(text)
        covered = {at for a, b in spans for at in range(a, b)}
        assert all(text[at].isspace() for at in set(range(len(text))) - covered)
        assert spans == sorted(spans)


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Hill ran home. He fell ! ' ' Ow , '' he said.",
        'Nora said, "Stop." He didn\'t. They met at 5 p.m. on Monday.',
        "he ran . she did n't . why ?",
    ],
)
def test_sentences_are_split_as_for_scoring(text: str) -> None:
    assert len(Story(text).sentences) == len(split_sentences(text))


def test_text_style_is_detected() -> None:
    assert Story("he ran .").tokenized
    assert not Story("he ran .").clitics_separate
    assert Story("he did n't run .").clitics_separate
    assert Story("he didn't . he ran").tokenized
    assert not Story("He ran.").tokenized
    assert Story("He ran.").cased
    assert not Story("he ran .").cased


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])
