"""Collecting results of several benchmark runs, and keeping those of an earlier collection."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.spaces.leaderboard.app import read_results
from openmeva.spaces.leaderboard.collect import aspect_cells, collect, keep_old_rows, merge_runs
from openmeva.spaces.leaderboard.views import autos_table as autos_view
from openmeva.training.benchmark.tables import read_published
from openmeva.training.hub.figures import autos_table


def run(**rows: str) -> dict[str, Any]:
    """A run on one set, from the kind of each row; each row's value is the number of rows."""
    found = {title: {"kind": kind, "pearson": len(rows)} for title, kind in rows.items()}
    return {"settings": {"draws": 10}, "judged": {"union_roc": {"n": 4, "rows": found}}, "autos": {}}


def kinds(result: dict[str, Any]) -> dict[str, str]:
    return {title: row["kind"] for title, row in result["judged"]["union_roc"]["rows"].items()}


def test_a_released_row_never_takes_the_place_of_ours() -> None:
    both = run(UNION="ours", length="trivial", **{"UNION (released)": "released"})
    alone = run(UNION="released", PPL="ours")  # a run of PPL alone: nothing of ours bears the name
    wanted = {"UNION": "ours", "UNION (released)": "released", "length": "trivial", "PPL": "ours"}
    for runs in ([both, alone], [alone, both]):
        assert kinds(merge_runs(runs)) == wanted


def test_a_later_row_stands_in_place_of_an_earlier_one() -> None:
    later = run(UNION="ours", PPL="ours") | {"settings": {"draws": 20}}
    found = merge_runs([run(UNION="ours"), later])["judged"]["union_roc"]
    assert found["rows"]["UNION"]["pearson"] == 2
    assert found["settings"] == {"draws": 20}


def test_other_stories_of_one_set_are_told() -> None:
    other = copy.deepcopy(run(UNION="ours"))
    other["judged"]["union_roc"]["n"] = 5
    with pytest.raises(ValueError, match="union_roc: one run has 4 rows, another 5"):
        merge_runs([run(UNION="ours"), other])


def test_a_set_read_by_a_criterion(tmp_path: Path) -> None:
    found = run(UNION="ours")["judged"]["union_roc"]
    figures = {"pearson": 0.1, "spearman": 0.1, "kendall": 0.1}
    found |= {"title": "HANNA, coherence", "prompts": 2, "judgments": [1.0, 2.0, 3.0, 2.5]}
    found["rows"]["UNION"] |= figures | {"intervals": {key: [0.0, 0.2] for key in figures}}
    found |= {"settings": {"draws": 10}}
    both = {
        "judged": {"hanna:coherence": found, "hanna": {**found, "title": "HANNA"}},
        "autos": {},
    }
    out = tmp_path / "results.json"
    out.write_text(json.dumps(collect(both, read_published())), encoding="utf-8")
    assert collect(both, read_published())["judged"]["hanna:coherence"]["corpus"] == "wp"
    assert list(read_results(out)["judged"]) == ["hanna", "hanna:coherence"]
    kept = {**collected("a"), "judged": {}}
    with pytest.raises(ValueError, match="hanna:coherence, UNION: weights union/wp have changed"):
        keep_old_rows(kept, {**json.loads(out.read_text(encoding="utf-8")), "weights": {"union/wp": "b"}})


def collected(weights: str, **rows: str) -> dict[str, Any]:
    found = [{"title": title, "kind": kind} for title, kind in rows.items()]
    judged = {"union_roc": {"n": 4, "rows": found}}
    return {"judged": judged, "autos": {}, "weights": {"union/roc": weights}}


def test_what_no_run_measured_is_kept() -> None:
    new = collected("a", PPL="ours", length="trivial")
    old = collected("a", UNION="ours", PPL="ours", length="trivial", BLEU="released")
    old["autos"]["autos_mini_invariance"] = {"rows": [{"title": "length", "kind": "trivial"}]}
    keep_old_rows(new, old)
    assert [row["title"] for row in new["judged"]["union_roc"]["rows"]] == ["UNION", "PPL", "length"]
    assert new["autos"] == old["autos"]


def test_rows_keep_their_order_and_what_others_released_its_title() -> None:
    new = collected("a", BLEU="released", PPL="ours", new="ours")
    old = collected("a", PPL="ours", BLEU="ours")
    old["judged"] = {"hanna": {"n": 1, "rows": []}, **old["judged"]}
    old["judged"]["union_roc"]["rows"].append({"title": "BLEU (released)", "kind": "released"})
    keep_old_rows(new, old)
    assert list(new["judged"]) == ["hanna", "union_roc"]
    titles = [row["title"] for row in new["judged"]["union_roc"]["rows"]]
    assert titles == ["PPL", "BLEU", "BLEU (released)", "new"]


