"""Adversarial filtering with a judge of known scores, and the committee's members."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit

from openmeva.training.plot_guided.adversarial_filtering import (
    AdversarialFilter,
    CandidatePool,
    Committee,
    stage,
)
from openmeva.training.plot_guided.adversarial_filtering.filtering import has_converged, replace_easy
from openmeva.training.plot_guided.adversarial_filtering.lstm import LstmMember
from openmeva.training.plot_guided.adversarial_filtering.ngrams import LinearMember, ngram_matrix
from openmeva.training.plot_guided.adversarial_filtering.stage import build_pool
from openmeva.training.plot_guided.generator.text import NormalizedForm
from tests.tiny.models import tiny_tokenizer

STORIES, CANDIDATES, KEPT = 40, 6, 3


class FixedPreferences:
    """Has fixed scores, and records its training rows."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores, self.fitted = scores, list[np.ndarray]()

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        assert set(labels.tolist()) == {0.0, 1.0}
        self.fitted.append(rows)

    def score(self, rows: np.ndarray) -> np.ndarray:
        return self.scores[rows]


@pytest.fixture
def pool() -> CandidatePool:
    humans = np.arange(STORIES) * (CANDIDATES + 1)
    return CandidatePool(humans, humans[:, None] + 1 + np.arange(CANDIDATES))


@pytest.fixture
def judge(pool: CandidatePool) -> FixedPreferences:
    scores = np.random.default_rng(0).random(STORIES * (CANDIDATES + 1))
    scores[pool.humans] = 2.0  # every negative is easy
    return FixedPreferences(scores)


def test_filtering_converges_to_the_hardest_candidates(pool: CandidatePool, judge: FixedPreferences) -> None:
    filtering = AdversarialFilter(pool, judge, KEPT, seed=1)
    assigned = filtering.start()
    for number in range(1, 15):
        assigned = filtering.round(assigned, number).assigned
    hardest = np.argsort(-judge.scores[pool.candidates], axis=1)[:, :KEPT]
    assert (assigned == np.sort(hardest, axis=1)).all()


def test_round_changes_only_the_held_out_half(pool: CandidatePool, judge: FixedPreferences) -> None:
    filtering = AdversarialFilter(pool, judge, KEPT, seed=1)
    start = filtering.start()
    result = filtering.round(start, 1)
    in_training_half = np.isin(pool.humans, judge.fitted[0])
    assert in_training_half.sum() == STORIES // 2
    assert (result.assigned[in_training_half] == start[in_training_half]).all()
    assert (result.assigned != start).any()
    assert result.accuracy == 1.0
    assert 0 < result.replaced <= 1
    again = filtering.round(start, 1)
    assert (again.assigned == result.assigned).all()


def test_negatives_scored_above_the_human_story_are_kept(
    pool: CandidatePool, judge: FixedPreferences
) -> None:
    judge.scores[pool.humans] = -1.0
    result = AdversarialFilter(pool, judge, KEPT, seed=1).round(
        AdversarialFilter(pool, judge, KEPT, seed=1).start(), 1
    )
    assert (result.replaced, result.accuracy) == (0.0, 0.0)


def test_accuracy_counts_ties_half(pool: CandidatePool, judge: FixedPreferences) -> None:
    judge.scores[:] = 0.5
    filtering = AdversarialFilter(pool, judge, KEPT, seed=1)
    assert filtering.round(filtering.start(), 1).accuracy == 0.5


def test_negatives_within_the_margin_are_kept(pool: CandidatePool, judge: FixedPreferences) -> None:
    start = AdversarialFilter(pool, judge, KEPT, seed=1).start()
    replaced = {
        margin: AdversarialFilter(pool, judge, KEPT, seed=1, margin=margin).round(start, 1).replaced
        for margin in (0.0, 2.0, 9.0)
    }
    assert replaced[0.0] > replaced[2.0] > replaced[9.0] == 0


def test_stories_may_have_fewer_candidates(pool: CandidatePool, judge: FixedPreferences) -> None:
    ragged = CandidatePool(pool.humans, pool.candidates.copy())
    ragged.candidates[::2, 4:] = -1
    filtering = AdversarialFilter(ragged, judge, KEPT, seed=1)
    assigned = filtering.start()
    for number in range(1, 15):
        assert (assigned[::2] < 4).all()
        assigned = filtering.round(assigned, number).assigned
    scores = np.where(ragged.candidates >= 0, judge.scores[ragged.candidates], -1)
    assert (assigned == np.sort(np.argsort(-scores, axis=1)[:, :KEPT], axis=1)).all()


