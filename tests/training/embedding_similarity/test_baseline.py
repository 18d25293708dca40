"""The baseline of BERTScore: with it, the pairs that it was computed from score 0 on average."""

from pathlib import Path

import numpy as np
import pytest

from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import BERT_SCORES, SimilarityScorer
from openmeva.training.embedding_similarity.baseline import baseline
from tests.tiny.models import write_bert

STORIES = ["she ran home .", "the dog ate a cat .", "he slept !", "a park was not home ?", "she ran home ."]


@pytest.fixture
def scorer(tmp_path: Path) -> SimilarityScorer:
    return SimilarityScorer(TextEncoder(write_bert(tmp_path)))


def test_random_pairs_score_zero_on_average_after_rescaling(scorer: SimilarityScorer) -> None:
    means = baseline(scorer, STORIES, pairs=200, seed=0)
    assert set(means) == {"1", "2"}
    assert set(means["2"]) == set(BERT_SCORES)
    different = STORIES[:4]
    pairs = [(a, b) for a in different for b in different if a != b]
    rescaled = scorer.scores(
        [a for a, _ in pairs], [[b] for _, b in pairs], BERT_SCORES, baseline=means["1"], layer=1
    )
    for values in rescaled.values():
        assert abs(np.mean(values)) < 0.1  # 200 samples of the twelve pairs
    assert baseline(scorer, STORIES, pairs=200, seed=0) == means


def test_one_distinct_story_is_rejected(scorer: SimilarityScorer) -> None:
    with pytest.raises(ValueError, match="at least two different stories, got 1"):
        baseline(scorer, ["she ate .", "she ate ."], pairs=3, seed=0)
