"""Tags on sentences a person can check, the errors, and plain NLTK with the same weights."""

import os
import shutil

import nltk
import pytest

from openmeva.training.text.tagger.tagging import TAGGER_FOLDER, load_tagger, tag

GOLDEN = [
    ("[MALE] did n't like the red shoes .", "NNP VBD RB VB DT JJ NNS ."),
    ("the children were playing in the park .", "DT NNS VBD VBG IN DT NN ."),
    ("[FEMALE] has broken her arm .", "NNP VBZ VBN PRP$ NN ."),
    ("They wo n't go to Boston tomorrow .", "PRP MD RB VB TO NNP NN ."),
    ("she quickly ran home because it was raining .", "PRP RB VBD RB IN PRP VBD VBG ."),
    ("he is taller than his older brother .", "PRP VBZ JJR IN PRP$ JJR NN ."),
]


@pytest.mark.parametrize(("sentence", "expected"), GOLDEN)
def test_golden_sentences(sentence, expected):
    tags = tag([sentence.split()])[0]
    # "to" before a place is TO in the treebank of newspapers and IN in the one of the web.
    assert [
        t.replace("IN", "TO") if w == "to" else t for w, t in zip(sentence.split(), tags, strict=True)
    ] == (expected.split())


def test_placeholders_are_always_proper_nouns():
    for name in ("[MALE]", "[FEMALE]", "[NEUTRAL]"):
        sentences = [[name], ["the", name, "ran"], ["to", name], ["very", name, "!"]]
        for words, tags in zip(sentences, tag(sentences), strict=True):
            assert tags[words.index(name)] == "NNP"


def test_empty_input():
    assert tag([]) == []
    assert tag([[], ["a"], []]) == [[], ["DT"], []]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["a story"], "sentence 0: expected a list of tokens"),
        ([["a"], ["b", ""]], "sentence 1, token 1: expected a non-empty string"),
        ([["a", 3]], "sentence 0, token 1: .* got 3"),
        ([["a", None]], "sentence 0, token 1: .* got None"),
    ],
)
def test_bad_input_is_refused(sentences, message):
    with pytest.raises(ValueError, match=message):
        tag(sentences)


def test_missing_weights_error_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"weights\.json is missing.*training.text.tagger"):
        load_tagger(tmp_path)


def test_plain_nltk_uses_the_shipped_weights(tmp_path, monkeypatch):
    # A private copy: NLTK refuses group-writable folders, and a checkout may be one.
    for folder in (tmp_path, tmp_path / "taggers", tmp_path / "taggers" / TAGGER_FOLDER.name):
        folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o755)
    for file in TAGGER_FOLDER.iterdir():
        shutil.copyfile(file, tmp_path / "taggers" / TAGGER_FOLDER.name / file.name)
        os.chmod(tmp_path / "taggers" / TAGGER_FOLDER.name / file.name, 0o644)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    words = GOLDEN[0][0].split() + GOLDEN[1][0].split()
    assert [t for _, t in nltk.pos_tag(words)] == tag([words])[0]
