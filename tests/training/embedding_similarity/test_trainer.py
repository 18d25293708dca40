"""The adapter of embedding similarity learns its teacher's states, and the metric loads it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from openmeva.metrics.embedding_similarity.scoring import BERT_SCORES
from openmeva.training.common import backbone
from openmeva.training.common import trainer as common
from openmeva.training.common.adapters import low_rank_difference
from openmeva.training.common.config import as_mapping, parse
from openmeva.training.embedding_similarity import baseline, trainer
from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.embedding_similarity.losses import relative_error
from openmeva.training.embedding_similarity.model import build_models
from openmeva.training.embedding_similarity.trainer import agreement
from openmeva.training.paths import ROOT
from tests.tiny.models import PIECES, tiny_model, write_encoder

NAMES = ["john", "mary", "alex"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stories, a tiny encoder, and a tiny base with other layers and a larger vocabulary."""
    encoder = tiny_model()
    write_encoder(tmp_path / "encoder", encoder)
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    pieces = [*NAMES, *reversed([p for p in PIECES if p not in ("[MALE]", "[FEMALE]", "[NEUTRAL]")])]
    BertTokenizer(vocab={p: i for i, p in enumerate(pieces)}, do_lower_case=True).save_pretrained(
        tmp_path / "base"
    )
    base = BertForMaskedLM(BertConfig.from_dict({**encoder.config.to_dict(), "vocab_size": len(pieces)}))
    torch.manual_seed(5)
    state = {
        name: tensor + torch.randn_like(tensor) * 0.4 * (".layer." in name)
        for name, tensor in encoder.bert.state_dict().items()
    }
    stand_ins = dict(zip(NAMES, ("[MALE]", "[FEMALE]", "[NEUTRAL]"), strict=True))
    rows = [PIECES.index(stand_ins.get(piece, piece)) for piece in pieces]
    state["embeddings.word_embeddings.weight"] = state["embeddings.word_embeddings.weight"][rows]
    base.bert.load_state_dict(state, strict=False)
    base.save_pretrained(tmp_path / "base")
    stories = [
        f"{a} ran home . {a} ate {b} . {c} slept {mark}"
        for a in ("she", "the dog", "tom")
        for b in ("the cat", "a dog", "home")
        for c in ("he", "rose")
        for mark in (".", "!")
    ]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in stories))
    held_out = [f"not {s} {s} {s}" for s in stories[:12]]
    (tmp_path / "held_out.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in held_out))
    return tmp_path


def configuration(data: Path) -> SimilarityConfig:
    values = {
        "name": "tiny",
        "teacher": str(data / "base"),
        "corpora": {
            "one": {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"], "delexicalize": True}
        },
        "block_words": [60, 6],
        "blocks_per_story": 2,
        "texts": 80,
        "validation_texts": 20,
        "baseline_pairs": 4,
        "adapter": {"rank": 4, "alpha": 8},
        "max_length": 32,
        "batch": 4,
        "learning_rate": 3e-3,
        "warmup_share": 0.0,
        "seed": 2,
    }
    return parse(SimilarityConfig, values)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"block_words": [6]}, "two different held-out texts of more than 30 words, for the baseline, got 0"),
        ({"max_length": 1024}, "max_length: expected 512 or less"),
    ],
)
def test_settings_are_checked_before_weights_are_replaced(
    data: Path, changes: dict[str, Any], message: str
) -> None:
    config = parse(SimilarityConfig, {**as_mapping(configuration(data)), **changes})
    with pytest.raises(ValueError, match=message):
        trainer.train(config, data, data / "weights", data / "run")
    assert not (data / "weights").exists()


def test_teacher_has_the_shape_of_the_base(data: Path) -> None:
    record = data / "base" / "config.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"num_hidden_layers": 9}))
    with pytest.raises(ValueError, match="teacher: expected the width and layers of base"):
        build_models(configuration(data))


