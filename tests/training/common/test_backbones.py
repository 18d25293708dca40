"""Encoders of other architectures train and score four metrics; only the configuration changes."""

import json
from pathlib import Path

import pytest
from safetensors.torch import load_file

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import SimilarityScorer
from openmeva.metrics.ruber_bert.scoring import RuberScorer
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training import paths
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.model import build_classifier, check_frozen_layers, freeze
from openmeva.training.classifier.trainer import train_classifier
from openmeva.training.common import backbone
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.config import parse
from openmeva.training.common.perplexity import load_perplexity
from openmeva.training.embedding_similarity import trainer as similarity
from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.ruber_bert import trainer as ruber
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from tests.tiny.backbones import STORIES, write_backbone
from tests.tiny.models import tiny_model, write_bart, write_encoder
from tests.tiny.ppl import write_ppl_checkpoint


@pytest.mark.parametrize(("kind", "lost"), [("bert", 0), ("roberta", 2), ("mpnet", 2), ("longformer", 2)])
def test_texts_are_at_most_as_long_as_the_positions(tmp_path: Path, kind: str, lost: int) -> None:
    base = find_backbone(str(write_backbone(tmp_path, kind)))
    longest = base.config.max_position_embeddings - lost
    base.check_length(max_length=longest)
    with pytest.raises(ValueError, match=f"^window: expected {longest} or less, .* got {longest + 1}$"):
        base.check_length(max_length=longest, window=longest + 1)


def test_encoder_without_a_known_table_of_words_is_saved_whole(tmp_path: Path) -> None:
    (tmp_path / "bart").mkdir()
    assert not find_backbone(str(write_bart(tmp_path / "bart", STORIES))).supports_adapter
    assert find_backbone(str(write_backbone(tmp_path / "roberta", "roberta"))).supports_adapter


def test_perplexity_weights_in_runs_are_those_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "WORK", tmp_path)
    assert load_perplexity("runs/mine") is None
    write_ppl_checkpoint(tmp_path / "runs" / "mine")
    assert load_perplexity("runs/mine")


