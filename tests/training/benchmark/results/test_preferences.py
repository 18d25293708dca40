"""Preference pairs in the benchmark: accuracy, similar lengths, samples, and criteria of judged sets."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from openmeva.training.benchmark.data import sets
from openmeva.training.benchmark.data.released import released_scores
from openmeva.training.benchmark.data.sampling import sample_stories
from openmeva.training.benchmark.results.preferences import preference_table
from openmeva.training.benchmark.run import Settings, run
from openmeva.training.benchmark.tables.preference_tables import preference_tables
from openmeva.training.judged.hanna import CRITERIA
from openmeva.training.judged.pairs import Preference, preference_rows

# Two prompts: the first has two pairs, one with stories of different length; the second has one pair.
PAIRS = [
    Preference("1", "p", "a good story here .", "a dull story now ."),
    Preference("2", "p", "short .", "a story of very many words more ."),
    Preference("3", "q", "one more that is good .", "one more that is dull ."),
]


def rows() -> list[dict[str, Any]]:
    return [dict(row) for row in preference_rows(PAIRS)]


def slow_interval(points: list[float], prompts: list[str], counts: np.ndarray) -> list[float]:
    """The percentile interval, one bootstrap sample at a time."""
    names = sorted(set(prompts))
    means = []
    for sample in counts:
        sampled_points = [
            point
            for name, times in zip(names, sample, strict=True)
            for point, prompt in zip(points, prompts, strict=True)
            for _ in range(int(times))
            if prompt == name
        ]
        means.append(float(np.mean(sampled_points)))
    return list(np.quantile(means, [0.025, 0.975]))


def test_pair_accuracy_counts_ties_as_one_half() -> None:
    scores = [2.0, 1.0, 1.0, 3.0, 5.0, 5.0]  # won, lost, tied
    table = preference_table(rows(), {"mine": scores}, 200, np.random.default_rng(0))
    row = table["rows"]["mine"]
    assert row["kind"] == "ours"
    assert row["accuracy"] == 0.5
    assert row["ties"] == pytest.approx(1 / 3)
    assert (table["pairs"], table["matched_pairs"]) == (3, 2)
    assert row["matched"]["accuracy"] == 0.75
    counts = np.random.default_rng(0).multinomial(2, [0.5, 0.5], size=200)
    assert row["intervals"]["accuracy"] == pytest.approx(slow_interval([1, 0, 0.5], ["p", "p", "q"], counts))
    assert table["rows"]["length"]["kind"] == "trivial"
    assert table["rows"]["length"]["matched"]["accuracy"] == 0.5


def test_scores_that_differ_by_rounding_are_ties() -> None:
    scores = [0.1 + 0.2, 0.3, 1.0, 2.0, 0.3, 0.1 + 0.2]
    row = preference_table(rows(), {"mine": scores}, 100, np.random.default_rng(0))["rows"]["mine"]
    assert row["ties"] == pytest.approx(2 / 3)


def test_preference_accuracy_is_independent_of_row_order() -> None:
    scores = [2.0, 1.0, 1.0, 3.0, 5.0, 4.0]
    first = preference_table(rows(), {"mine": scores}, 100, np.random.default_rng(0))
    reversed_rows = preference_table(rows()[::-1], {"mine": scores[::-1]}, 100, np.random.default_rng(0))
    assert (
        first["rows"]["mine"]["accuracy"] == reversed_rows["rows"]["mine"]["accuracy"] == pytest.approx(2 / 3)
    )


def test_incomplete_pairs_and_scores_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"pair '3': expected two stories of different scores, got 1$"):
        preference_table(rows()[:-1], {"mine": [1.0, 2, 3, 4, 5]}, 100, np.random.default_rng(0))
    with pytest.raises(ValueError, match="mine: expected 6 finite scores, one per story, got 1"):
        preference_table(rows(), {"mine": [1.0]}, 100, np.random.default_rng(0))


def test_matched_accuracy_is_empty_without_pairs_of_similar_length() -> None:
    table = preference_table(rows()[2:4], {"mine": [1.0, 2.0]}, 100, np.random.default_rng(0))
    assert table["rows"]["mine"]["matched"] == {}
    (laid_out,) = preference_tables({"x": {**table, "title": "Mine"}})
    assert laid_out.rows[0] == ["mine", ".000", "–", "0.0%"]


def test_sample_keeps_both_stories_of_a_pair() -> None:
    sampled_set, sampled_rows = sample_stories(sets.TEST_SETS["storycloze"], rows(), 2, 0)
    assert sampled_set.title == "Story Cloze (2 of 3 pairs)"
    assert len(sampled_rows) == 4
    assert len({row["pair"] for row in sampled_rows}) == 2


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with pairs of Story Cloze and a few stories of HANNA with released scores."""
    (tmp_path / "storycloze").mkdir()
    sentences = ",".join(f"InputSentence{position}" for position in range(1, 5))
    heading = f"InputStoryid,{sentences},RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding"
    (tmp_path / "storycloze" / "cloze_spring2016_test.csv").write_text(
        f"{heading}\nx,A.,B.,C.,D.,Right.,Wrong it is.,1\ny,A.,B.,C.,D.,Wrong.,Right it is.,2\n"
    )
    (tmp_path / "hanna").mkdir()
    with gzip.open(tmp_path / "hanna" / "hanna_half.jsonl.gz", "wt") as file:
        for number in range(6):
            story = {
                "prompt": f"p{number % 3}",
                "human_story": "h",
                "story": "s " * (number + 1),
                "model": "GPT",
            }
            ratings = {name: [1 + (number + position) % 5, 3] for position, name in enumerate(CRITERIA)}
            metrics = {"BLEU": number / 7, "BaryScore-W": number / 7, "Mistral-7B CH 1": number}
            metrics |= {"ChatGPT AVG 1": number, "ChatGPT CH 1": -number}
            file.write(
                json.dumps({"story_id": number, **story, "ratings": ratings, "metrics": metrics}) + "\n"
            )
    return tmp_path


