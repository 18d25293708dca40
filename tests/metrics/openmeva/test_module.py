"""The evaluate module: loading, all tables, bad input, and that failed calls leave nothing behind."""

import json
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pytest

from openmeva.metrics.openmeva.correlation import COEFFICIENTS

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "metrics" / "openmeva"


@pytest.fixture
def benchmark():
    return evaluate.load(str(FOLDER), "judgments")


def make_rows(count=40, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=count)
    references = []
    for k in range(count):
        ratings = np.clip(np.rint(3 + quality[k] + 0.5 * rng.normal(size=5)), 1, 5)
        words = " ".join(rng.choice(["the", "dog", "ran", "home", "again", "slowly"], rng.integers(5, 12)))
        references.append(
            {
                "story_id": f"s{k}", "prompt": f"p{k // 4}", "story": f"{words} .",
                "source_model": "abcd"[k % 4], "ratings": ratings.tolist(), "reference": "unused",
                "error_types": [["chaotic"] if rating < 3 else [] for rating in ratings],
            }
        )  # fmt: skip
    return references, quality + 0.7 * rng.normal(size=count)


def test_all_sections_are_plain_json(benchmark):
    references, scores = make_rows(240)
    rng = np.random.default_rng(1)
    result = benchmark.compute(
        predictions=scores, references=references, others={"noise": rng.normal(size=240).tolist()}, draws=200
    )
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert {"pearson", "spearman", "kendall", "p_values", "intervals", "n", "signature"} <= set(result)
    assert result["n"] == 240
    assert 0.4 < result["pearson"] < 1
    low, high = result["intervals"]["pearson"]
    assert low < result["pearson"] < high
    assert set(result["model_drift"]["by_source"]) == set("abcd")
    assert "chaotic" in result["by_error_type"]["types"]
    assert result["score_differences"]["sets"] == 4
    assert len(result["quality_drift"]) == 8
    assert 0.5 < result["noise_ceiling"]["share"]["pearson"] < 1
    assert result["trivial"]["beats"]["pearson"]["beats"] is True
    assert result["comparisons"]["noise"]["williams"]["p_value"] < 0.01
    assert "human_and_machine" in result["unavailable"]
    assert "sorted" in result["human_scores"]["agreement"]["refused"]["kendall_w"]


def test_trivial_baseline_does_not_beat_itself(benchmark):
    references, _ = make_rows(60)
    lengths = [len(row["story"].split()) for row in references]
    beats = benchmark.compute(predictions=lengths, references=references, draws=200)["trivial"]["beats"]
    assert not any(comparison["beats"] for comparison in beats.values())


def test_same_seed_gives_the_same_result_in_any_call_order(benchmark):
    references, scores = make_rows()
    first = benchmark.compute(predictions=scores, references=references, draws=150, seed=3)
    benchmark.compute(predictions=-scores, references=references, draws=150, seed=1)
    assert benchmark.compute(predictions=scores, references=references, draws=150, seed=3) == first
    assert benchmark.compute(predictions=scores, references=references, draws=150, seed=4) != first


def test_adding_rows_singly_or_in_batches_is_equivalent(benchmark):
    references, scores = make_rows()
    whole = benchmark.compute(predictions=scores, references=references, draws=100)
    benchmark.add_batch(predictions=scores[:30], references=references[:30])
    for score, row in zip(scores[30:], references[30:], strict=True):
        benchmark.add(prediction=score, reference=row)
    assert benchmark.compute(draws=100) == whole


def test_combined_with_another_module(benchmark):
    references, scores = make_rows()
    combined = evaluate.combine([benchmark])
    whole = combined.compute(predictions=scores, references=references, draws=100)
    assert whole["n"] == 40
    for score, row in zip(scores, references, strict=True):
        combined.add(score, row)
    assert combined.compute(draws=100) == whole
    combined.add_batch(scores, references)
    assert combined.compute(draws=100) == whole


def test_signature_does_not_depend_on_the_row_container(benchmark):
    references, scores = make_rows()
    references = [{**row, "error_types": None} for row in references]
    table = datasets.Dataset.from_list(references)
    signatures = {
        benchmark.compute(predictions=scores, references=container, draws=100)["signature"]
        for container in (references, table, table.with_format("numpy"))
    }
    assert len(signatures) == 1


