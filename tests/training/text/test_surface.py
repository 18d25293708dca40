"""The surface form of a rewrite in the story's text: capitals, blanks and clitics."""

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
def test_placeholders_do_not_count_as_capitals(text: str, cased: bool) -> None:
    assert Story(text).cased is cased


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She'd buy the dress.", "She would not buy the dress."),
        ("she 'd buy the dress .", "she would not buy the dress ."),
    ],
)
def test_expanded_clitic_is_separated_by_a_space(text: str, expected: str) -> None:
    sentence = Story(text).sentences[0]
    at = sentence.lowered.index("'d")
    edits = sentence.rewrite_edits(Rewrite(at, at + 1, (Token("would", "MD"), Token("not", "RB"))))
    assert apply_edits(text, edits)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said, "I am sad."', ["He", "I"]),
        ("He said, “We left,” and The Boss cried.", ["He", "We"]),
        ("We saw “Jaws” and the dog.", ["We", "Jaws"]),
        ('He said , " We left , " and They cried .', ["He", "We"]),
        ("Roses are red\nAnd I am sad", ["Roses", "And"]),
        ("She thought that Tom\nleft. She and\nMy aunt cried.", ["She", "She"]),  # wrapped, no verse
        ("TOM: I am here.\nANN: You left.", ["TOM", "I", "ANN", "You"]),
        ("He brought three things: Milk and bread.", ["He"]),
    ],
)
def test_capital_positions(text: str, expected: list[str]) -> None:
    words = [
        sentence.words[at]
        for sentence in Story(text).sentences
        for at, word in enumerate(sentence.words)
        if word[:1].isupper() and sentence.is_capital_position(at)
    ]
    assert words == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“It’s late,” he said. He ran.", "He didn’t run."),
        ("It's late. He ran.", "He didn't run."),
        ("It was late. HE RAN.", "HE DIDN'T RUN."),
    ],
)
def test_rewrite_keeps_apostrophe_and_case_style(text: str, expected: str) -> None:
    sentence = Story(text).sentences[-1]
    tokens = (Token("did", "VBD"), Token("n't", "RB"), Token("run", "VB", 1))
    assert apply_edits(text, sentence.rewrite_edits(Rewrite(1, 2, tokens)))[0].endswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dad cried.", "Dad cried."),
        ("Chinese food was cold.", "Chinese food was cold."),
        ("X was good.", "X was good."),
        ("A dog ran.", "a dog ran."),
        ("The dog ran.", "the dog ran."),
        ("A DOG RAN.", "A DOG RAN."),
    ],
)
def test_mid_sentence_text_keeps_necessary_capitals(text: str, expected: str) -> None:
    sentence = Story(text).sentences[0]
    assert sentence.mid_sentence_text(0, len(sentence)) == expected
