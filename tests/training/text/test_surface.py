"""What a rewrite looks like in the story's own text: capitals, blanks and clitics."""

import pytest

from openmeva.training.text.edits import apply_edits
from openmeva.training.text.rewrite import Rewrite, Token
from openmeva.training.text.story import Story


@pytest.mark.parametrize(
    ("text", "cased"),
    [
        ("[MALE] hired an attorney . he won .", False),
        ("[FEMALE] ran . then [MALE] did , too .", False),
        ("He ran.", True),
        ('"go!" she said. It ran.', True),
        ("the dog ran.", False),
    ],
)
def test_placeholders_are_no_capitals(text: str, cased: bool) -> None:
    assert Story(text).cased is cased


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She'd buy the dress.", "She would not buy the dress."),
        ("she 'd buy the dress .", "she would not buy the dress ."),
    ],
)
def test_a_clitic_that_becomes_a_word_gets_its_blank(text: str, expected: str) -> None:
    sentence = Story(text).sentences[0]
    at = sentence.lowered.index("'d")
    edits = sentence.rewritten(Rewrite(at, at + 1, (Token("would", "MD"), Token("not", "RB"))))
    assert apply_edits(text, edits)[0] == expected
