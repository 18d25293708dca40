"""The papers' own settings: their values, and that each trains a tiny model of its architecture."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from openmeva.training.classifier.trainer import train_classifier
from openmeva.training.common import backbone
from openmeva.training.common.config import config_file, read_config
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.trainer import train_generator
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.ruber_bert import trainer as ruber
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.union import model as union_model
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from tests.facts import with_everyday_facts
from tests.tiny.backbones import STORIES, write_backbone
from tests.tiny.models import tiny_model, write_bart, write_encoder, write_gpt2


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A few stories, the shared encoder's names, and a few facts in ConceptNet's place."""
    write_encoder(tmp_path / "shared", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "shared")
    for name, texts in (("stories", STORIES), ("held_out", [f"not {story}" for story in STORIES])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in texts))
    with with_everyday_facts(tmp_path):
        yield tmp_path


def tiny_corpus(corpus: CorpusConfig) -> CorpusConfig:
    return replace(corpus, train=("stories.jsonl",), validation=("held_out.jsonl",), exclude=())


def whole_weights(folder: Path) -> bool:
    """Whether all weights were saved, not an adapter."""
    return bool(load_file(folder / "model.safetensors")) and not (folder / "adapter.safetensors").exists()


@pytest.mark.parametrize(("name", "words", "keep"), [("roc_paper", None, 1), ("wp_paper", 200, 0)])
def test_union_trains_bert(name: str, words: int | None, keep: int, data: Path) -> None:
    config = read_config(UnionConfig, config_file("union", name))
    assert (config.base, config.adapter, config.corpus.max_words) == ("bert-base-uncased", None, words)
    assert (2 * config.batch_pairs, config.learning_rate, config.reconstruction_weight) == (10, 5e-5, 0.1)
    assert config.warmup_share == 0.1
    assert (config.targets, config.reconstruction_mean, config.copied_share) == ("position", "stories", 1)
    assert (config.sampling.lexicon, config.sampling.keep) == ("conceptnet", keep)
    base = str(write_backbone(data / "bert", "bert"))
    tiny = replace(config, base=base, corpus=tiny_corpus(config.corpus), pairs=10, max_length=64)
    manifest = union.train(tiny, data, data / "out", data / "run", data / "cache")
    assert manifest["steps"] == 2
    assert whole_weights(data / "out")


def test_union_bert_has_its_dropout_and_initialised_placeholders(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding_rows: list[int] = []
    monkeypatch.setattr(
        union_model, "init_placeholder_embeddings", lambda vectors, _: embedding_rows.append(len(vectors))
    )
    config = read_config(UnionConfig, config_file("union", "roc_paper"))
    tiny = replace(config, base=str(write_backbone(data / "bert", "bert")), encoder_dropout=0.3)
    model, tokenizer, _ = union_model.build_model(tiny)
    assert model.config.hidden_dropout_prob == model.config.attention_probs_dropout_prob == 0.3
    assert embedding_rows[0] >= tokenizer.get_vocab_size()


def test_ruber_trains_on_frozen_bert(data: Path) -> None:
    config = read_config(RuberConfig, config_file("ruber_bert", "roc_paper"))
    assert (config.base, config.frozen, config.in_batch, config.sampled, config.nearest) == (
        "bert-base-uncased", True, 0, 1, None,
    )  # fmt: skip
    base = str(write_backbone(data / "bert", "bert"))
    changed = {"pairs": 8, "validation_pairs": 4, "batch": 4, "max_length": 64}
    tiny = replace(config, base=base, corpus=tiny_corpus(config.corpus), **changed)
    manifest = ruber.train(tiny, data, data / "out", data / "run", data / "cache")
    assert manifest["config"]["pooling"] == "max"


@pytest.mark.parametrize(
    ("name", "base", "kind", "batch", "tokens"),
    [
        ("roc_paper", "roberta-base", "roberta", 2, 128),
        ("wp_paper", "longformer-base-4096", "longformer", 1, 1024),
    ],
)
def test_classifier_trains_roberta_and_longformer(
    name: str, base: str, kind: str, batch: int, tokens: int, data: Path
) -> None:
    config = read_config(PlotCoherenceConfig, config_file("plot_coherence", name))
    assert (config.base, config.adapter, config.balanced, config.rank_weight) == (base, None, False, 0)
    assert (config.batch_groups, config.group_size, config.max_length) == (batch, 4, tokens)
    assert (config.epochs, config.learning_rate) == (3, 2e-5)
    rows = [
        GroupRow(str(number), story if label else f"{story} not", "human" if label else "x", label)
        for number, story in enumerate(STORIES[:4])
        for label in (1, 0)
    ]
    tiny = replace(config, base=str(write_backbone(data / kind, kind)), max_length=64, epochs=1)
    train_classifier(tiny, rows, rows, data / "out", data / "run", {"data": {}})
    assert whole_weights(data / "out")


@pytest.mark.parametrize(
    ("name", "base", "batch"),
    [
        ("roc_paper", "bart-base", 8),
        ("wp_paper", "bart-base", 8),
        ("roc_gpt2_paper", "gpt2", 4),
        ("wp_gpt2_paper", "gpt2", 4),
    ],
)
def test_generator_trains_bart_and_gpt2(name: str, base: str, batch: int, data: Path) -> None:
    config = read_config(GeneratorConfig, config_file("generator", name))
    assert (config.base, config.adapter, config.batch, config.share) == (base, None, batch, 0.7)
    write = write_gpt2 if base == "gpt2" else write_bart
    sizes = {"stories": 8, "max_plot": 24, "max_story": 40}
    changes: dict[str, Any] = {"base": str(write(data / base, STORIES)), "corpus": tiny_corpus(config.corpus)}
    manifest = train_generator(replace(config, **changes, **sizes), data, data / "run", data / "cache", False)
    assert manifest["steps"] == 8 // batch


@pytest.mark.parametrize("name", ["roc_paper", "wp_paper"])
def test_plot_negatives_settings(name: str) -> None:
    config = read_config(PlotNegativesConfig, config_file("plot_negatives", name))
    assert (config.substitution, config.candidates, config.filtering.kept) == ("sentences", 6, 3)
    assert (config.sampling.top_k, config.sampling.temperature) == (50, 0.8)
    assert config.splits is not None
