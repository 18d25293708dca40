"""The trainer of story classifiers learns, resumes to the same weights, and computes the documented loss."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import (
    LongformerConfig,
    LongformerModel,
    RobertaConfig,
    RobertaModel,
)

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.text import Normalizer
from openmeva.training.classifier import results
from openmeva.training.classifier import trainer as classifier
from openmeva.training.classifier.card import write_classifier_card
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.data import UNKNOWN, ExampleMaker, GroupCollator, GroupDataset
from openmeva.training.classifier.losses import TEACHER_DEVIATION, classifier_loss
from openmeva.training.classifier.model import build_classifier
from openmeva.training.classifier.results import predict
from openmeva.training.common import backbone
from openmeva.training.common import trainer as common
from openmeva.training.common.config import parse
from openmeva.training.negatives.groups import GroupRow
from tests.killing import interrupt_at_call
from tests.tiny.groups import rows
from tests.tiny.models import tiny_model, tiny_tokenizer, write_byte_tokenizer, write_encoder, write_gpt2

CONFIG: dict[str, Any] = {
    "metric": "plot_coherence",
    "name": "tiny",
    "adapter": {"rank": 4, "alpha": 8},
    "max_length": 64,
    "group_size": 3,
    "batch_groups": 4,
    "epochs": 6,
    "learning_rate": 1e-2,
    "warmup_share": 0.1,
    "seed": 7,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    return tmp_path


def configuration(**changes: Any) -> ClassifierConfig:
    return parse(ClassifierConfig, {**CONFIG, **changes})


def train(folder: Path, name: str, resume: bool = False, **changes: Any) -> dict[str, Any]:
    config = configuration(**changes)
    return classifier.train_classifier(
        config, rows(), rows()[:12], folder / name, folder / f"run-{name}", {"data": {}}, resume
    )


def test_classifier_learns_and_the_metric_loads_it(folder: Path) -> None:
    manifest = train(folder, "once", epochs=8)
    assert manifest["validation"]["sentence_swap"]["auc"] > 0.9
    assert manifest["validation"]["sentence_swap"]["stories"] == 8
    scorer = ClassifierScorer(load_checkpoint(folder / "once", "plot_coherence"))
    good, worse = rows()[0].story, rows()[2].story
    scores, explanations = scorer.score([good, worse], dtype="float32", explain=True)
    assert scores[0] > 0.5 > scores[1]
    assert explanations is not None
    assert all(0 <= value <= 1 for value in explanations[1]["error_types"].values())
    write_classifier_card(folder / "once", manifest)
    card = (folder / "once" / "README.md").read_text()
    assert f"| sentence swap | {manifest['validation']['sentence_swap']['auc']:.3f} |" in card


def test_weights_of_the_same_configuration_and_rows_are_reused(folder: Path) -> None:
    provenance: dict[str, Any] = {"data": {}}
    config = configuration(epochs=1)
    out = folder / "known"
    assert classifier.matching_classifier(config, provenance, out) is None
    manifest = train(folder, "known", epochs=1)
    assert classifier.matching_classifier(config, provenance, out) == json.loads(json.dumps(manifest))
    assert classifier.matching_classifier(config, {"data": {"rows.parquet": "0" * 64}}, out) is None
    assert classifier.matching_classifier(configuration(epochs=2), provenance, out) is None
    (out / "adapter.safetensors").write_bytes(b"damaged")
    assert classifier.matching_classifier(config, provenance, out) is None


def test_interrupted_run_resumes_to_the_same_weights(folder: Path) -> None:
    uninterrupted = train(folder, "whole", epochs=2)
    with interrupt_at_call(classifier.ClassifierTrainer, "compute_loss", 6):
        train(folder, "stopped", epochs=2)
    assert any((folder / "run-stopped").glob("checkpoint-*"))
    manifest = train(folder, "stopped", epochs=2, resume=True)
    assert manifest["resumed"]
    assert "groups_per_second" in uninterrupted
    assert "resumed" not in uninterrupted
    assert "groups_per_second" not in manifest, "the rate of the last part would be too high"
    whole, stopped = (load_file(folder / name / "adapter.safetensors") for name in ("whole", "stopped"))
    assert all(torch.equal(whole[name], stopped[name]) for name in whole)


def test_whole_model_is_saved_without_an_adapter(folder: Path) -> None:
    train(folder, "full", adapter=None, epochs=1, learning_rate=1e-3)
    scorer = ClassifierScorer(load_checkpoint(folder / "full", "plot_coherence"))
    scores, _ = scorer.score([rows()[0].story], dtype="float32")
    assert 0 <= scores[0] <= 1


def write_hub_model(folder: Path, kind: str) -> Path:
    """A tiny RoBERTa or Longformer with its byte-level tokenizer, in the Hub's format."""
    shape = {
        "vocab_size": write_byte_tokenizer(folder, (row.story for row in rows())),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 66,
        "pad_token_id": 1,
        "initializer_range": 0.5,
    }
    torch.manual_seed(0)
    if kind == "longformer":
        LongformerModel(LongformerConfig(**shape, attention_window=[8, 8])).save_pretrained(folder)
    else:
        RobertaModel(RobertaConfig(**shape)).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", ["roberta", "longformer"])
