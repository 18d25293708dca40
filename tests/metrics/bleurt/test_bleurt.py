"""BLEURT loaded with evaluate, with a tiny checkpoint in the real format."""

from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DistilBertForSequenceClassification,
    RobertaForSequenceClassification,
)

from openmeva.metrics.bleurt.scoring import BleurtScorer
from tests.tiny.bleurt import write_bleurt
from tests.tiny.models import PIECES, tiny_tokenizer

ROOT = Path(__file__).resolve().parents[3]
MODULE = str(ROOT / "metrics" / "bleurt")
STORIES = ["she ran home. she ate.", "the dog slept.", "a cat ate the dog!"]
REFERENCES = ["she ran to the park.", "the cat slept. the dog ate.", "a cat ate the dog!"]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_bleurt(tmp_path_factory.mktemp("bleurt")))


@pytest.fixture(scope="module")
def bleurt(checkpoint: str) -> Any:
    return evaluate.load(MODULE, checkpoint)


def test_scores_do_not_depend_on_batches_or_order(bleurt: Any) -> None:
    whole = bleurt.compute(predictions=STORIES, references=REFERENCES, dtype="float32")
    ones = bleurt.compute(
        predictions=STORIES[::-1], references=REFERENCES[::-1], dtype="float32", batch_size=1
    )
    assert whole["scores"] == pytest.approx(ones["scores"][::-1], abs=1e-5)
    assert whole["score"] == pytest.approx(sum(whole["scores"]) / 3)
    assert len({round(score, 4) for score in whole["scores"]}) == 3


def test_reference_comes_first_with_token_type_0(checkpoint: str) -> None:
    scorer = BleurtScorer(Path(checkpoint))
    ids, types = scorer.pair("the cat slept", "a dog")
    pieces = [PIECES[i] for i in ids]
    assert pieces == ["[CLS]", "the", "cat", "slept", "[SEP]", "a", "dog", "[SEP]"]
    assert types == [0, 0, 0, 0, 0, 1, 1, 1]
    assert len(scorer.pair("the cat " * 30, "a dog")[0]) == 32


def test_best_of_several_references_counts(bleurt: Any) -> None:
    apart = [
        bleurt.compute(predictions=STORIES[:1], references=[r], dtype="float32")["score"] for r in REFERENCES
    ]
    result = bleurt.compute(predictions=STORIES[:1], references=[REFERENCES], dtype="float32")
    assert result["scores"] == pytest.approx([max(apart)], abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"predictions": ["she ate", "\x07"], "references": ["a", "a"]},
            "predictions, row 1: expected a text with",
        ),
        ({"predictions": ["she ate"], "references": ["\x07"]}, "references, row 0: expected a text with"),
        ({"predictions": ["she ate"]}, "references: expected 1"),
        ({"predictions": ["she ate"], "references": ["a"], "batch_size": 0}, "batch_size"),
    ],
)
def test_bad_input_error_names_the_row(bleurt: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bleurt.compute(**arguments)
    assert bleurt.compute(predictions=["she ate"], references=["a"])["scores"]


def test_signature(bleurt: Any) -> None:
    assert "|max_length:32|" in bleurt.signature()


SIZES: dict[str, Any] = {
    "vocab_size": len(PIECES),
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "num_labels": 1,
    "initializer_range": 0.6,
}


def test_sequence_classifiers_of_transformers(tmp_path: Path) -> None:
    """A pair classifier with one output gives the output of transformers; one with two outputs is rejected."""
    config = BertConfig(**SIZES)
    model = BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text(tiny_tokenizer().to_str())
    scorer = BleurtScorer(tmp_path)
    result = scorer.scores(["a dog"], [["the cat slept"]], dtype="float32")
    ids, types = scorer.pair("the cat slept", "a dog")
    with torch.no_grad():
        expected = model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits.item()
    assert result == pytest.approx([expected], abs=1e-5)
    (rounded,) = scorer.scores(["a dog"], [["the cat slept"]], dtype="bfloat16")
    assert rounded == pytest.approx(expected, abs=0.1)
    assert rounded != torch.tensor(rounded).bfloat16().item(), "the last layer stays in float32"
    tensors = load_file(tmp_path / "model.safetensors")
    save_file(
        {k: v for k, v in tensors.items() if k != "classifier.weight"},
        tmp_path / "model.safetensors",
        {"format": "pt"},
    )
    with pytest.raises(ValueError, match="weights of a BertForSequenceClassification, which lack classifier"):
        BleurtScorer(tmp_path)
    config.num_labels = 2
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="one output, got 2"):
        BleurtScorer(tmp_path)


@pytest.mark.parametrize("kind", [RobertaForSequenceClassification, DistilBertForSequenceClassification])
def test_classifiers_without_token_types_read_as_many_tokens_as_they_have_positions(
    kind: Any, tmp_path: Path
) -> None:
    config = kind.config_class(
        **SIZES,
        max_position_embeddings=20,
        type_vocab_size=1,
        pad_token_id=PIECES.index("[PAD]"),
    )
    model = kind(config).eval()
    model.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_text(tiny_tokenizer().to_str())
    scorer = BleurtScorer(tmp_path)
    result = scorer.scores(["a dog", "the cat slept"], [["the cat " * 30], ["a dog"]], dtype="float32")
    for score, (text, reference) in zip(
        result, [("a dog", "the cat " * 30), ("the cat slept", "a dog")], strict=True
    ):
        ids, types = scorer.pair(reference, text)
        assert 1 in types
        with torch.no_grad():
            assert score == pytest.approx(model(torch.tensor([ids])).logits.item(), abs=1e-5)
    longest = len(scorer.pair("the cat " * 30, "a dog")[0])
    assert longest == (20 if kind is DistilBertForSequenceClassification else 19 - config.pad_token_id)


def test_missing_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.json: missing or damaged"):
        BleurtScorer(tmp_path)
