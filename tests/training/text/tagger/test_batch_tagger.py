"""The batched tagger against NLTK's own."""

import numpy as np
import pytest
from nltk.tag.perceptron import PerceptronTagger

from openmeva.training.text.tagger import batch_tagger
from openmeva.training.text.tagger.batch_tagger import BatchTagger
from openmeva.training.text.tagger.tagging import load_tagger

SENTENCES = [
    line.split()
    for line in (
        "when [MALE] got home , he could n't find the keys that his sister had left .",
        "Sarah's well-known uncle bought 12 eggs , 3 kg of flour and a 1995 bottle .",
        "THE DOG RAN !",
        "-START- -START2- -END- -END2-",
        "- -- a-b -a !YEAR !HYPHEN é 日本 ’ ...",
        "go",
    )
] + [[], ["x y", "NN the dog", " "]]


@pytest.fixture(scope="module")
def oracle() -> PerceptronTagger:
    return load_tagger()


@pytest.fixture(scope="module")
def tagger(oracle) -> BatchTagger:
    return BatchTagger(oracle)


def tag_one_by_one(oracle: PerceptronTagger, sentences: list[list[str]]) -> list[list[str]]:
    return [[label for _, label in oracle.tag(words)] for words in sentences]


def test_agrees_with_nltk(oracle, tagger):
    assert tagger.tag(SENTENCES) == tag_one_by_one(oracle, SENTENCES)


def test_agrees_with_nltk_on_random_words(oracle, tagger):
    rng = np.random.default_rng(5)
    vocabulary = [key.split()[-1] for key in list(oracle.model.weights)[::40] if " " in key]
    strange = ["", "q", "-END2-", "zzyzx", "1", "1990"]
    words = [word for word in vocabulary + strange if word]
    sentences = [
        [words[i] for i in rng.integers(len(words), size=size)] for size in rng.integers(0, 25, size=300)
    ]
    assert tagger.tag(sentences) == tag_one_by_one(oracle, sentences)
    assert [tagger.tag([words])[0] for words in sentences] == tag_one_by_one(oracle, sentences)


def test_tags_do_not_depend_on_the_batch(tagger, monkeypatch):
    together = tagger.tag(SENTENCES)
    assert [tagger.tag([words])[0] for words in SENTENCES] == together
    assert tagger.tag(SENTENCES[::-1])[::-1] == together
    monkeypatch.setattr(batch_tagger, "_TOKENS_AT_ONCE", 16)
    assert tagger.tag(SENTENCES) == together


def test_ties_and_unseen_words_are_tagged_as_by_nltk():
    oracle = PerceptronTagger(load=False)
    weights = {"i word a": {"NN": 0.5, "VB": 0.5}, "i word b": {"NN": -0.25}, "i-1 tag VB": {"DT": 1}}
    oracle.decode_json_params((weights, {"fixed": "DT"}, ["DT", "NN", "VB"]))
    sentences = [["a"], ["b"], ["unseen"], ["a", "c"], ["fixed", "a"]]
    assert BatchTagger(oracle).tag(sentences) == tag_one_by_one(oracle, sentences)
    assert BatchTagger(oracle).tag([["a", "c"]]) == [["VB", "DT"]]


def test_inexact_weights_are_refused():
    oracle = PerceptronTagger(load=False)
    oracle.decode_json_params(({"bias": {"NN": 0.3}}, {}, ["NN"]))
    with pytest.raises(ValueError, match="multiples of 1/64"):
        BatchTagger(oracle)