def rows_with_change(row, **change):
    references, _ = make_rows()
    references[row] = {**references[row], **change}
    return references


@pytest.mark.parametrize(
    ("scores", "references", "message"),
    [
        ([0.1] * 39, make_rows()[0], "expected 40 scores, one per story, got 39"),
        ([0.1, float("nan"), *range(38)], make_rows()[0], "got nan in row 1"),
        ([0.1, float("inf"), float("inf"), *range(37)], make_rows()[0], "got inf in rows 1, 2"),
        ([0.5] * 40, make_rows()[0], "all 40 scores are 0.5"),
        (["0.5", *range(39)], make_rows()[0], "row 0: expected a number, got '0.5'"),
        ([None, *range(39)], make_rows()[0], "row 0: expected a number, got None"),
        ([10**400, *range(39)], make_rows()[0], "expected finite scores, got inf in row 0"),
        (list, make_rows()[0], "predictions: expected a list of scores, got type"),
        (range(40), {"a": 1}, "references: expected a list of rows, got dict"),
        (range(40), rows_with_change(2, ratings=np.array(3.0)), "row 2, ratings: expected a list of numbers"),
        (range(40), rows_with_change(2, ratings=[10**400]), "row 2, ratings: expected a finite number"),
        (
            range(40),
            rows_with_change(2, error_types=3),
            "row 2, error_types: expected a list of lists of names",
        ),
        ("0.5", make_rows()[0], "expected a list"),
        ([], make_rows()[0], "expected one score per story, got none"),
        (range(40), [], "at least one judged story"),
        (range(40), rows_with_change(3, story_id="s1"), "'s1' is in rows 1 and 3"),
        (
            range(40),
            rows_with_change(5, story=None),
            "'story': expected in every row or in none, missing in row 5",
        ),
        (range(40), rows_with_change(5, ratings="5"), "row 5, ratings: expected a list of numbers"),
        (
            range(40),
            rows_with_change(5, ratings=[1, None]),
            "row 5, ratings: expected a finite number, got None",
        ),
        (
            range(40),
            rows_with_change(5, ratings=[1, float("nan")]),
            "row 5, ratings: expected a finite number, got nan",
        ),
        (
            range(40),
            rows_with_change(5, prompt=float("nan")),
            "'prompt': expected in every row or in none, missing in row 5",
        ),
        (
            range(40),
            rows_with_change(5, score=9.0, ratings=[1, 2]),
            "'score': expected in every row or in none",
        ),
        (range(40), [{"story": "a"}] * 40, "'ratings' or 'score', got neither"),
    ],
)
def test_bad_input_error_names_rows_and_leaves_the_module_usable(benchmark, scores, references, message):
    with pytest.raises(ValueError, match=message):
        benchmark.compute(predictions=scores, references=references, draws=100)
    plain = [{"story": f"a {k} .", "score": k % 5} for k in range(9)]
    assert benchmark.compute(predictions=range(9), references=plain, draws=100)["n"] == 9


def test_constant_judgments_are_reported(benchmark):
    references = [{"story": f"a {k}", "score": 3} for k in range(5)]
    with pytest.raises(ValueError, match="same judgment"):
        benchmark.compute(predictions=range(5), references=references, draws=100)


def test_only_mans_restricts_ratings_to_1_to_5():
    references = [{"story": f"a {k} .", "ratings": [k % 2, 1]} for k in range(8)]
    scores = [0.1, 0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.6]
    with pytest.raises(ValueError, match="row 0, ratings: expected 1 to 5, got 0"):
        evaluate.load(str(FOLDER), "mans_roc").compute(predictions=scores, references=references, draws=100)
    result = evaluate.load(str(FOLDER), "judgments").compute(
        predictions=scores, references=references, draws=100
    )
    assert result["n"] == 8


def test_scores_as_large_as_floats_can_be_have_finite_correlations(benchmark):
    references, scores = make_rows()
    scores[:2] = -np.finfo(float).max  # two infinite perplexities
    huge = benchmark.compute(predictions=scores, references=references, draws=100)
    scores[:2] = -1e12
    usual = benchmark.compute(predictions=scores, references=references)
    json.dumps(huge, allow_nan=False)
    assert [huge[name] for name in COEFFICIENTS] == pytest.approx([usual[name] for name in COEFFICIENTS])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan"), 10**400])
