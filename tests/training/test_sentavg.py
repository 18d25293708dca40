"""SENTAVG is the average that it says, and learns."""

from typing import Any

import pytest
import torch

from tests.tiny import tiny_tokenizer
from training.sentavg import SentAvgScorer, SentAvgSettings

GOOD = [f"{a} ran home . {a} ate ." for a in ("she", "he", "the dog", "the cat")]
BAD = [f"{a} ran home . home ate the ." for a in ("she", "he", "the dog", "the cat")]


def scorer(**changes: Any) -> SentAvgScorer:
    tokenizer = tiny_tokenizer()
    torch.manual_seed(0)
    vectors = torch.randn(len(tokenizer.get_vocab()), 12)
    return SentAvgScorer(SentAvgSettings(hidden=16, batch=4, **changes), vectors, tokenizer)


def test_logits_are_those_of_a_plain_loop() -> None:
    sentavg = scorer()
    rows = sentavg.rows(["She ran home. He ate.", "The dog slept!"])
    with torch.no_grad():
        found = sentavg.logits(rows)
        for row, logit in zip(rows, found, strict=True):
            last = [
                sentavg.model.lstm(sentavg.model.words(torch.tensor([sentence])))[0][0, -1]
                for sentence in row
            ]
            mean = torch.stack(last).mean(0)
            expected = sentavg.model.out(torch.tanh(sentavg.model.hidden(mean)))
            assert float(logit) == pytest.approx(float(expected), abs=1e-5)


def test_it_learns_a_tiny_set() -> None:
    sentavg = scorer(epochs=60, learning_rate=1e-2)
    losses = sentavg.fit(GOOD + BAD, [1] * 4 + [0] * 4)
    assert losses[-1] < 0.3 < losses[0]
    scores = sentavg(GOOD + BAD)
    assert min(scores[:4]) > max(scores[4:])
    assert sentavg(GOOD + BAD, batch_size=1) == pytest.approx(scores, abs=1e-5)


def test_a_blank_story_is_named() -> None:
    with pytest.raises(ValueError, match="row 1: expected a story with words"):
        scorer().rows(["She ran.", " "])