def test_build_pool_groups_candidates_by_story() -> None:
    pool = build_pool([{"label": label} for label in (1, 0, 0, 1, 0, 0, 0)])
    assert pool.humans.tolist() == [0, 3]
    assert pool.candidates.tolist() == [[1, 2, -1], [4, 5, 6]]
    assert pool.min_candidates() == 2


def test_easiest_negatives_are_replaced_by_the_hardest() -> None:
    assert replace_easy(np.array([0, 1, 2]), np.array([0.3, 0.1, 0.9, 0.8, 0.2]), 0.5).tolist() == [0, 2, 3]
    assert replace_easy(np.array([0, 1]), np.array([0.3, 0.1, 0.05]), 0.5).tolist() == [0, 1]


def test_has_converged() -> None:
    assert not has_converged([0.9, 0.8, 0.7, 0.6], 3)
    assert has_converged([0.9, 0.6, 0.6, 0.61, 0.6], 3)
    assert not has_converged([0.6], 3)


def test_too_few_candidates_are_refused(pool: CandidatePool, judge: FixedPreferences) -> None:
    with pytest.raises(ValueError, match="7 candidates or more of each, got 40 and 6"):
        AdversarialFilter(pool, judge, 7, seed=0)


def test_linear_member_finds_the_optimum() -> None:
    """The gradient of the objective, computed independently, is zero there."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(30, 3)), (rng.random(30) < 0.3).astype(float)
    member = LinearMember(features, penalty=0.7)
    member.fit(np.arange(30), labels, rng)

    def objective(weights: np.ndarray) -> float:
        probabilities = expit(features @ weights[:-1] + weights[-1])
        human, generated = -np.log(probabilities[labels == 1]), -np.log(1 - probabilities[labels == 0])
        return 15 * human.mean() + 15 * generated.mean() + 0.35 * (weights[:-1] ** 2).sum()

    assert np.abs(approx_fprime(member._weights, objective, 1e-6)).max() < 1e-2


def test_ngrams_count_once_per_text_and_rare_ones_are_excluded() -> None:
    matrix = ngram_matrix([["a", "b", "a"], ["a", "b"], ["c"]], longest=2, rarest=2)
    assert matrix.shape == (3, 3)  # a, b, a b
    assert np.allclose(matrix.toarray()[:2], 3**-0.5)
    assert matrix.toarray()[2].sum() == 0


@pytest.mark.parametrize("names", [["words"], ["tags"], ["lstm"], ["encoder"], ["words", "tags"]])
def test_members_learn_to_distinguish_texts(names: list[str]) -> None:
    human = [f"the {noun} slept at home ." for noun in ("dog", "cat", "girl", "boy", "man")]
    generated = [f"home {noun} the slept slept at ." for noun in ("dog", "cat", "girl", "boy", "man")]
    texts = (human + generated) * 4
    labels = np.array(([1.0] * 5 + [0.0] * 5) * 4)
    committee = Committee.of(names, texts)
    if names == ["lstm"]:
        committee = Committee([LstmMember(texts, epochs=40)])
    committee.fit(np.arange(30), labels[:30], np.random.default_rng(0))
    scores = committee.score(np.arange(30, 40))
    assert scores[:5].min() > scores[5:].max()


def test_committee_weighs_members_of_different_scales_equally() -> None:
    scores = np.random.default_rng(0).random((2, 12)) * [[1], [500]]
    committee = Committee([FixedPreferences(each) for each in scores])
    rows = np.arange(8)
    committee.fit(rows, np.array([0.0, 1.0] * 4), np.random.default_rng(0))
    expected = (scores[0] / scores[0, :8].std() + scores[1] / scores[1, :8].std()) / 2
    assert committee.score(np.arange(12)) == pytest.approx(expected)


def test_unknown_members_are_refused() -> None:
    with pytest.raises(ValueError, match="gpt"):
        Committee.of(["gpt"], ["a"])


def test_convergence_allows_a_small_difference() -> None:
    assert has_converged([0.7, 0.699], 1)
    assert not has_converged([0.7, 0.697], 1)


def test_candidates_that_are_equal_or_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["a", "b", "c"]
    story = SimpleNamespace(group="g", story=SimpleNamespace(words=[words], flat_words=lambda: words))
    monkeypatch.setattr(stage, "as_generated", lambda *_: "a b c")
    monkeypatch.setattr(stage, "unmanipulated_row", lambda *_, **__: {"story": "human"})
    corpus: Any = SimpleNamespace(metrics=[story])
    negatives = [{"group": "g", "story": text} for text in ("x", "x", "x y z", "a b c d", "")]
    rows = stage.human_and_candidates(corpus, negatives, NormalizedForm(tiny_tokenizer()), 2)
    assert [row["story"] for row in rows] == ["human", "x", "x y z"]
