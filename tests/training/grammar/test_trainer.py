"""The grammaticality classifier on a tiny encoder."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel

from openmeva.training.common.backbone import SHARED, Backbone
from openmeva.training.grammar import trainer
from openmeva.training.grammar.config import Settings
from openmeva.training.grammar.data import FILES, SentenceTokenizer, human_stories, read_cola
from openmeva.training.grammar.model import GrammarScorer, new_model
from openmeva.training.grammar.trainer import fit, matthews, pass_rates, train

WORDS = "the cat dog sleeps sleep sleeping sees a red bird bird's . ran home he she".split()
GOOD = ["The cat sleeps.", "He ran home.", "A dog sees the bird.", "She sees a red bird."]
BAD = ["Cat the sleeps.", "He home ran.", "A dog the bird sees.", "Red she a bird sees."]


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A random encoder of two layers and a vocabulary of words."""
    folder = tmp_path / "encoder"
    folder.mkdir()
    vocabulary = {
        word: number
        for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(WORDS)])
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=128, attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.0,
    )  # fmt: skip
    config.save_pretrained(folder)
    torch.manual_seed(0)
    model = BertModel(config, add_pooling_layer=False)
    save_file(
        {f"bert.{name}": tensor for name, tensor in model.state_dict().items()}, folder / "model.safetensors"
    )
    return folder


def write_cola(folder: Path) -> Path:
    folder.mkdir()
    rows = [f"x\t1\t\t{text}" for text in GOOD] + [f"x\t0\t*\t{text}" for text in BAD]
    for file in FILES.values():
        (folder / file).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def test_tiny_model_learns_a_tiny_set_and_is_loaded(encoder: Path, tmp_path: Path) -> None:
    folder = write_cola(tmp_path / "cola")
    settings = Settings(epochs=80, batch=4, learning_rate=5e-3, rank=8, alpha=16, dropout=0.0)
    manifest = train(
        folder, tmp_path / "out", settings, encoder, {"roc": ["The cat sleeps. Cat the sleeps."]}
    )
    assert manifest["losses"][-1] < manifest["losses"][0] / 3
    assert manifest["results"]["in_domain"] == pytest.approx({"mcc": 1.0, "accuracy": 1.0, "sentences": 8})
    written = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| in domain | 1.000 | 1.000 |" in written
    assert "| ROC: 1 stories, 2 sentences | 0.000 | 0.500 |" in written
    assert (
        json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["data"].keys()
        == FILES.keys()
    )
    scorer = GrammarScorer.load(tmp_path / "out")
    assert min(scorer(GOOD)) > 0.5 > max(scorer(BAD))
    assert scorer(GOOD, batch_size=1) == pytest.approx(scorer(GOOD, batch_size=4), abs=1e-5)
    assert scorer(["", GOOD[0]])[0] == 0.0


def test_pass_rates_by_sentence_and_story(tmp_path: Path) -> None:
    stories = ["He ran home. She sees.", "He ran home. Cat the.", "Cat the. Bird a."]
    rates = pass_rates(
        lambda texts: [0.5 if "ran" in text or "sees" in text else 0.4 for text in texts], stories
    )
    assert (rates["stories"], rates["sentences"]) == (3, 6)
    assert [rates[name] for name in ("each_sentence", "single", "whole")] == pytest.approx(
        [1 / 3, 1 / 2, 2 / 3]
    )
    assert human_stories(tmp_path) == {}


def test_scores_do_not_depend_on_cpu_features(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = []
    for features in ({}, {"avx512_bf16": True}):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda features=features: features)
        scores.append(GrammarScorer.load()(GOOD + BAD))
    assert scores[0] == scores[1]


def test_all_files_are_read_before_weights_are_replaced(encoder: Path, tmp_path: Path) -> None:
    folder, out = write_cola(tmp_path / "cola"), tmp_path / "out"
    (folder / FILES["out_of_domain"]).write_text("no CoLA\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"out_of_domain_dev\.tsv, line 1: expected source"):
        train(folder, out, Settings(epochs=1), encoder)
    assert not out.exists()


def test_earlier_weights_stay_until_the_new_ones_are_evaluated(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trainer, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(write_cola(tmp_path / "cola"), tmp_path / "out", Settings(epochs=1), encoder)
    assert not (tmp_path / "out").exists()


def test_training_is_reproducible(encoder: Path) -> None:
    settings = Settings(epochs=2, batch=4)
    losses = []
    for _ in range(2):
        model = new_model(Backbone(SHARED, encoder, {}), settings)
        pieces = SentenceTokenizer(Tokenizer.from_file(str(encoder / "tokenizer.json")))
        losses.append(fit(model, pieces, GOOD + BAD, [1] * 4 + [0] * 4, settings))
    assert losses[0] == losses[1]


def test_invalid_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file"):
        read_cola(tmp_path / "none.tsv")
    path = tmp_path / "bad.tsv"
    path.write_text("x\t1\t\tFine.\nx\tyes\t\tBroken.\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        read_cola(path)
    with pytest.raises(ValueError, match=r"python -m training\.grammar"):
        GrammarScorer.load(tmp_path)


def test_matthews_correlation() -> None:
    assert matthews([1, 0, 1, 0], [1, 0, 1, 0]) == pytest.approx(1.0)
    assert matthews([1, 0, 1, 0], [0, 1, 0, 1]) == pytest.approx(-1.0)
    assert matthews([1, 0], [1, 1]) == 0.0
    # tp 3, tn 2, fp 1, fn 1
    expected = (3 * 2 - 1 * 1) / ((3 + 1) * (3 + 1) * (2 + 1) * (2 + 1)) ** 0.5
    assert matthews([1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0]) == pytest.approx(expected)
