"""When the difference between two metrics is clear."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.results.verdicts import UNCLEAR, add_verdicts


def comparisons_with(*p_values: tuple[float, float | None], difference: float) -> dict[str, dict]:
    """Tests of PERM-BOTH and of the bootstrap, with these p-values."""
    return {
        str(number): {
            "difference": {"kendall": difference},
            "permutation": {"p_value": permuted},
            "bootstrap": {"kendall": {"p_value": resampled}},
        }
        for number, (permuted, resampled) in enumerate(p_values)
    }


@pytest.mark.parametrize(
    ("p_values", "verdict"),
    [((0.01, 0.02), "better"), ((0.06, 0.02), UNCLEAR), ((0.01, 0.06), UNCLEAR), ((0.01, None), UNCLEAR)],
)
def test_both_tests_have_to_find_the_difference(p_values: tuple[float, float | None], verdict: str) -> None:
    tests = comparisons_with(p_values, difference=0.2)
    add_verdicts(tests, "kendall")
    assert tests["0"]["verdict"] == verdict
    below = comparisons_with(p_values, difference=-0.2)
    add_verdicts(below, "kendall")
    assert below["0"]["verdict"] == ("worse" if verdict == "better" else UNCLEAR)


def test_few_draws_can_find_a_difference_from_many_metrics() -> None:
    rng = np.random.default_rng(0)
    rows = [{"story": f"story {number}", "score": number / 80} for number in range(400)]
    judged = JudgedStories.from_rows(rows)
    ours = {"good": (judged.scores + rng.normal(0, 0.3, 400)).tolist()}
    noise = {f"noise {number}": rng.normal(size=400).tolist() for number in range(8)}
    table = judged_table(judged, ours, noise, 100, rng, sources=False)
    assert {test["verdict"] for test in table["pairs"]["against"].values()} == {"better"}


def test_p_values_are_corrected_for_all_comparisons() -> None:
    tests = comparisons_with((0.03, 0.01), (0.04, 0.01), difference=0.2)
    add_verdicts(tests, "kendall")
    assert [test["permutation"]["holm"] for test in tests.values()] == pytest.approx([0.06, 0.06])
    assert [test["bootstrap"]["kendall"]["holm"] for test in tests.values()] == pytest.approx([0.02, 0.02])
    assert {test["verdict"] for test in tests.values()} == {UNCLEAR}