def test_paper_encoders_keep_their_weights_and_score_as_trained(folder: Path, kind: str) -> None:
    base = write_hub_model(folder / kind, kind)
    model, tokenizer, encoder = build_classifier(configuration(base=str(base), adapter=None))
    assert not encoder.is_shared
    assert model.bert.config.model_type == kind
    start = load_file(base / "model.safetensors")
    for name, tensor in model.bert.state_dict().items():
        if name in start and "word_embeddings" not in name:
            assert torch.equal(tensor, start[name]), name
    words = start["embeddings.word_embeddings.weight"]
    assert torch.equal(model.bert.get_input_embeddings().weight[: len(words)], words)
    train(folder, "full", base=str(base), adapter=None, epochs=1, learning_rate=1e-4)
    scorer = ClassifierScorer(load_checkpoint(folder / "full", "plot_coherence"))
    assert scorer.model.bert.config.model_type == kind
    stories = [row.story for row in rows()[:5]] + ["[MALE] ate the cat . [FEMALE] did n't ."]
    make = ExampleMaker(tokenizer, Normalizer(), 64)
    examples = [make(GroupRow("g", story, "human", 1)) for story in stories]
    prepared = scorer.prepare(stories, None)
    for example, story in zip(examples, prepared, strict=True):
        inner = [token for sentence in story.tokens for token in sentence]
        assert example.ids == [scorer.special_tokens.start, *inner, scorer.special_tokens.end], (
            "read as in training"
        )
    logits = torch.tensor(predict(scorer.model, examples, scorer.special_tokens.padding, batch_size=2))
    scores, _ = scorer.score(stories, dtype="float32")
    assert torch.allclose(torch.sigmoid(logits), torch.tensor(scores), atol=1e-3)
    assert len({round(score, 5) for score in scores}) > 3


def test_hub_decoder_scores_at_its_last_token_and_is_saved_whole(folder: Path) -> None:
    base = write_gpt2(folder / "gpt2", (row.story for row in rows()))
    manifest = train(folder, "decoder", base=str(base), epochs=8)
    assert manifest["validation"]["all"]["auc"] > 0.8
    saved = load_file(folder / "decoder" / "model.safetensors")
    assert not [name for name in saved if "lora" in name or "base_layer" in name]
    start = load_file(base / "model.safetensors")
    name = "h.0.attn.c_attn.weight"
    assert not torch.allclose(saved[f"bert.{name}"].float(), start[f"transformer.{name}"], atol=1e-3), (
        "merged"
    )
    scorer = ClassifierScorer(load_checkpoint(folder / "decoder", "plot_coherence"))
    stories = [row.story for row in rows()[:5]] + ["[MALE] ate the cat . [FEMALE] did n't ."]
    make = ExampleMaker(scorer.tokenizer, Normalizer(), 64)
    examples = [make(GroupRow("g", story, "human", 1)) for story in stories]
    for example, story in zip(examples, scorer.prepare(stories, None), strict=True):
        inner = [token for sentence in story.tokens for token in sentence]
        assert example.ids == [scorer.special_tokens.start, *inner, scorer.special_tokens.end], (
            "read as in training"
        )
    scores, _ = scorer.score(stories, dtype="float32")
    with torch.no_grad():  # one by one, so nothing is padded
        for example, score in zip(examples, scores, strict=True):
            hidden = scorer.model.bert(torch.tensor([example.ids])).last_hidden_state
            logit = scorer.model.classifier(hidden[:, -1])
            assert score == pytest.approx(torch.sigmoid(logit).item(), abs=1e-4)


def test_dropout_applies_to_heads_and_encoder_layers_only_in_training(folder: Path) -> None:
    model, tokenizer, _ = build_classifier(configuration(dropout=0.4))
    rates = {module.p for module in model.bert.modules() if isinstance(module, torch.nn.Dropout)}
    assert 0.4 in rates
    assert model.dropout.p == 0.4
    ids = torch.tensor([ExampleMaker(tokenizer, Normalizer(), 64)(rows()[0]).ids])
    mask = torch.ones_like(ids)
    model.train()
    torch.manual_seed(1)
    assert not torch.equal(model(ids, mask), model(ids, mask))
    train(folder, "dropped", epochs=1, dropout=0.4)
    scorer = ClassifierScorer(load_checkpoint(folder / "dropped", "plot_coherence"))
    first, again = (scorer.score([rows()[0].story], dtype="float32")[0] for _ in range(2))
    assert first == again