def test_training_reduces_the_error_and_the_metric_loads_the_result(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair_counts: list[int] = []

    def fake_baseline(scorer: Any, stories: list[str], pairs: int, seed: int) -> dict[str, Any]:
        pair_counts.append(pairs)  # the baseline is tested separately
        return {"2": dict.fromkeys(BERT_SCORES, 0.25)}

    monkeypatch.setattr(baseline, "baseline", fake_baseline)
    out = data / "weights"
    manifest = trainer.train(configuration(data), data, out, data / "run")
    errors = [manifest["validation"][stage]["error"] for stage in ("encoder", "decomposition", "trained")]
    assert errors[2] < errors[1] < errors[0], (
        "the decomposition reduces the error, and training reduces it further"
    )
    assert pair_counts == [4]
    card = (out / "README.md").read_text()
    assert manifest["data"]["stories.jsonl"] in card
    assert "{" not in card.split("```bibtex")[0]
    (out / "encoder").symlink_to(data / "encoder")
    metric = evaluate.load(str(ROOT / "metrics" / "embedding_similarity"), str(out))
    options = {"predictions": ["She ran."], "references": ["He ate."], "scores": "bertscore_f1"}
    plain = metric.compute(**options)["bertscore_f1"]
    rescaled = metric.compute(**options, rescale_with_baseline=True)["bertscore_f1"]
    assert rescaled == pytest.approx((plain - 0.25) / 0.75)


def test_agreement_is_computed_in_float32_after_bfloat16_training(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dtypes: set[torch.dtype] = set()

    def agreement_recording_dtype(student: Any, *arguments: Any) -> dict[str, float]:
        layer = student.bert.encoder.layer[0].attention.self.query
        with layer.register_forward_hook(lambda *hook: dtypes.add(hook[2].dtype)):
            return agreement(student, *arguments)

    monkeypatch.setattr(trainer, "agreement", agreement_recording_dtype)
    monkeypatch.setattr(trainer, "write_baseline", lambda *_: {})
    monkeypatch.setattr(common, "choose_dtype", lambda *_: torch.bfloat16)
    trainer.train(configuration(data), data, data / "weights", data / "run")
    assert dtypes == {torch.float32}


def test_too_few_texts_are_reported_before_the_training(data: Path) -> None:
    few = replace(configuration(data), block_words=(60, 8), texts=1)
    with pytest.raises(
        ValueError, match=r"expected at least 2 texts to train on, got 0 of the lengths \[60, 8\]"
    ):
        trainer.train(few, data, data / "weights", data / "run")
    with pytest.raises(ValueError, match="expected at least 3 texts held out, got 2"):
        trainer.train(replace(few, texts=8, validation_texts=2), data, data / "weights", data / "run")
    assert not (data / "weights").exists()


def test_low_rank_difference_is_the_best_approximation() -> None:
    torch.manual_seed(1)
    name = "bert.encoder.layer.0.output.dense"
    target = {f"{name}.weight": torch.randn(5, 3), f"{name}.bias": torch.randn(5)}
    state = {f"{name}.weight": torch.randn(5, 3), f"{name}.bias": torch.randn(5), "other": torch.ones(1)}
    for rank in (3, 1):
        factors, vectors = low_rank_difference(target, state, rank)
        product = factors[f"{name}.lora_B"] @ factors[f"{name}.lora_A"]
        remainder = (state[f"{name}.weight"] + product - target[f"{name}.weight"]).norm()
        values = torch.linalg.svdvals(target[f"{name}.weight"] - state[f"{name}.weight"])
        assert float(remainder) == pytest.approx(float(values[rank:].norm()), abs=1e-5)
        assert vectors == {f"{name}.bias": target[f"{name}.bias"]}


def test_teacher_equals_the_base_model_on_the_encoder_vocabulary(data: Path) -> None:
    _, teacher, tokenizer, _ = build_models(configuration(data))
    base = BertForMaskedLM.from_pretrained(data / "base").eval()
    vocabulary = BertTokenizer.from_pretrained(data / "base").get_vocab()
    encoding = tokenizer.encode("the dog ate . [MALE] slept !")
    base_ids = [vocabulary["john" if token == "[MALE]" else token] for token in encoding.tokens]
    with torch.no_grad():
        states = teacher(torch.tensor([encoding.ids])).last_hidden_state
        expected = base.bert(torch.tensor([base_ids])).last_hidden_state
        assert states == pytest.approx(expected.numpy(), abs=1e-5)


def test_error_is_zero_for_equal_states(data: Path) -> None:
    _, teacher, tokenizer, _ = build_models(configuration(data))

    class Same(torch.nn.Module):
        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return teacher(input_ids, attention_mask=attention_mask).last_hidden_state

    rows = [tokenizer.encode(text).ids for text in ("she ran", "she ate the cat", "the dog slept !")]
    measured = agreement(Same(), teacher, rows)  # type: ignore[arg-type]
    assert measured == {"error": 0.0, "cosine": 1.0, "bertscore_pearson": 1.0}
    states, target = torch.zeros(1, 2, 3), torch.tensor([[[1.0, 0, 0], [9.0, 9, 9]]])
    assert float(relative_error(states, target, torch.tensor([[1, 0]]))) == 1.0, "padding does not count"
