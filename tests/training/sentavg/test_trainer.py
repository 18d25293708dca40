"""SENTAVG computes the documented average, learns, and saves a checkpoint that the metric loads."""

import json
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch

from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.paths import ROOT
from openmeva.training.sentavg import trainer as trainer
from openmeva.training.sentavg.config import SentAvgConfig, SentAvgSettings
from openmeva.training.sentavg.glove import read_glove
from openmeva.training.sentavg.model import SentAvgTrainer
from tests.tiny.models import tiny_model, tiny_tokenizer, write_encoder

GOOD = [f"{a} ran home . {a} ate ." for a in ("she", "he", "the dog", "the cat")]
BAD = [f"{a} ran home . home ate the ." for a in ("she", "he", "the dog", "the cat")]


def scorer(**changes: Any) -> SentAvgTrainer:
    tokenizer = tiny_tokenizer()
    torch.manual_seed(0)
    vectors = torch.randn(len(tokenizer.get_vocab()), 12)
    return SentAvgTrainer(SentAvgSettings(hidden=16, batch=4, **changes), vectors, tokenizer)


def test_logits_equal_those_of_a_plain_loop() -> None:
    sentavg = scorer()
    rows = sentavg.rows(["She ran home. He ate.", "The dog slept!"])
    with torch.no_grad():
        logits = sentavg.logits(rows)
        for row, logit in zip(rows, logits, strict=True):
            last = [
                sentavg.model.lstm(sentavg.model.words(torch.tensor([sentence])))[0][0, -1]
                for sentence in row
            ]
            mean = torch.stack(last).mean(0)
            expected = sentavg.model.out(torch.tanh(sentavg.model.hidden(mean)))
            assert float(logit) == pytest.approx(float(expected), abs=1e-5)


def test_model_learns_a_tiny_set() -> None:
    sentavg = scorer(epochs=60, learning_rate=1e-2)
    losses = sentavg.fit(GOOD + BAD, [1] * 4 + [0] * 4)
    assert losses[-1] < 0.3 < losses[0]
    scores = sentavg(GOOD + BAD)
    assert min(scores[:4]) > max(scores[4:])
    assert sentavg(GOOD + BAD, batch_size=1) == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("story", [" ", "\ufffd\ufffd"])
def test_story_without_tokens_is_reported(story: str) -> None:
    """Blank, or only characters that the tokenizer drops: its mean would be NaN."""
    with pytest.raises(ValueError, match="row 1: expected a story with words"):
        scorer().rows(["She ran.", story])


@pytest.mark.parametrize("glove", [False, True])
def test_metric_loads_trained_weights(glove: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    rows = [
        {"group": f"{split} {i}", "story": text, "label": label, "split": split}
        for split in ("train", "validation")
        for label, texts in ((1, GOOD), (0, BAD))
        for i, text in enumerate(texts)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config: dict[str, Any] = {
        "name": "tiny",
        "files": [{"path": str(tmp_path / "rows.jsonl")}],
        "context": "first_sentence",
        "settings": {"hidden": 16, "epochs": 60, "batch": 4, "learning_rate": 1e-2},
        "seed": 1,
    }
    if glove:
        words = sorted({word for text in GOOD + BAD for word in text.split()})
        numbers = torch.randn(len(words), 12, generator=torch.Generator().manual_seed(0)).tolist()
        lines = [" ".join([word, *map(str, row)]) for word, row in zip(words, numbers, strict=True)]
        config["glove"] = write_glove(tmp_path / "glove.txt", *lines).name
    out = tmp_path / "weights"
    manifest = trainer.train(
        parse(SentAvgConfig, config), tmp_path, out, tmp_path / "run", tmp_path / "cache"
    )
    assert manifest["validation"]["auc"] == 1.0
    assert "{" not in (out / "README.md").read_text().split("```bibtex")[0]
    assert ("GloVe's (glove.txt), of 16 words" in (out / "README.md").read_text()) == glove
    assert ("glove.txt" in manifest["data"]) == glove
    (out / "encoder").symlink_to(tmp_path / "encoder")
    scores = evaluate.load(str(ROOT / "metrics" / "sentavg"), str(out)).compute(predictions=GOOD + BAD)
    assert min(scores["scores"][:4]) > max(scores["scores"][4:])
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows if row["label"] == 0))
    with pytest.raises(
        ValueError, match="to train on: expected human-written stories and others, got 0 and 4"
    ):
        trainer.train(parse(SentAvgConfig, config), tmp_path, out, tmp_path / "run", tmp_path / "cache")


def write_glove(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_glove_vectors_are_read_by_word(tmp_path: Path) -> None:
    file = write_glove(tmp_path / "g.txt", "the 1 2", "ran 3 -4", "unread 0 0", "ann 5 6")
    vectors, tokenizer = read_glove(file, {"the", "ran", "ann", "home"})
    ids = tokenizer.encode("The ann RAN home [FEMALE]", add_special_tokens=False).ids
    rows = [[1.0, 2.0], [5.0, 6.0], [3.0, -4.0]]
    assert vectors[ids].tolist() == [*rows, vectors[:1].tolist()[0], [5.0, 6.0]]  # Ann is a woman's name
    assert vectors[0].tolist() == pytest.approx([3.0, 4 / 3])  # unknown words have the mean of the others
    assert tokenizer.token_to_id("unread") is None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["the 1 2", "ran 3"], r"g.txt, line 2: expected a word and 2 numbers, got 1 after 'ran'"),
        (["the"], r"g.txt, line 1: expected a word and its numbers, got 0 after 'the'"),
        (["the 1 x"], r"g.txt, line 1: expected numbers, got .*'x'"),
        (["the 1 nan"], r"g.txt, line 1: expected finite numbers, got nan"),
        (["unread 1 2"], r"g.txt: expected vectors of the stories' words, got none of 2"),
    ],
)
def test_invalid_glove_line_is_reported(lines: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        read_glove(write_glove(tmp_path / "g.txt", *lines), {"the", "ran"})
