"""The whole model loaded by transformers gives the metric's scores."""

import json
from pathlib import Path

import evaluate
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.text import Normalizer, split_sentences
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.hub.description import Source, read_description
from openmeva.training.hub.layout import lay_out
from openmeva.training.hub.whole_model import write_whole_model
from openmeva.training.paths import ENCODER, ROOT, STORIES

TEXTS = ["she ran home .", "the dog slept . he did n't walk to the park !", "[FEMALE] ate a cat"]


def test_whole_model_of_tiny_weights_gives_the_metrics_scores(project: Path, tmp_path: Path) -> None:
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
            assert torch.sigmoid(logit).item() == pytest.approx(
                score, abs=2e-3
            )  # tolerance of half precision
    assert max(expected) - min(expected) > 0.05
    again = UnionScorer(load_checkpoint(_with_encoder(folder, project), "union"))
    assert again.score(TEXTS, dtype="float32")[0] == expected


SHIPPED = read_description(ROOT)
WHOLE = [source for source in SHIPPED.of_kind("model") if SHIPPED.has_whole_model(source)]


@pytest.mark.parametrize("source", WHOLE, ids=lambda source: source.name)
def test_a_published_whole_model_gives_its_metrics_scores(source: Source, tmp_path: Path) -> None:
    """On twenty stories as people write them, normalized as the card says."""
    lines = STORIES.read_text(encoding="utf-8").split("\n")[:20]
    stories = [
        " ".join(split_sentences(json.loads(line)["story"])[:3]) for line in lines
    ]  # within one window
    folder = lay_out(source, SHIPPED, tmp_path, "me", "1.0.0", ROOT).folder
    metric = evaluate.load(str(ROOT / "metrics" / source.metric), source.folder.name)
    expected = metric.compute(predictions=stories, dtype="float32")["scores"]
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    settings = json.loads((source.folder / "config.json").read_text(encoding="utf-8"))[source.metric]
    assert tokenizer.model_max_length == settings["max_length"]
    normalize = Normalizer.load(ENCODER / "names.json")
    for story, score in zip(stories, expected, strict=True):
        with torch.inference_mode():
            logit = model(**tokenizer(normalize(story), return_tensors="pt")).logits
        assert torch.sigmoid(logit).item() == pytest.approx(score, abs=2e-3)


def test_weights_with_more_than_one_head_layer_have_no_whole_model(tmp_path: Path) -> None:
    assert {source.name for source in WHOLE} == {"union-roc", "union-wp", "discriminator-roc"}
    mix = next(source for source in SHIPPED.sources if source.name == "plot-coherence-mix")
    folder = lay_out(mix, SHIPPED, tmp_path, "me", "1.0.0", ROOT).folder
    assert (folder / "adapter.safetensors").is_file()
    assert not (folder / "model.safetensors").exists()
    assert "Without the metric" not in (folder / "README.md").read_text(encoding="utf-8")


def _with_encoder(folder: Path, project: Path) -> Path:
    """The published repository, which the metric still reads as an adapter."""
    (folder / "encoder").symlink_to(project / "metrics" / "weights" / "encoder")
    return folder


def test_missing_layer_is_reported(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected a layer 'head' of shape \(1, 16\)"):
        write_whole_model(project / "metrics" / "union" / "weights" / "roc", "union", tmp_path, "head")