@pytest.mark.parametrize("part", ["judged", "autos"])
def test_rows_of_a_set_that_has_changed_are_not_kept(part: str) -> None:
    name = {"judged": "union_roc", "autos": "autos_mini_invariance"}[part]
    new, old = collected("a", PPL="ours"), collected("a", UNION="ours")
    new[part] = {name: {"n": 5, "rows": []}}
    old[part] = {name: {"n": 4, "rows": []}}
    with pytest.raises(ValueError, match=f"{name}: 4 rows before, 5 now: measure every metric again"):
        keep_old_rows(new, old)
    old[part][name]["rows"] = [{"title": "UNION", "kind": "ours"}]
    keep_old_rows(new, old, drop_changed=True)
    assert new[part][name]["rows"] == []


def test_rows_of_another_build_of_autos_are_kept_where_that_is_wished() -> None:
    """Each with the number of stories of its build, also from older builds; rows of judged sets are never kept."""
    name = "autos_mini_invariance"
    new, old = collected("a"), collected("a")
    new["autos"] = {name: {"n": 5, "rows": [{"title": "PPL", "kind": "ours"}]}}
    kept = [{"title": "UNION", "kind": "ours"}, {"title": "SentAvg", "kind": "ours", "n": 3}]
    old["autos"] = {name: {"n": 4, "rows": [{"title": "PPL", "kind": "ours"}, *kept]}}
    keep_old_rows(new, old, other_builds=True)
    assert new["autos"][name]["n"] == 5
    assert new["autos"][name]["rows"] == [
        {"title": "PPL", "kind": "ours"},
        {"title": "UNION", "kind": "ours", "n": 4},
        {"title": "SentAvg", "kind": "ours", "n": 3},
    ]
    old["judged"]["union_roc"]["n"] = 9
    with pytest.raises(ValueError, match="union_roc: 9 rows before, 4 now"):
        keep_old_rows(new, old, other_builds=True)


def test_a_row_of_another_build_says_so() -> None:
    aspects = {"typo": {"pearson": 0.25, "pair_wins": 0.5, "interval": [0.2, 0.3]}}
    row = {"kind": "ours", "average": 0.25, "aspects": aspects}
    rows = [{"title": "PPL", **row}, {"title": "UNION", "n": 1200, **row}]
    name = "autos_mini_discrimination"
    found = {"title": "AUTOS mini, discrimination test", "n": 1198, "rows": rows}
    page, card = autos_view(found, "pearson"), autos_table({"autos": {name: found}}, name)
    for shown in (page, card):
        assert "UNION (1,200 rows)" in shown
        assert "PPL (1" not in shown


def test_a_row_of_other_weights_is_not_kept() -> None:
    with pytest.raises(ValueError, match="union_roc, UNION: weights union/roc have changed"):
        keep_old_rows(collected("b", PPL="ours"), collected("a", UNION="ours"))
    new = collected("b", UNION="ours")
    keep_old_rows(new, collected("a", UNION="ours"))
    assert new == collected("b", UNION="ours"), "measured again"


def test_a_row_of_other_weights_is_left_out_where_that_is_wished() -> None:
    new, old = collected("b", PPL="ours"), collected("a", UNION="ours", length="trivial")
    old["autos"]["autos_roc_invariance"] = {"rows": [{"title": "UNION", "kind": "ours"}]}
    keep_old_rows(new, old, drop_changed=True)
    assert [row["title"] for row in new["judged"]["union_roc"]["rows"]] == ["PPL"]
    assert new["autos"]["autos_roc_invariance"]["rows"] == []


def test_an_aspect_of_several_origins() -> None:
    """Its values are those of the first origin, as on the leaderboard; `by_origin` has each correlation, for Table 7."""
    human, other = {"pearson": 0.25, "pair_wins": 0.5}, {"pearson": -0.125, "pair_wins": 0.75}
    lower = {"pearson": -0.5, "pair_wins": 0.4}
    table = {
        "aspects": {
            "typo": {"human": human, "discrimination": other},
            "synonym": {"human": human},
            "punctuation": {"human": lower},
        }
    }
    found = aspect_cells(table)
    assert (found["average"], found["average_size"]) == (0.0, pytest.approx(1 / 3, abs=1e-6))
    cells = found["aspects"]
    assert cells["typo"] == {
        **human,
        "interval": None,
        "by_origin": {"human": 0.25, "discrimination": -0.125},
    }
    assert cells["synonym"] == {**human, "interval": None}


def test_invariance_is_ordered_by_the_size_of_errors_whatever_their_sign() -> None:
    def row(title: str, *pearsons: float) -> dict[str, Any]:
        aspects = {
            f"a{k}": {"pearson": p, "pair_wins": 0.5 + p, "interval": None} for k, p in enumerate(pearsons)
        }
        return {"title": title, "kind": "ours", "aspects": aspects}

    name = "autos_mini_invariance"
    found = {
        "title": "AUTOS mini, invariance test",
        "n": 9,
        "rows": [row("Wild", 0.3, -0.3), row("Calm", 0.1, 0.1)],
    }
    card = autos_table({"autos": {name: found}}, name)
    assert "| Wild | .300 | -.300 | .300 |" in card
    for measure in ("pearson", "pair_wins"):
        page = autos_view(found, measure)
        assert page.index("Calm") < page.index("Wild")
