"""The distributions' settings."""

import pytest
import yaml

from openmeva.training.common.config import parse
from openmeva.training.negatives import UnionSampling


def test_defaults_are_the_papers_values():
    sampling = UnionSampling()
    assert sampling.counts == (0.5, 0.2, 0.2, 0.1)
    assert sampling.weights() == {"repetition": 0.1, "substitution": 0.3, "reordering": 0.4, "negation": 0.2}
    assert (sampling.keyword_share, sampling.ngram_max, sampling.sentence_level) == (0.15, 4, 0.5)


def test_from_yaml():
    values = yaml.safe_load("keep: 0\nwithout: [reordering]\ncounts: [1.0]\n")
    sampling = parse(UnionSampling, values)
    assert sampling == UnionSampling(keep=0, without=("reordering",), counts=(1.0,))
    assert list(sampling.weights()) == ["repetition", "substitution", "negation"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kep": 1}, "unknown key kep"),
        ({"without": ["shuffling"]}, "got 'shuffling'"),
        ({"techniques": {"shuffling": 1.0}}, "got 'shuffling'"),
        ({"counts": [0.5, 0.2]}, "counts: expected non-negative numbers that sum to 1"),
        ({"techniques": {"negation": 0.5}}, "techniques: expected non-negative"),
        ({"counts": [0.2] * 5}, "counts: expected 1 to 4 numbers, got 5"),
        ({"without": ["repetition", "substitution", "reordering", "negation"]}, "at least one"),
        ({"sentence_level": 1.5}, "sentence_level: expected a number in 0 .. 1, got 1.5"),
        ({"keyword_share": 0}, "keyword_share"),
        ({"keep": -1}, "keep: expected 0 or more, got -1"),
        ({"ngram_max": 0}, "ngram_max"),
        ({"ngram_max": 2.5}, "ngram_max: input should be a valid integer, got 2.5"),
        ({"keep": "1"}, "keep: input should be a valid integer, got '1'"),
        ({"contraction": "often"}, "contraction: input should be a valid number, got 'often'"),
        ({"counts": ["half", 0.5]}, "counts.0: input should be a valid number"),
        ({"counts": 1.0}, "counts: input should be a valid array"),
        ({"without": "reordering"}, "without: input should be a valid array"),
        ({"recipe": "code"}, "recipe: expected one of paper, released, got 'code'"),
        ({"lexicon": "wikipedia"}, "lexicon: expected one of wordnet, conceptnet"),
    ],
)
def test_bad_values_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        parse(UnionSampling, values)
