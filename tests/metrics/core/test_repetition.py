"""What repetition over a whole story costs a score."""

import math
import random
from pathlib import Path

import pytest
from scipy.special import expit, logit

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.repetition import (
    HUMAN_SHARE,
    RepetitionCost,
    lowered,
    repeated_share,
    shares_without_each,
)
from openmeva.metrics.union.scoring import UnionScorer
from tests.tiny.models import write_checkpoint

ONCE = "she ran home . the dog slept . he ate the cat ."


@pytest.mark.parametrize(
    ("sentences", "share"),
    [
        ([], 0),
        (["she ran home ."], 0),
        (["she ran home ."] * 2, 0),  # six words: three 4-grams, all different
        (["she ran home ."] * 3, 3 / 6),
        (["she , ran home !", "she ran home .", '" she ran " home'], 3 / 6),
        (["a b c d e", "a b c d f"], 1 / 7),
    ],
)
def test_share_of_repeated_ngrams_is_that_of_words_across_sentences(
    sentences: list[str], share: float
) -> None:
    assert repeated_share([sentence.split() for sentence in sentences]) == pytest.approx(share)


def test_shares_without_each_sentence_are_those_of_the_other_sentences() -> None:
    rng = random.Random(0)
    for _ in range(500):
        story = [rng.choices("ab.", k=rng.randrange(7)) for _ in range(rng.randrange(8))]
        assert shares_without_each(story) == [
            repeated_share(story[:i] + story[i + 1 :]) for i in range(len(story))
        ]


@pytest.mark.parametrize("score", [0.0, 1e-9, 0.3, 0.999999, 1.0])
def test_cost_is_one_of_the_logit(score: float) -> None:
    repeated = [["she", "ran", "home"]] * 3
    cost = RepetitionCost(5.0).of(repeated)
    assert cost == pytest.approx(5 * (0.5 - HUMAN_SHARE))
    assert lowered(score, cost) == pytest.approx(expit(logit(score) - cost), rel=1e-6)
    assert lowered(score, RepetitionCost().of(repeated)) == score
    assert lowered(score, RepetitionCost(math.inf).of([["she", "ran"]])) == score


def test_story_that_repeats_itself_scores_lower_and_the_repetition_is_blamed(tmp_path: Path) -> None:
    checkpoint = load_checkpoint(write_checkpoint(tmp_path), "union")
    plain = UnionScorer(checkpoint)
    checkpoint.settings |= {"repetition_weight": 8.0}
    costly = UnionScorer(checkpoint)
    stories = [ONCE, f"{ONCE} she ate . he ran . {ONCE}"]
    before, _ = plain.score(stories, dtype="float32")
    scores, explanations = costly.score(stories, dtype="float32", explain=True)
    shares = [repeated_share(story.words) for story in costly.prepare(stories, None)]
    assert shares[0] < HUMAN_SHARE < shares[1]
    assert scores[0] == before[0]
    assert scores[1] == pytest.approx(expit(logit(before[1]) - 8 * (shares[1] - HUMAN_SHARE)), rel=1e-6)
    assert explanations is not None
    assert [explanation["repetition"] for explanation in explanations] == shares

    _, plain_explanations = plain.score(stories, dtype="float32", explain=True)
    assert plain_explanations is not None
    assert "repetition" not in plain_explanations[0]
    assert explanations[0]["sentences"] == plain_explanations[0]["sentences"]
    gains, plain_gains = (
        [sentence["gain"] for sentence in both[1]["sentences"]] for both in (explanations, plain_explanations)
    )
    assert gains[1] - plain_gains[1] > 0.05, "the dog slept twice"
    words = costly.prepare([stories[1]], None)[0].words
    window = plain.score([" ".join(" ".join(w) for i, w in enumerate(words) if i != 1)], dtype="float32")[0][
        0
    ]
    without = lowered(window, RepetitionCost(8.0).of(w for i, w in enumerate(words) if i != 1))
    assert gains[1] == pytest.approx(without - scores[1], abs=1e-6)
