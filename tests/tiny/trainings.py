"""Every trainer on a tiny corpus and a tiny encoder, for a few steps each, for tests of their common behavior."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from openmeva.training.bleurt import trainer as bleurt
from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.bleurt.pairs import Pair
from openmeva.training.classifier import trainer as classifier
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.embedding_similarity import trainer as similarity
from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.encoder import trainer as encoder
from openmeva.training.encoder.config import EncoderConfig
from openmeva.training.plot_guided.generator.trainer import train_generator
from openmeva.training.ppl import trainer as ppl
from openmeva.training.ppl.config import PplConfig
from openmeva.training.ruber_bert import trainer as ruber
from openmeva.training.ruber_bert.config import RuberConfig
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from tests.tiny import groups as tiny_groups
from tests.tiny.language import TinyLanguage
from tests.tiny.models import PIECES, tiny_model, write_encoder
from tests.tiny.plots import generator_config, write_stories

CORPUS = {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]}
ADAPTER = {"rank": 4, "alpha": 8}
COMMON: dict[str, Any] = {"name": "tiny", "learning_rate": 0.01, "warmup_share": 0.5, "seed": 7}
SHORT = {**COMMON, "corpus": CORPUS, "adapter": ADAPTER, "max_length": 64}

Train = Callable[[Path, Path, bool], object]
"""Arguments: the folder of training files, the output folder, and whether to resume a run there."""


def write_files(folder: Path) -> None:
    """The corpus, the tiny encoder as the shared one, and the initial weights of the encoder."""
    write_stories(folder)
    write_encoder(folder / "encoder", tiny_model())
    vocabulary = {piece: index for index, piece in enumerate([*PIECES, "john", "mary", "alex"])}
    BertTokenizer(vocab=vocabulary, do_lower_case=True).save_pretrained(folder / "base")
    shape = {**tiny_model().config.to_dict(), "vocab_size": len(vocabulary)}
    torch.manual_seed(1)
    BertForMaskedLM(BertConfig.from_dict(shape)).save_pretrained(folder / "base")


def _union(data: Path, out: Path, resume: bool) -> None:
    config = parse(UnionConfig, {**SHORT, "sampling": {"keep": 1}, "pairs": 10, "batch_pairs": 3})
    with pytest.MonkeyPatch.context() as patch:  # WordNet takes seconds to read
        patch.setattr(union, "language_of", lambda _: TinyLanguage())
        patch.setattr(union, "lexicon_files", dict)
        union.train(config, data, out / "weights", out / "run", out / "cache", resume)


def _classifier(data: Path, out: Path, resume: bool) -> None:
    weights = {"error_type_weight": 0.3, "token_weight": 0.2, "rank_weight": 0.5}
    groups = {"group_size": 3, "batch_groups": 3, "epochs": 1, "max_length": 64, "adapter": ADAPTER}
    config = parse(ClassifierConfig, {**COMMON, **weights, **groups, "metric": "plot_coherence"})
    rows = tiny_groups.rows()
    classifier.train_classifier(
        config, rows[:30], rows[30:], out / "weights", out / "run", {"data": {}}, resume
    )


def _ppl(data: Path, out: Path, resume: bool) -> None:
    config = parse(PplConfig, {**SHORT, "base": "scratch", "adapter": None, "stories": 19, "batch": 6})
    ppl.train(config, data, out / "weights", out / "run", resume=resume)


def _ruber(data: Path, out: Path, resume: bool) -> None:
    settings = {"frozen": False, "in_batch": 3, "sampled": 1, "epochs": 1, "batch": 9, "hidden": 8}
    config = parse(RuberConfig, {**SHORT, **settings, "pairs": 28, "validation_pairs": 6})
    ruber.train(config, data, out / "weights", out / "run", out / "cache", resume)


def _bleurt(data: Path, out: Path, resume: bool) -> None:
    texts = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
    pairs = [Pair(a, b, "others", index % 4 - 1) for index, (a, b) in enumerate(zip(texts, texts[3:]))]  # noqa: B905
    config = parse(
        BleurtConfig, {**SHORT, "batch": 5, "pairs": 16, "validation_pairs": 9, "ways": {"negatives": 1.0}}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bleurt, "load_pairs", lambda *_: {"train": pairs[:16], "validation": pairs[16:]})
        bleurt.train(config, data, out / "weights", out / "run", out / "cache", resume)


def _similarity(data: Path, out: Path, resume: bool) -> None:
    data_settings = {"corpora": {"one": CORPUS}, "blocks_per_story": 2, "block_words": [60], "batch": 6}
    sizes = {"texts": 22, "validation_texts": 4, "baseline_pairs": 2, "max_length": 32, "adapter": ADAPTER}
    config = parse(SimilarityConfig, {**COMMON, **data_settings, **sizes, "teacher": str(data / "base")})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "write_baseline", lambda *_: {})
        patch.setattr(similarity, "long_texts", lambda texts: texts)  # these are shorter
        similarity.train(config, data, out / "weights", out / "run", resume=resume)


def _encoder(data: Path, out: Path, resume: bool) -> None:
    data_settings = {
        "corpora": {"one": CORPUS},
        "blocks_per_story": 2,
        "block_words": 60,
        "batch_tokens": 150,
    }
    sizes = {"vocabulary_size": len(PIECES), "mask_probability": 0.3, "epochs": 1.5}
    config = parse(EncoderConfig, {**COMMON, **data_settings, **sizes, "base": str(data / "base")})
    encoder.train(config, data, out / "weights", out / "run", resume=resume)


def _generator(data: Path, out: Path, resume: bool) -> None:
    config = generator_config(stories=11, batch=4)
    train_generator(config, data, out / "run", out / "cache", resume)


TRAININGS: dict[str, Train] = {
    "union": _union,
    "classifier": _classifier,
    "ppl": _ppl,
    "ruber_bert": _ruber,
    "bleurt": _bleurt,
    "embedding_similarity": _similarity,
    "encoder": _encoder,
    "generator": _generator,
}


def train_all(data: Path, out: Path) -> None:
    """Runs every trainer on the files of `write_files`; each writes to a folder of its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backbone, "ENCODER", data / "encoder")
        for name, train in TRAININGS.items():
            train(data, out / name, False)
