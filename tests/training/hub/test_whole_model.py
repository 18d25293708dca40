"""The whole model that transformers loads says what the metric says."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import lay_out
from openmeva.training.hub.whole_model import write_whole_model

TEXTS = ["she ran home .", "the dog slept . he did n't walk to the park !", "[FEMALE] ate a cat"]


def test_the_logit_is_the_metrics(project: Path, tmp_path: Path) -> None:
    description = read_description(project)
    source = next(s for s in description.sources if s.name == "union-roc")
    folder = lay_out(source, description, tmp_path, "me", "1.0.0", project).folder
    scorer = UnionScorer(load_checkpoint(source.folder, "union"))
    expected, _ = scorer.score(TEXTS, dtype="float32")
    model, info = AutoModelForSequenceClassification.from_pretrained(folder, output_loading_info=True)
    assert not info["missing_keys"]
    assert not info["unexpected_keys"]
    model.eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert model.dtype == torch.float32
    with torch.inference_mode():
        for text, score in zip(TEXTS, expected, strict=True):
            logit = model(**tokenizer(text, return_tensors="pt")).logits
            assert torch.sigmoid(logit).item() == pytest.approx(score, abs=2e-3)  # half precision's worth
    assert max(expected) - min(expected) > 0.05
    again = UnionScorer(load_checkpoint(_with_encoder(folder, project), "union"))
    assert again.score(TEXTS, dtype="float32")[0] == expected


def _with_encoder(folder: Path, project: Path) -> Path:
    """The published repository, which the metric still reads as an adapter."""
    (folder / "encoder").symlink_to(project / "metrics" / "weights" / "encoder")
    return folder


def test_a_layer_that_is_not_there_is_named(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a layer 'head' of shape \(1, 16\)"):
        write_whole_model(project / "metrics" / "union" / "weights" / "roc", "union", tmp_path, "head")