def test_run_on_preference_pairs_and_a_criterion(data: Path) -> None:
    chosen = [sets.test_set("storycloze"), sets.test_set("hanna:coherence")]
    results = run([], chosen, Settings(data=data, draws=100, say=lambda line: None, processes=1))
    assert results["skipped"] == {}
    assert results["preferences"]["storycloze"]["rows"]["length"]["accuracy"] == 0.5
    coherence = results["judged"]["hanna:coherence"]
    assert coherence["rows"]["ChatGPT as judge"]["kind"] == "released"
    assert coherence["title"] == "HANNA, coherence"
    assert coherence["judgments"] == [2.5, 3.0, 3.5, 4.0, 2.0, 2.5]
    assert coherence["rows"]["ChatGPT as judge"]["pearson"] == pytest.approx(
        -coherence["rows"]["Mistral-7B as judge"]["pearson"]
    )


def test_released_scores_of_hanna_follow_their_direction(data: Path) -> None:
    hanna_rows = sets.TEST_SETS["hanna"].read(data)
    scores = released_scores("hanna", hanna_rows, data)
    assert set(scores) == {"BLEU", "BaryScore", "ChatGPT as judge"}
    assert scores["BLEU"][5] == pytest.approx(5 / 7)
    assert scores["BaryScore"][5] == pytest.approx(-5 / 7)
    with pytest.raises(ValueError, match="1 stories have no scores, such as x"):
        released_scores("hanna", [*hanna_rows, {"story_id": "x"}], data)


def test_unknown_sets_and_criteria_are_rejected(data: Path) -> None:
    with pytest.raises(ValueError, match="unknown test set nothing, expected any of mans_roc"):
        sets.test_set("nothing:coherence")
    with pytest.raises(ValueError, match="unknown criterion 'beauty', expected one of relevance, coherence"):
        sets.test_set("hanna:beauty").read(data)
    with pytest.raises(ValueError, match="expected no criterion"):
        sets.test_set("storycloze:beauty").read(data)


def test_interval_of_pairs_that_are_all_right_depends_on_their_number() -> None:
    pairs = [Preference(str(n), str(n // 2), "a good story .", "a dull story .") for n in range(20)]
    made = [dict(row) for row in preference_rows(pairs)]
    right = [float(row["score"]) for row in made]
    scores = {"right": right, "wrong": [-score for score in right], "tied": [0.0] * 40}
    table = preference_table(made, scores, 100, np.random.default_rng(0))["rows"]
    ends = {title: table[title]["intervals"]["accuracy"] for title in scores}
    low, high = stats.binomtest(10, 10).proportion_ci(method="exact")  # ten prompts
    assert ends["right"] == pytest.approx([low, high])
    assert ends["wrong"] == pytest.approx([1 - high, 1 - low])
    assert ends["tied"] is None