def test_loss_is_the_weighted_sum_of_its_terms(folder: Path) -> None:
    weights = {"rank_weight": 0.7, "error_type_weight": 0.2, "token_weight": 0.3, "distillation_weight": 0.4}
    config = configuration(**weights)
    model, tokenizer, _ = build_classifier(config)
    model.eval()
    make = ExampleMaker(tokenizer, Normalizer(), 64)
    teacher_logits = (1.2, None, -0.7)
    group = [
        make(replace(row, teacher_logit=value)) for row, value in zip(rows()[:3], teacher_logits, strict=True)
    ]
    inputs = GroupCollator(0)([group])
    with torch.no_grad():
        loss, logits = classifier_loss(model, inputs, config)
        hidden = model.encode(inputs["input_ids"], inputs["attention_mask"])
        kinds, tokens = model.error_type_logits(hidden), model.token_logits(hidden)

    def entropy(logit: Any, target: float) -> float:
        p = 1 / (1 + math.exp(-float(logit)))
        return -math.log(p if target else 1 - p)

    story_logits = logits.tolist()
    label = (2 * entropy(story_logits[0], 1) + entropy(story_logits[1], 0) + entropy(story_logits[2], 0)) / 3
    ranks = [math.log1p(math.exp(story_logits[b] - story_logits[a])) for a, b in ((0, 1), (0, 2), (1, 2))]
    kind = [entropy(kinds[i, k], e.error_types[k]) for i, e in enumerate(group) for k in range(4)]
    token = [
        entropy(tokens[i, t], target)
        for i, e in enumerate(group)
        for t, target in enumerate(e.token_labels)
        if target != UNKNOWN
    ]
    expected = label + 0.7 * sum(ranks) / 3 + 0.2 * sum(kind) / len(kind) + 0.3 * sum(token) / len(token)
    for student_logits in (
        story_logits,
        [float(tokens[i, 1 : len(e.ids) - 1].mean()) for i, e in enumerate(group)],
    ):
        expected += (
            0.4 * sum((student_logits[i] - TEACHER_DEVIATION * teacher_logits[i]) ** 2 for i in (0, 2)) / 2
        )
    assert float(loss) == pytest.approx(expected, abs=1e-4)


def test_results_count_each_human_story_once_despite_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three human-written stories, two of which score the same: each counts in the area under the curve."""
    make = ExampleMaker(tiny_tokenizer(), Normalizer(), 64)
    scores = [1.0, 0.0, 0.0, 1.0, 0.0, -2.0, 3.0]
    human = [GroupRow(str(g), "she ran .", "human", 1, 0) for g in range(3)]
    worse = [GroupRow(str(g), "she ate .", "x", 0, 1) for g in range(3)]
    pairs = [human[0], worse[0], replace(worse[0], story="he ate ."), human[1], worse[1], human[2], worse[2]]
    monkeypatch.setattr(results, "predict", lambda model, examples, padding: scores)
    measured = results.results_by_source(None, GroupDataset(pairs, make, 9, 1, 0), 0)["x"]
    human_scores, other_scores = [1.0, 1.0, -2.0], [0.0, 0.0, 0.0, 3.0]
    expected = sum(a > c for a in human_scores for c in other_scores) / 12
    assert measured == {"auc": pytest.approx(expected), "ranked": pytest.approx(3 / 4), "stories": 4}


def test_predicted_logits_have_float32_precision(folder: Path) -> None:
    model, tokenizer, _ = build_classifier(configuration())
    make = ExampleMaker(tokenizer, Normalizer(), 64)
    examples = [make(row) for row in rows()[:4]]
    with torch.no_grad():
        expected = [float(model(torch.tensor([e.ids]), torch.ones(1, len(e.ids)).long())) for e in examples]
    assert predict(model, examples, 0) == pytest.approx(expected, abs=1e-5)


def test_results_are_computed_in_float32_after_bfloat16_training(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After training, `forward` is accelerate's, which would round the last layer's logits."""
    dtypes: set[torch.dtype] = set()
    predict_unpatched = results.predict

    def predict_recording_dtype(model: Any, *arguments: Any) -> list[float]:
        with model.classifier.register_forward_hook(lambda *hook: dtypes.add(hook[2].dtype)):
            return predict_unpatched(model, *arguments)

    monkeypatch.setattr(results, "predict", predict_recording_dtype)
    monkeypatch.setattr(common, "choose_dtype", lambda *_: torch.bfloat16)
    train(folder, "rounded", epochs=1)
    assert dtypes == {torch.float32}


def test_run_with_another_configuration_is_not_resumed(folder: Path) -> None:
    train(folder, "one", epochs=1)
    with pytest.raises(ValueError, match=r"config.rank_weight: 1.0, not 0.5"):
        train(folder, "one", epochs=1, rank_weight=0.5, resume=True)
