"""A semantic-role labeller's spans as a plot; the model is tiny and has fixed outputs."""

from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForTokenClassification, BertTokenizer

from openmeva.training.plot_guided.plots import extract_plots
from openmeva.training.plot_guided.plots.semantic_roles import role_spans
from openmeva.training.text.tagged_story import TaggedStory
from tests.tiny.models import PIECES

LABELS = ["O", "B-V", "B-ARG0", "I-ARG0"]
ROLES = {"the": "B-ARG0", "dog": "I-ARG0", "ran": "B-V"}


def write_labeller(folder: Path, labels: list[str]) -> Path:
    """A model that labels each word without context: its embeddings point to the labels, its layers add nothing."""
    config = BertConfig(
        vocab_size=len(PIECES), hidden_size=4, num_hidden_layers=0, num_attention_heads=1, intermediate_size=4,
        id2label=dict(enumerate(labels)), label2id={label: i for i, label in enumerate(labels)},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.bert.embeddings.LayerNorm.weight.fill_(1.0)
        for index, piece in enumerate(PIECES):
            role = ROLES.get(piece, "O")
            model.bert.embeddings.word_embeddings.weight[index, LABELS.index(role)] = 1.0
        model.classifier.weight.copy_(torch.eye(4))
    model.save_pretrained(folder)
    BertTokenizer(vocab={piece: i for i, piece in enumerate(PIECES)}).save_pretrained(folder)
    return folder


def test_role_spans_of_bio_labels() -> None:
    assert role_spans(["O", "B-ARG0", "I-ARG0", "B-ARG0", "I-V", "O"]) == [(1, 3), (3, 4), (4, 5)]


def test_plot_consists_of_role_spans(tmp_path: Path) -> None:
    folder = write_labeller(tmp_path, LABELS)
    story = TaggedStory(
        [["the", "dog", "ran", "home"], ["the", "cat"]], [["DT", "NN", "VBD", "NN"], ["DT", "NN"]]
    )
    assert extract_plots([story], f"srl:{folder}", 0) == [[["the dog", "ran"], []]]


def test_model_with_other_labels_is_refused(tmp_path: Path) -> None:
    folder = write_labeller(tmp_path, ["POS", "NEG", "X", "Y"])
    with pytest.raises(ValueError, match="B-ARG0"):
        extract_plots([], f"srl:{folder}", 0)
