"""Lemmas and forms, pair by pair."""

import pytest

from openmeva.training.text.inflection import inflect, lemma, with_case_of

# Each line: lemma, tag, form. Read one way by `inflect`, the other by `lemma`.
PAIRS = """
go VBD went         go VBN gone         go VBZ goes         go VBG going
see VBD saw         find VBD found      leave VBD left      feel VBD felt
lie VBG lying       lie VBD lay         put VBD put         read VBD read
have VBZ has        have VBD had        do VBZ does         do VBN done
be VBZ is           be VBD was          be VBG being        be VBN been
stop VBG stopping   offer VBD offered   cry VBZ cries       panic VBG panicking
buy VBD bought      think VBD thought   break VBN broken    take VBD took
child NNS children  wife NNS wives      bus NNS buses       foot NNS feet
mouse NNS mice      hero NNS heroes     baby NNS babies     fish NNS fish
good JJR better     good JJS best       bad JJR worse       bad JJS worst
big JJR bigger      happy JJS happiest  little JJR less     little RBS least
much JJR more       much RBS most       late RBR later      badly RBR worse
fast RBR faster     hard RBR harder     dog NN dog          run VB run
"""
TOKENS = PAIRS.split()
CASES = list(zip(TOKENS[::3], TOKENS[1::3], TOKENS[2::3], strict=True))


@pytest.mark.parametrize(("base", "tag", "form"), CASES)
def test_inflect_and_lemma_are_inverse(base, tag, form):
    assert inflect(base, tag) == form
    assert lemma(form, tag) == base


@pytest.mark.parametrize(
    ("word", "tag", "base"),
    [
        ("'m", "VBP", "be"),
        ("'re", "VBP", "be"),
        ("'s", "VBZ", "be"),
        ("'ve", "VBP", "have"),
        ("ca", "MD", "can"),
        ("wo", "MD", "will"),
        ("sha", "MD", "shall"),
        ("'ll", "MD", "will"),
        ("n't", "RB", "not"),
        ("were", "VBD", "be"),
        ("am", "VBP", "be"),
        ("scared", "JJ", "scared"),
        ("running", "NN", "running"),
        ("James", "NNP", "James"),
        ("[MALE]", "NNP", "[MALE]"),
        ("the", "DT", "the"),
        ("", "NN", ""),
    ],
)
def test_lemma(word, tag, base):
    assert lemma(word, tag) == base


@pytest.mark.parametrize(
    ("base", "tag", "form"),
    [
        ("many", "JJR", "more"),
        ("many", "JJS", "most"),
        ("more", "RBR", "more"),
        ("least", "RBS", "least"),
        ("careful", "JJR", "more careful"),
        ("quickly", "RBS", "most quickly"),
        ("thanks", "NNS", "thanks"),
        ("unmake", "VBD", "unmade"),
        ("repaint", "VBG", "repainting"),
        ("the", "DT", "the"),
        ("", "VBD", ""),
    ],
)
def test_inflect(base, tag, form):
    assert inflect(base, tag) == form


@pytest.mark.parametrize(
    ("tag", "subject", "form"),
    [
        ("VBP", "i", "am"),
        ("VBP", "they", "are"),
        ("VBP", "", "are"),
        ("VBD", "we", "were"),
        ("VBD", "i", "was"),
        ("VBD", "", "was"),
        ("VBZ", "she", "is"),
    ],
)
def test_be_agrees_with_its_subject(tag, subject, form):
    assert inflect("be", tag, subject) == form


def test_case_is_kept():
    assert (lemma("Went", "VBD"), inflect("Go", "VBD"), inflect("GO", "VBD")) == ("Go", "Went", "WENT")
    assert (inflect("Be", "VBP", "i"), inflect("I", "PRP")) == ("Am", "I")
    assert [with_case_of(model, "bad") for model in ("good", "Good", "GOOD", "A", "'s", "")] == [
        *("bad", "Bad", "BAD", "Bad", "bad", "bad")
    ]
