"""What the leaderboard takes of several benchmark runs, and keeps of an earlier collection."""

import copy
from typing import Any

import pytest

from openmeva.spaces.leaderboard.collect import keep, merged


def run(**rows: str) -> dict[str, Any]:
    """A run on one set; of each row its kind, and how many rows the run has as its figure."""
    found = {title: {"kind": kind, "pearson": len(rows)} for title, kind in rows.items()}
    return {"settings": {}, "judged": {"union_roc": {"n": 4, "rows": found}}, "autos": {}}


def kinds(result: dict[str, Any]) -> dict[str, str]:
    return {title: row["kind"] for title, row in result["judged"]["union_roc"]["rows"].items()}


def test_a_released_row_never_takes_the_place_of_ours() -> None:
    both = run(UNION="ours", length="trivial", **{"UNION (released)": "released"})
    alone = run(UNION="released", PPL="ours")  # a run of PPL alone: nothing of ours bears the name
    wanted = {"UNION": "ours", "UNION (released)": "released", "length": "trivial", "PPL": "ours"}
    for runs in ([both, alone], [alone, both]):
        assert kinds(merged(runs)) == wanted


def test_a_later_row_stands_in_place_of_an_earlier_one() -> None:
    rows = merged([run(UNION="ours"), run(UNION="ours", PPL="ours")])["judged"]["union_roc"]["rows"]
    assert rows["UNION"]["pearson"] == 2


def test_other_stories_of_one_set_are_told() -> None:
    other = copy.deepcopy(run(UNION="ours"))
    other["judged"]["union_roc"]["n"] = 5
    with pytest.raises(ValueError, match="union_roc: one run has 4 rows, another 5"):
        merged([run(UNION="ours"), other])


def collected(weights: str, **rows: str) -> dict[str, Any]:
    found = [{"title": title, "kind": kind} for title, kind in rows.items()]
    return {"judged": {"union_roc": {"rows": found}}, "autos": {}, "weights": {"union/roc": weights}}


def test_what_no_run_measured_is_kept() -> None:
    new = collected("a", PPL="ours", length="trivial")
    old = collected("a", UNION="ours", PPL="ours", length="trivial", BLEU="released")
    old["autos"]["autos_mini_invariance"] = {"rows": [{"title": "length", "kind": "trivial"}]}
    keep(new, old)
    assert [row["title"] for row in new["judged"]["union_roc"]["rows"]] == ["PPL", "length", "UNION"]
    assert new["autos"] == old["autos"]


def test_a_row_of_other_weights_is_not_kept() -> None:
    with pytest.raises(ValueError, match="union_roc, UNION: weights union/roc have changed"):
        keep(collected("b", PPL="ours"), collected("a", UNION="ours"))
    new = collected("b", UNION="ours")
    keep(new, collected("a", UNION="ours"))
    assert new == collected("b", UNION="ours"), "measured again"
