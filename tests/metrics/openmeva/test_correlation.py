"""Coefficients compared with R, with ties and constants."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.correlation import correlate, correlate_part

# cor(a, b), method "pearson", "spearman", "kendall" of R 4.2.2: ties on both sides.
A = np.array([1, 2, 2, 3, 4, 4, 4, 5, 1, 3.0])
B = np.array([2, 1, 2, 3, 3, 5, 4, 5, 1, 1.0])


def test_coefficients_equal_r():
    result = correlate(A, B)
    assert result["pearson"] == pytest.approx(0.8123817589, abs=1e-10)
    assert result["spearman"] == pytest.approx(0.8069620253, abs=1e-10)
    assert result["kendall"] == pytest.approx(0.6923076923, abs=1e-10)


def test_kendall_is_the_pair_count_divided_by_untied_pairs():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 6, 40).astype(float), rng.integers(0, 4, 40).astype(float)
    dx, dy = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    expected = (dx * dy).sum() / np.sqrt((dx != 0).sum() * (dy != 0).sum())
    assert correlate(x, y)["kendall"] == pytest.approx(expected, abs=1e-12)


def test_negating_one_side_negates_every_coefficient():
    original, negated = correlate(A, B), correlate(-A, B)
    for name in ("pearson", "spearman", "kendall"):
        assert negated[name] == pytest.approx(-original[name])
        assert negated["p_values"][name] == pytest.approx(original["p_values"][name])


def test_monotone_transformation_keeps_rank_coefficients():
    assert correlate(np.exp(A), B)["spearman"] == pytest.approx(correlate(A, B)["spearman"])
    assert correlate(np.exp(A), B)["kendall"] == pytest.approx(correlate(A, B)["kendall"])


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], "same score"),
        ([1, 2, 3, 4], [2, 2, 2, 2], "same judgment"),
        ([1, 2], [1, 2], "at least 3"),
    ],
)
def test_undefined_correlation_is_reported_with_reason(x, y, reason):
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    with pytest.raises(ValueError, match=reason):
        correlate(x, y)
    assert reason in correlate_part(x, y)["undefined"]


@pytest.mark.parametrize(
    ("y", "p_value"),
    [([1.0, 2, 3], 2 / 6), ([1.0, 2, 3, 4], 2 / 24), ([1.0, 2, 4, 3, 5], 10 / 120), ([1.0, 1, 2], 4 / 6)],
)
def test_small_samples_have_exact_p_values_of_spearman(y, p_value):
    """Twice the share of all orders whose coefficient is at least as high."""
    assert correlate(np.arange(len(y)), np.array(y))["p_values"]["spearman"] == pytest.approx(p_value)
