"""Numbers of the sections against SciPy and NumPy, on scores and judgments that agree only in part."""

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.openmeva.autos import aspect_tables
from openmeva.metrics.openmeva.differences import score_differences, significant_pairs
from openmeva.metrics.openmeva.drift import quality_drift
from openmeva.metrics.openmeva.sections import judgment_tables
from openmeva.metrics.openmeva.sources import judgments_by_source
from tests.metrics.openmeva.test_sections import judged_stories


def test_share_of_variance_and_regions_of_differences():
    rng = np.random.default_rng(2)
    judgments = rng.integers(5, 26, 400) / 5
    result = score_differences(rng.normal(size=400) + 0.3 * judgments, judgments)
    human, metric, human_significant, metric_significant = significant_pairs(result)
    assert 0 < result["r2"] < 0.999
    assert result["r2"] == pytest.approx(stats.pearsonr(human, metric).statistic ** 2)
    regions = result["regions"]
    assert regions["human_only"] == (human_significant & ~metric_significant).mean() > 0
    assert regions["metric_only"] == (~human_significant & metric_significant).mean()
    assert regions["metric_only"] != regions["human_only"]


def test_quality_drift_is_the_mean_over_samples():
    """Stories of a level are sampled with probability 1 / (distance of levels + 1), as in UNION's section 4.4."""
    rng = np.random.default_rng(0)
    levels = np.repeat(np.arange(8), 10)
    judgments = levels / 7
    metric = judgments + rng.normal(size=80)
    first = quality_drift(metric, judged_stories(judgments), np.random.default_rng(1), draws=20)[0]
    chosen = np.random.default_rng(1).random((20, 80)) < 1 / (np.abs(1 - levels) + 1)
    values = [np.corrcoef(metric[sample], judgments[sample])[0, 1] for sample in chosen]
    assert first["n"] == pytest.approx(chosen.sum(axis=1).mean())
    assert (first["pearson"], first["sd"]) == pytest.approx((np.mean(values), np.std(values, ddof=1)))


@pytest.mark.parametrize("paired", [True, False])
def test_two_sources_are_tested_as_in_scipy(paired):
    rng = np.random.default_rng(0)
    first = rng.integers(1, 6, 20).astype(float)
    second = np.where(np.arange(20) < 8, first, first + rng.integers(-1, 3, 20))
    prompts = {"prompt": [str(n // 2) for n in range(40)]} if paired else {}
    judged = judged_stories(np.stack([first, second], 1).ravel(), source_model=["a", "b"] * 20, **prompts)
    result = judgments_by_source(judged)
    if paired:
        expected = stats.wilcoxon(first - second, zero_method="pratt", method="asymptotic").pvalue
        few = judged_stories(
            [5, 1, 4, 2, 3, 1, 4, 3, 5, 0],
            source_model=["a", "b"] * 5,
            prompt=[str(n // 2) for n in range(10)],
        )
        assert judgments_by_source(few)["pairs"]["p_values"]["a / b"]["p_value"] == 2 / 2**5
    else:
        expected = stats.mannwhitneyu(first, second, alternative="two-sided").pvalue
    assert result["pairs"]["p_values"]["a / b"]["p_value"] == pytest.approx(expected)
    box = result["boxes"]["b"]
    quartiles = [box[name] for name in ("min", "q1", "median", "q3", "max")]
    assert quartiles == pytest.approx(list(np.percentile(second, [0, 25, 50, 75, 100])))
    assert box["sd"] == pytest.approx(np.std(second, ddof=1))


def test_one_prompt_cannot_compare_three_sources() -> None:
    judged = judged_stories([1, 2, 3], source_model=["a", "b", "c"], prompt=["x"] * 3)
    with pytest.raises(ValueError, match="expected two prompts or more to compare source models by prompt"):
        judgments_by_source(judged)


def test_one_story_of_a_source_has_no_deviation() -> None:
    judged = judged_stories([1, 2, 3], source_model=["a", "b", "b"])
    assert [box["sd"] for box in judgments_by_source(judged)["boxes"].values()] == [
        None,
        pytest.approx(0.5**0.5),
    ]


def test_p_values_of_every_source_are_corrected_together():
    rng = np.random.default_rng(0)
    judgments = rng.normal(size=40)
    judged = judged_stories(judgments, source_model=["a", "b"] * 20)
    result = judgment_tables(judgments + rng.normal(size=40), judged, {}, 1, True, 100, rng)
    family = result["corrected_p_values"]
    assert set(family) == {"overall", "source: a", "source: b"}
    of_a = result["model_drift"]["by_source"]["a"]["p_values"]["pearson"]
    assert family["source: a"]["p_value"] == of_a
    assert result["human_scores"]["sd"] == pytest.approx(np.std(judgments, ddof=1))


def test_average_over_aspects_of_opposite_sign_and_techniques():
    rows = []
    for aspect in ("typo", "negation"):
        for n in range(4):
            original = f"{aspect}{n}"
            row = {"story": "s", "aspect": aspect}
            rows.append({**row, "story_id": original, "label": 1, "technique": "drop"})
            technique = "swap" if n % 2 else "drop"
            rows.append(
                {**row, "story_id": f"{original}p", "label": 0, "perturbed_from": original, "technique": technique}
            )  # fmt: skip
    metric = np.array([(n % 2 == 0) * (1 if n < 8 else -1) + 0.01 * n for n in range(16)])
    result = aspect_tables(metric, rows, 0, np.random.default_rng(0))
    cells = [result["aspects"][aspect]["human"] for aspect in ("typo", "negation")]
    typo, negation = (cell["pearson"] for cell in cells)
    assert typo > 0 > negation
    assert result["average"]["absolute_pearson"] == pytest.approx((typo - negation) / 2)
    assert result["average"]["pearson"] == pytest.approx((typo + negation) / 2)
    techniques = {
        name: (cell["originals"], cell["perturbed"]) for name, cell in cells[0]["techniques"].items()
    }
    assert techniques == {"drop": (4, 2), "swap": (4, 2)}
