"""Training on a tiny treebank, which is memorised; accuracy of the shipped weights if EWT is available."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from openmeva.training.files import checksum
from openmeva.training.text.tagger.tagging import load_tagger
from openmeva.training.text.tagger.trainer import (
    QuickPerceptron,
    delexicalize_sentences,
    lowercase_sentences,
    main,
    read_ewt,
    round_weights,
)
from tests.papers_data import DATA

TREEBANK = [
    "The/DT dog/NN barks/VBZ ./.",
    "Anna/NNP saw/VBD the/DT dogs/NNS ./.",
    "They/PRP saw/VBD New/NNP York/NNP ./.",
    "A/DT saw/NN cuts/VBZ ./.",
]


def sentences():
    return [[tuple(token.rsplit("/", 1)) for token in line.split()] for line in TREEBANK]


@pytest.fixture
def ewt(tmp_path) -> Path:
    for split in ("train", "test"):
        with gzip.open(tmp_path / f"{split}.jsonl.gz", "wt", encoding="utf-8") as file:
            for sentence in sentences():
                words, tags = zip(*sentence, strict=True)
                file.write(json.dumps({"tokens": words, "xpos": tags}) + "\n")
    return tmp_path


def test_training_memorises_a_small_treebank_deterministically(ewt, capsys):
    state = random.getstate()
    for folder in ("first", "second"):
        main(["--data", str(ewt), "--output", str(ewt / folder), "--threshold", "0"])
    assert "as written:  1.0000" in capsys.readouterr().out
    assert random.getstate() == state, "the global generator is left alone"
    card = (ewt / "first" / "README.md").read_text()
    assert "| as written | 1.0000 |" in card
    assert "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)" in card
    assert checksum(ewt / "train.jsonl.gz") in card
    files = sorted(file.name for file in (ewt / "first").glob("*.json"))
    assert files == [f"averaged_perceptron_tagger_eng.{x}.json" for x in ("classes", "tagdict", "weights")]
    for name in files:
        assert (ewt / "first" / name).read_bytes() == (ewt / "second" / name).read_bytes()
    tagger = load_tagger(ewt / "first")
    assert tagger.tag(["[MALE]", "saw", "the", "dogs", "."])[0] == ("[MALE]", "NNP")
    assert tagger.tag(["anna", "saw", "the", "dogs", "."])[1:4] == [
        ("saw", "VBD"),
        ("the", "DT"),
        ("dogs", "NNS"),
    ]


def test_evaluate_does_not_train(ewt, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--data", str(ewt), "--output", str(ewt / "none"), "--evaluate"])
    assert "none/averaged_perceptron_tagger_eng.weights.json is missing" in capsys.readouterr().err
    assert not (ewt / "none").exists()


def test_lowercased_and_delexicalized_copies():
    assert lowercase_sentences(sentences())[1][0] == ("anna", "NNP")
    changed = delexicalize_sentences(sentences(), np.random.default_rng(1))
    assert len(changed) == 1, "only a proper noun that stands alone is replaced"
    assert changed[0][0][0] in ("[MALE]", "[FEMALE]", "[NEUTRAL]")
    assert changed[0][1:] == sentences()[1][1:]


def test_weights_are_rounded_to_quarters():
    weights = {"b": {"NN": 1.13, "VB": -0.9}, "a": {"NN": 2.9, "DT": 0.2}, "c": {"NN": 0.1}}
    assert round_weights(weights, threshold=0.5) == {"a": {"NN": 3}, "b": {"NN": 1.25, "VB": -1}}
    assert list(round_weights(weights, threshold=0.5)) == ["a", "b"]


def test_quick_perceptron_predicts_as_nltk():
    rng = np.random.default_rng(2)
    labels = ["A", "B", "C", "D"]
    for _ in range(200):
        weights = {
            feature: {label: float(rng.integers(-2, 3)) / 4 for label in labels if rng.random() < 0.5}
            for feature in "uvwxyz"
        }
        quick = QuickPerceptron(weights)
        quick.classes = set(labels)
        features = {feature: 1 for feature in "uvwxyzq" if rng.random() < 0.6}
        assert quick.predict(features) == super(QuickPerceptron, quick).predict(features)


def test_bad_line_is_reported_with_its_number(tmp_path):
    path = tmp_path / "train.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write('{"tokens": ["a"], "xpos": ["DT"]}\n{"tokens": ["a", "b"], "xpos": ["DT"]}\n')
    with pytest.raises(ValueError, match="line 2"):
        read_ewt(path)


@pytest.mark.data
def test_shipped_weights_accuracy_on_the_treebank(capsys):
    main(["--data", str(DATA / "ewt"), "--evaluate"])
    accuracy, lowercase_accuracy = (float(line.split()[-1]) for line in capsys.readouterr().out.splitlines())
    assert accuracy >= 0.93
    assert lowercase_accuracy >= 0.92