@pytest.fixture(params=["mpnet", "roberta", "modernbert"])
def base(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A backbone of another architecture, and a corpus in the same folder."""
    write_encoder(tmp_path / "shared", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "shared")
    for name, texts in (("stories", STORIES), ("held_out", [f"not {story}" for story in STORIES])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in texts))
    return str(write_backbone(tmp_path / request.param, request.param))


CORPUS = {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]}
COMMON = {"name": "tiny", "learning_rate": 1e-2, "seed": 3, "adapter": {"rank": 2, "alpha": 4}}


def check_is_adapter(out: Path, base: str) -> None:
    """Checks that a checkpoint is an adapter on the backbone, with embeddings of the placeholders."""
    assert not (out / "model.safetensors").exists()
    tensors = load_file(out / "adapter.safetensors")
    whole = load_file(Path(base) / "model.safetensors")
    assert any(name.endswith(".added") for name in tensors)
    assert not any(name.endswith(("word_embeddings.weight", "tok_embeddings.weight")) for name in tensors)
    assert find_backbone(base).sha256 in (out / "config.json").read_text()
    assert whole


def test_union_trains_and_scores(base: str, tmp_path: Path) -> None:
    config = parse(
        UnionConfig,
        {**COMMON, "corpus": CORPUS, "base": base, "pairs": 64, "batch_pairs": 4, "max_length": 64},
    )
    union.train(config, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path / "cache")
    check_is_adapter(tmp_path / "out", base)
    scorer = UnionScorer(load_checkpoint(tmp_path / "out", "union"))
    scores, explanations = scorer.score([*STORIES[:2], "[MALE] ran home ."], dtype="float32", explain=True)
    assert len(set(scores)) == 3
    assert all(0 < score < 1 for score in scores)
    assert explanations is not None


def test_plot_coherence_ranks_stories_as_trained(base: str, tmp_path: Path) -> None:
    rows = [
        GroupRow(
            str(g),
            story if label else story.replace("ran home", "park park"),
            "human" if label else "x",
            label,
        )
        for g, story in enumerate(STORIES)
        for label in (1, 0)
    ]
    settings = {
        "metric": "plot_coherence",
        "base": base,
        "epochs": 30,
        "group_size": 2,
        "batch_groups": 4,
        "max_length": 64,
    }
    config = parse(ClassifierConfig, {**COMMON, **settings})
    manifest = train_classifier(config, rows, rows, tmp_path / "out", tmp_path / "run", {"data": {}})
    assert (manifest["validation"]["all"]["auc"] or 0) > 0.9
    check_is_adapter(tmp_path / "out", base)
    scorer = ClassifierScorer(load_checkpoint(tmp_path / "out", "plot_coherence"))
    scores, _ = scorer.score([row.story for row in rows], dtype="float32")
    assert sum(a > b for a, b in zip(scores[::2], scores[1::2], strict=True)) >= 7
    (Path(base) / "model.safetensors").write_bytes((tmp_path / "shared/model.safetensors").read_bytes())
    with pytest.raises(ValueError, match="expected SHA-256"):
        load_checkpoint(tmp_path / "out", "plot_coherence")


def test_ruber_bert_trains_and_scores(base: str, tmp_path: Path) -> None:
    settings = {
        "corpus": CORPUS,
        "base": base,
        "pairs": 20,
        "validation_pairs": 8,
        "epochs": 4,
        "batch": 4,
        "max_length": 64,
    }
    config = parse(RuberConfig, {**COMMON, **settings, "frozen": False})
    ruber.train(config, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path / "cache")
    check_is_adapter(tmp_path / "out", base)
    scorer = RuberScorer(load_checkpoint(tmp_path / "out", "ruber_bert"))
    scores, references = scorer.score(
        STORIES[:3],
        ["She ran.", "He ate.", "[MALE] slept."],
        [[story] for story in STORIES[3:6]],
        dtype="float32",
    )
    assert all(0 <= score <= 1 for score in scores)
    assert references is not None


def test_embedding_similarity_of_its_own_teacher_is_exact(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similarity, "write_baseline", lambda *_: {})
    monkeypatch.setattr(similarity, "long_texts", lambda texts: texts)  # these are shorter
    settings = {
        "corpora": {"one": CORPUS}, "base": base, "teacher": base, "block_words": [60], "blocks_per_story": 1,
        "texts": 8, "validation_texts": 4, "baseline_pairs": 2,
    }  # fmt: skip
    config = parse(SimilarityConfig, {**COMMON, **settings})
    manifest = similarity.train(config, tmp_path, tmp_path / "out", tmp_path / "run")
    assert manifest["validation"]["trained"]["error"] == 0, (
        "an encoder that is its own teacher is not changed"
    )
    check_is_adapter(tmp_path / "out", base)
    scorer = SimilarityScorer(TextEncoder(tmp_path / "out"))
    f1 = scorer.scores(STORIES[:2], [[STORIES[0]], [STORIES[5]]], ["bertscore_f1"])["bertscore_f1"]
    assert f1[0] == pytest.approx(1, abs=1e-5)
    assert f1[1] < 0.999


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet", "longformer", "modernbert"])
def test_layers_can_be_frozen_if_they_are_arranged_as_in_bert(kind: str, tmp_path: Path) -> None:
    config = parse(
        ClassifierConfig,
        {
            **COMMON,
            "metric": "plot_coherence",
            "base": str(write_backbone(tmp_path, kind)),
            "frozen_layers": 1,
        },
    )
    if kind == "modernbert":
        with pytest.raises(ValueError, match="which is an encoder of the type modernbert, got 1"):
            check_frozen_layers(config)
        return
    check_frozen_layers(config)
    freeze(build_classifier(config)[0], 1)
