"""ROC's storylines, case by case."""

import numpy as np

from openmeva.training.plot_guided.plots import storyline

RNG = np.random.default_rng(0)


def phrases(text: str) -> list[str]:
    return storyline([text.split()], None, RNG)[0]


def test_stop_words_and_punctuation_split_phrases() -> None:
    assert phrases("the lonely sailor repaired , painted the boat .") == ["painted"]  # "boat" is short
    assert phrases("she visited a distant lighthouse") == ["visited", "distant lighthouse"]


def test_three_letter_words_split_phrases() -> None:
    assert phrases("hungry dog barked") == ["hungry", "barked"]


def test_phrases_of_three_words_and_short_ones_are_dropped() -> None:
    assert phrases("seven hungry sailors waited") == []
    assert phrases("the boat") == []


def test_repeated_phrase_is_dropped() -> None:
    plot = storyline(
        [["the", "lighthouse"], ["the", "lighthouse", "burned"], ["lighthouse", "and", "fire", "alarm"]],
        None,
        RNG,
    )
    assert plot == [["lighthouse"], ["lighthouse burned"], ["fire alarm"]]


def test_sentence_without_phrases_gets_one_of_its_nouns_or_verbs() -> None:
    sentence = [["he", "ran", "to", "his", "cat", "."]]
    tags = [["PRP", "VBD", "TO", "PRP$", "NN", "."]]
    found = {storyline(sentence, tags, np.random.default_rng(seed))[0][0] for seed in range(20)}
    assert found == {"ran", "cat"}


def test_name_placeholders_are_words() -> None:
    assert phrases("[FEMALE] baked a cake") == ["[FEMALE] baked"]


def test_any_punctuation_splits_phrases() -> None:
    assert phrases("sailors -- lighthouse @ harbor # painted - repaired") == [
        "sailors",
        "lighthouse",
        "harbor",
        "painted",
        "repaired",
    ]
    assert phrases("23rd street") == ["23rd street"]
