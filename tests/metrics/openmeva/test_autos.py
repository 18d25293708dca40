"""Discrimination and invariance tests: small cases with known answers, and malformed rows."""

import itertools

import numpy as np
import pandas as pd
import pytest

from openmeva.metrics.openmeva.autos import _family, aspect_tables, auc, check_rows, sign_test


def autos_rows():
    originals = [
        {"story_id": f"o{k}", "story": "s .", "aspect": "typo", "label": 1, "origin": "human"}
        for k in range(6)
    ]
    perturbed = [
        {"story_id": f"p{k}", "story": "t .", "aspect": "typo", "label": 0, "origin": "human",
         "technique": "swap" if k % 2 else "drop", "perturbed_from": f"o{k}"}
        for k in range(6)
    ]  # fmt: skip
    return originals + perturbed


def test_autos_cells_equal_manual_computation():
    metric = np.array([5, 4, 3, 2, 1, 0, 4, 4, 2, 3, 0, 0.0])
    result = aspect_tables(metric, check_rows(autos_rows()), 200, np.random.default_rng(0))
    cell = result["aspects"]["typo"]["human"]
    assert (cell["originals"], cell["perturbed"], cell["n"]) == (6, 6, 12)
    # Against their own original: 5>4, 4=4, 3>2, 2<3, 1>0, 0=0.
    assert cell["pair_wins"] == pytest.approx((3 + 0.5 + 0.5) / 6)
    assert cell["pair_wins_p_value"] == pytest.approx(2 * 5 / 16), (
        "3 of 4 untied pairs, or more, on either side"
    )
    assert cell["auc"] == pytest.approx(auc(metric[:6], metric[6:]))
    assert cell["pearson"] == pytest.approx(np.corrcoef(metric, [1] * 6 + [0] * 6)[0, 1])
    assert cell["techniques"]["swap"]["perturbed"] == 3
    assert cell["intervals"]["kendall"][0] <= cell["kendall"] <= cell["intervals"]["kendall"][1]
    assert result["average"]["pearson"] == pytest.approx(cell["pearson"])


def test_perturbed_story_is_compared_with_the_original_of_its_aspect():
    """A metric that samples may score the same original differently in each aspect."""
    rows = [{**row, "aspect": aspect, "story_id": row["story_id"] + ("/" + aspect) * (1 - row["label"])}
            for aspect in ("typo", "synonym") for row in autos_rows()]  # fmt: skip
    metric = np.r_[[2.0] * 6, [3.0] * 6, [5.0] * 6, [4.0] * 6]
    for order in (range(24), range(23, -1, -1)):
        checked = check_rows([rows[k] for k in order])
        aspects = aspect_tables(metric[list(order)], checked, 0, np.random.default_rng(0))["aspects"]
        assert [aspects[name]["human"]["pair_wins"] for name in ("typo", "synonym")] == [0, 1]


def test_pairs_of_one_story_count_once_in_the_sign_test():
    gains = np.array([1.0, 2, -1, -5, 3, 3])
    assert sign_test(gains, list("aabbcc")) == sign_test(gains[[0, 2, 4]], list("abc")) == 1
    assert sign_test(np.zeros(4), list("abcd")) == 1
    assert sign_test(np.ones(6), list("abcdef")) == pytest.approx(2 / 64)


def test_significance_is_of_pairs_not_of_independent_rows():
    """Each perturbed story scores a little below its own original, which the differences among stories hide otherwise."""
    metric = np.r_[np.arange(6.0), np.arange(6.0) - 0.1]
    result = aspect_tables(metric, check_rows(autos_rows()), 0, np.random.default_rng(0))
    assert result["aspects"]["typo"]["human"]["p_values"]["pearson"] > 0.9
    family = result["p_values"]["typo / human"]
    assert (family["p_value"], family["significant"]) == (pytest.approx(2 / 64), True)


def test_original_may_have_another_aspect():
    rows = [{**row, "aspect": "synonym"} if row["story_id"] == "o0" else row for row in autos_rows()]
    metric = np.array([9.0, 2, 2, 2, 2, 2, 8, 1, 1, 1, 1, 1])
    cell = aspect_tables(metric, check_rows(rows), 0, np.random.default_rng(0))["aspects"]["typo"]["human"]
    assert (cell["pair_wins"], cell["originals"], cell["perturbed"]) == (1, 5, 6)


def test_originals_of_one_story_are_resampled_together():
    rows = []
    for story, aspect in itertools.product(range(3), ("typo", "synonym")):
        name = f"s{story}/{aspect}"
        whole = {"story_id": name, "story": "s .", "aspect": "typo", "label": 1, "origin": "discrimination"}
        rows += [whole, {**whole, "story_id": f"{name}/typo", "label": 0, "perturbed_from": name}]
    assert sorted({_family(row) for row in rows}) == ["s0", "s1", "s2"]
    assert _family({**rows[0], "origin": "human"}) == "s0/typo", "names in a custom corpus"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": 2}, "row 7: expected label 0 or 1, got 2"),
        ({"label": np.array([1, 0])}, "row 7: expected label 0 or 1, got array"),
        ({"label": [0]}, "row 7: expected label 0 or 1, got \\[0\\]"),
        ({"label": pd.NA}, "row 7: expected label 0 or 1, got <NA>"),
        ({"perturbed_from": ["o1"]}, "row 7: expected a text in 'perturbed_from', got \\['o1'\\]"),
        ({"perturbed_from": np.array(["o1"])}, "row 7: expected a text in 'perturbed_from', got array"),
        ({"perturbed_from": None}, "row 7: expected a text in 'perturbed_from', got None"),
        ({"perturbed_from": "gone"}, "row 7: no original 'gone'"),
        ({"story_id": "p0"}, "'p0' \\(typo\\) is in rows 6 and 7"),
        ({"aspect": None}, "row 7: expected a text in 'aspect'"),
    ],
)
def test_bad_autos_rows_are_reported(change, message):
    rows = autos_rows()
    rows[7] |= change
    with pytest.raises(ValueError, match=message):
        check_rows(rows)


def test_number_of_draws_is_limited():
    rows = [{"story_id": f"o{k}", "story": "s", "aspect": "typo", "label": 1} for k in range(6)]
    rows += [
        {"story_id": f"p{k}", "story": "s", "aspect": "typo", "label": 0, "perturbed_from": f"o{k}"}
        for k in range(6)
    ]
    assert aspect_tables(np.arange(12.0), rows, 5000, np.random.default_rng(0))["draws"] == 1000
