"""The encoder's vocabulary, texts and token masking."""

import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from datasets import Dataset
from transformers import BertForMaskedLM, BertTokenizer

from openmeva.training.common.config import parse
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.encoder import trainer
from openmeva.training.encoder.config import EncoderConfig
from openmeva.training.encoder.data import IGNORED, MaskingCollator, RepeatedTexts, load_texts
from openmeva.training.encoder.trainer import MaskedLanguageModelTrainer
from openmeva.training.encoder.vocabulary import prune_vocabulary, pruned_model
from openmeva.training.paths import NAMES_FILE
from tests.tiny.models import PIECES
from tests.tiny.trainings import COMMON, CORPUS, TRAININGS, write_files


def test_pruned_vocabulary_keeps_special_tokens_characters_and_frequent_pieces() -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##a", "often", "seldom", "never"]
    tokenizer = BertTokenizer(vocab={p: i for i, p in enumerate(pieces)}, do_lower_case=True)
    kept = prune_vocabulary(tokenizer, ["often often seldom", "often a"], 13)
    assert kept[:8] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[MALE]", "[FEMALE]", "[NEUTRAL]"]
    assert kept[8:] == ["##a", "a", "b", "often", "seldom"]


@pytest.mark.parametrize(
    ("share", "message"),
    [(0.0, r"stories\.jsonl: no story held out"), (1.0, r"stories\.jsonl: no story left to train on")],
)
def test_corpus_without_a_split_is_reported(tmp_path: Path, share: float, message: str) -> None:
    rows = [{"story": f"Ann had {count} dogs. She walked them."} for count in range(9)]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = CorpusConfig(train=("stories.jsonl",), validation_share=share)
    with pytest.raises(ValueError, match=message):
        load_texts([corpus], 100, 3, tmp_path)


def test_masking_follows_bert_and_is_reproducible() -> None:
    tokenizer = BertTokenizer(vocab={p: i for i, p in enumerate(PIECES)}, do_lower_case=True)
    collate = MaskingCollator(tokenizer, probability=0.25, seed=3)
    rows = [{"input_ids": [2, *([9, 10, 11, 12] * 25), 3], "index": i} for i in range(40)]
    batch = collate(rows)
    chosen = batch["labels"] != -100
    assert chosen.sum(1).tolist() == [25] * 40
    original = torch.tensor([row["input_ids"] for row in rows])
    assert torch.equal(batch["labels"][chosen], original[chosen])
    assert torch.equal(batch["input_ids"][~chosen], original[~chosen])
    masked = (batch["input_ids"][chosen] == tokenizer.mask_token_id).float().mean()
    assert 0.75 < float(masked) < 0.85
    again = collate(rows)
    assert all(torch.equal(batch[key], again[key]) for key in batch), "a row has the same mask each time"
    assert len({tuple(np.flatnonzero(row)) for row in chosen.numpy()}) > 30, "and rows have different ones"


def test_each_pass_masks_other_tokens_and_the_first_is_that_of_a_single_pass() -> None:
    tokenizer = BertTokenizer(vocab={p: i for i, p in enumerate(PIECES)}, do_lower_case=True)
    ids = [[2, *([9 + i % 3, 10, 11, 12] * (3 + i)), 3] for i in range(10)]
    texts = Dataset.from_dict(
        {"input_ids": ids, "index": list(range(10)), "length": [len(text) for text in ids]}
    )
    collate = MaskingCollator(tokenizer, probability=0.25, seed=3)
    once, rows = RepeatedTexts(texts, 1.0, 5), RepeatedTexts(texts, 2.5, 5)
    assert (len(once), len(rows), rows.epoch_length) == (10, 25, 10)
    order = torch.randperm(10, generator=torch.Generator().manual_seed(5)).tolist()
    assert [row["index"] for row in once] == order
    assert [rows[number] for number in range(10)] == list(once)
    assert rows.lengths() == [len(ids[number]) for number in (order * 3)[:25]]
    passes = [collate([rows[number] for number in range(start, start + 5)]) for start in (0, 10, 20)]
    positions = [batch["labels"] != IGNORED for batch in passes]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert (positions[first] != positions[second]).any(1).all(), "every text has another mask"
    again = collate([RepeatedTexts(texts, 2.5, 5)[number] for number in range(10, 15)])
    assert torch.equal(again["input_ids"], passes[1]["input_ids"]), "a resumed run has the same masks"