def test_reasonable_above_is_finite(benchmark, value):
    references, scores = make_rows()
    benchmark.add_batch(predictions=scores, references=references)
    with pytest.raises(ValueError, match="reasonable_above: expected a finite number or None, got"):
        benchmark.compute(reasonable_above=value)
    assert len(benchmark) == 40, "added rows are kept"


def test_unknown_configuration_lists_the_available_ones():
    with pytest.raises(
        ValueError, match=r"unknown configuration 'mans', expected one of mans_roc, .*autos_invariance"
    ):
        evaluate.load(str(FOLDER), "mans")


def test_blank_prompts_are_ignored_and_single_prompt_has_no_interval(benchmark):
    scores = [0.1, 0.9, 0.2, 0.8, 0.1, 0.7, 0.3, 0.6]
    plain = [{"story": "a" + " b" * k, "score": (k * 7) % 5} for k in range(8)]
    without = benchmark.compute(predictions=scores, references=plain, draws=100)
    blank = benchmark.compute(
        predictions=scores, references=[{**row, "prompt": " "} for row in plain], draws=100
    )
    assert blank["intervals"] == without["intervals"]
    assert without["intervals"]["pearson"] is not None
    one = benchmark.compute(
        predictions=scores,
        references=[{**row, "prompt": "Tell."} for row in plain],
        others={"other": list(range(8))},
        draws=100,
    )
    assert one["intervals"] == {"pearson": None, "spearman": None, "kendall": None}
    assert not any(comparison["beats"] for comparison in one["trivial"]["beats"].values())
    assert one["comparisons"]["other"]["bootstrap"]["pearson"]["p_value"] is None


def test_autos_rejects_options_of_human_judgments():
    module = evaluate.load(str(FOLDER), "autos_discrimination")
    with pytest.raises(ValueError, match="row 0: expected a mapping, got str"):
        module.compute(predictions=[1.0], references=["a ."])
    row = {"story_id": "1", "story": "a .", "aspect": "typo", "label": 1}
    with pytest.raises(ValueError, match="others: expected with human judgments, which autos_discrimination"):
        module.compute(predictions=[1.0], references=[row], others={"x": [1.0]})
    module.add(prediction=1.0, reference=row)
    with pytest.raises(ValueError, match="reasonable_above: expected with human judgments"):
        module.compute(reasonable_above=4)
    assert len(module) == 1


def test_judgments_configuration_requires_rows(benchmark):
    with pytest.raises(ValueError, match="no test set of its own"):
        benchmark.compute(predictions=[1, 2, 3])


def test_rows_are_loaded_from_a_parquet_folder(tmp_path):
    references, scores = make_rows()
    folder = tmp_path / "mans"
    folder.mkdir()
    datasets.Dataset.from_list(references).to_parquet(str(folder / "roc.parquet"))
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: roc\n  data_files:\n  - split: test\n    path: roc.parquet\n---\n"
    )
    benchmark = evaluate.load(str(FOLDER), "mans_roc")
    result = benchmark.compute(predictions=scores, dataset=str(folder), draws=100)
    assert result["pearson"] == pytest.approx(
        benchmark.compute(predictions=scores, references=references, draws=100)["pearson"]
    )


def test_autos_configurations():
    originals = [{"story_id": f"o{k}", "story": "s .", "aspect": "typo", "label": 1} for k in range(9)]
    perturbed = [
        {
            "story_id": f"p{k}",
            "story": "t .",
            "aspect": "typo",
            "label": 0,
            "perturbed_from": f"o{k}",
            "technique": "x",
        }
        for k in range(9)
    ]
    scores = np.r_[np.arange(9) + 3.0, np.arange(9)]
    for name in ("discrimination", "invariance"):
        result = evaluate.load(str(FOLDER), f"autos_{name}").compute(
            predictions=scores, references=originals + perturbed, draws=100
        )
        assert result[name]["aspects"]["typo"]["human"]["pair_wins"] == 1.0
        assert {"pearson", "spearman", "kendall", "p_values", "intervals", "n"} <= set(result)


@pytest.mark.parametrize("draws", [0, 99])
def test_too_few_bootstrap_draws_are_rejected(benchmark, draws):
    references, scores = make_rows()
    with pytest.raises(ValueError, match="at least 100"):
        benchmark.compute(predictions=scores, references=references, draws=draws)