def test_loss_is_the_mean_over_masked_tokens() -> None:
    class Fixed:
        cls = staticmethod(lambda hidden: hidden)

        @staticmethod
        def bert(ids: torch.Tensor, attention_mask: torch.Tensor) -> SimpleNamespace:
            return SimpleNamespace(last_hidden_state=torch.nn.functional.one_hot(ids, 3).float())

    inputs = {
        "input_ids": torch.tensor([[0, 1], [2, 2]]),
        "attention_mask": torch.ones(2, 2),
        "labels": torch.tensor([[0, IGNORED], [1, IGNORED]]),
    }
    loss, _ = MaskedLanguageModelTrainer.__new__(MaskedLanguageModelTrainer).batch_loss(Fixed(), inputs)
    total = math.log(math.e + 2)
    assert float(loss) == pytest.approx(((total - 1) + total) / 2, abs=1e-6)


def test_vocabulary_keeps_at_least_the_pieces_that_are_always_kept(tmp_path: Path) -> None:
    write_files(tmp_path)
    tokenizer = BertTokenizer.from_pretrained(tmp_path / "base")
    with pytest.raises(ValueError, match=r"vocabulary_size: expected at least \d+, the pieces .*, got 5"):
        prune_vocabulary(tokenizer, ["she ran"], 5)


def test_base_without_a_kept_piece_is_rejected(tmp_path: Path) -> None:
    write_files(tmp_path)
    tokenizer = BertTokenizer.from_pretrained(tmp_path / "base")
    with pytest.raises(ValueError, match=r"it lacks \['zebra'\]"):
        pruned_model(tmp_path / "base", ["zebra", *tokenizer.get_vocab()], tokenizer)


def test_base_in_half_precision_is_trained_in_single_precision(tmp_path: Path) -> None:
    write_files(tmp_path)
    base = tmp_path / "base"
    BertForMaskedLM.from_pretrained(base).half().save_pretrained(base)
    tokenizer = BertTokenizer.from_pretrained(base)
    model = pruned_model(base, sorted(tokenizer.get_vocab()), tokenizer)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_resumed_run_without_checkpoint_makes_its_vocabulary_anew(tmp_path: Path) -> None:
    """The vocabulary may be that of a run before it, whose record was replaced already."""
    write_files(tmp_path)
    train = TRAININGS["encoder"]
    train(tmp_path, tmp_path / "out", False)
    vocabulary = tmp_path / "out" / "run" / "vocab.txt"
    pieces = vocabulary.read_text(encoding="utf-8")
    for checkpoint in (tmp_path / "out" / "run").glob("checkpoint-*"):
        shutil.rmtree(checkpoint)
    vocabulary.write_text("".join(reversed(pieces.splitlines(keepends=True))), encoding="utf-8")
    train(tmp_path, tmp_path / "out", True)
    assert vocabulary.read_text(encoding="utf-8") == pieces
    weights = tmp_path / "out" / "weights"
    assert (weights / "names.json").read_bytes() == NAMES_FILE.read_bytes()
    assert (weights / "NAMES.md").is_file(), "the card names it"


def test_weights_that_are_not_finite_leave_the_earlier_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path)
    train = TRAININGS["encoder"]
    train(tmp_path, tmp_path / "out", False)
    weights = tmp_path / "out" / "weights"
    before = {path.name: path.read_bytes() for path in weights.iterdir()}

    def refuse(*_: object) -> None:
        raise ValueError("weights that are not finite")

    monkeypatch.setattr(trainer, "save_half", refuse)
    monkeypatch.setattr(trainer, "save_tokenizer", None)  # not reached
    with pytest.raises(ValueError, match="not finite"):
        train(tmp_path, tmp_path / "out", True)
    assert {path.name: path.read_bytes() for path in weights.iterdir()} == before


def test_too_few_passes_for_one_text_are_reported(tmp_path: Path) -> None:
    write_files(tmp_path)
    sizes = {"vocabulary_size": len(PIECES), "block_words": 60, "blocks_per_story": 2, "batch_tokens": 150}
    rates = {"mask_probability": 0.3, "epochs": 0.001, "base": str(tmp_path / "base")}
    config = parse(EncoderConfig, {**COMMON, **sizes, **rates, "corpora": {"one": CORPUS}})
    with pytest.raises(ValueError, match=r"epochs: expected at least one of \d+ texts, got 0\.001 passes"):
        trainer.train(config, tmp_path, tmp_path / "out", tmp_path / "run")
