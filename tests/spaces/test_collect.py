"""Collecting results of several benchmark runs, and keeping those of an earlier collection."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.spaces.leaderboard.app import read_results
from openmeva.spaces.leaderboard.cells import aspect_cells
from openmeva.spaces.leaderboard.collect import collect, keep_old_rows, main, merge_runs
from openmeva.spaces.leaderboard.views import autos_table as autos_view
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.hub.figures import autos_table
from openmeva.training.paths import RESULTS


def run(**rows: str) -> dict[str, Any]:
    """A run on one set, from the kind of each row; each row's value is the number of rows."""
    entries = {title: {"kind": kind, "pearson": len(rows)} for title, kind in rows.items()}
    return {"settings": {"draws": 10}, "judged": {"union_roc": {"n": 4, "rows": entries}}, "autos": {}}


def kinds(result: dict[str, Any]) -> dict[str, str]:
    return {title: row["kind"] for title, row in result["judged"]["union_roc"]["rows"].items()}


def test_released_row_never_replaces_own_row() -> None:
    full = run(UNION="ours", length="trivial", **{"UNION (released)": "released"})
    single = run(UNION="released", PPL="ours")  # a run of PPL alone: nothing of ours bears the name
    expected = {"UNION": "ours", "UNION (released)": "released", "length": "trivial", "PPL": "ours"}
    for runs in ([full, single], [single, full]):
        assert kinds(merge_runs(runs)) == expected


def test_later_run_replaces_earlier_row() -> None:
    later = run(UNION="ours", PPL="ours") | {"settings": {"draws": 20}}
    merged = merge_runs([run(UNION="ours"), later])["judged"]["union_roc"]
    assert merged["rows"]["UNION"]["pearson"] == 2
    assert merged["settings"] == {"draws": 20}


def test_runs_on_different_stories_are_rejected() -> None:
    other = copy.deepcopy(run(UNION="ours"))
    other["judged"]["union_roc"]["n"] = 5
    with pytest.raises(ValueError, match="union_roc: one run has 4 rows, another 5"):
        merge_runs([run(UNION="ours"), other])


def test_runs_on_different_builds_of_autos_are_rejected() -> None:
    first, second = run(), run()
    first["autos"] = {"autos_roc_invariance": {"n": 4, "stories": "a", "rows": {}}}
    second["autos"] = {"autos_roc_invariance": {"n": 4, "stories": "b", "rows": {}}}
    with pytest.raises(ValueError, match="two runs have 4 stories each, but different stories"):
        merge_runs([first, second])


def test_set_read_by_criterion_is_collected(tmp_path: Path) -> None:
    judged_set = run(UNION="ours")["judged"]["union_roc"]
    figures = {"pearson": 0.1, "spearman": 0.1, "kendall": 0.1}
    judged_set |= {"title": "HANNA, coherence", "prompts": 2, "judgments": [1.0, 2.0, 3.0, 2.5]}
    judged_set["rows"]["UNION"] |= figures | {"intervals": {key: [0.0, 0.2] for key in figures}}
    judged_set |= {"settings": {"draws": 10}}
    results = {
        "judged": {"hanna:coherence": judged_set, "hanna": {**judged_set, "title": "HANNA"}},
        "autos": {},
    }
    out = tmp_path / "results.json"
    out.write_text(json.dumps(collect(results, read_published())), encoding="utf-8")
    assert collect(results, read_published())["judged"]["hanna:coherence"]["corpus"] == "wp"
    assert list(read_results(out)["judged"]) == ["hanna", "hanna:coherence"]
    kept = {**collected("a"), "judged": {}}
    with pytest.raises(ValueError, match="hanna:coherence, UNION: weights union/wp have changed"):
        keep_old_rows(kept, {**json.loads(out.read_text(encoding="utf-8")), "weights": {"union/wp": "b"}})


def collected(weights: str, **rows: str) -> dict[str, Any]:
    entries = [{"title": title, "kind": kind} for title, kind in rows.items()]
    judged = {"union_roc": {"n": 4, "rows": entries}}
    return {"judged": judged, "autos": {}, "weights": {"union/roc": weights}}


def test_rows_that_no_new_run_measured_are_kept() -> None:
    new = collected("a", PPL="ours", length="trivial")
    old = collected("a", UNION="ours", PPL="ours", length="trivial", BLEU="released")
    old["autos"]["autos_mini_invariance"] = {"rows": [{"title": "length", "kind": "trivial"}]}
    keep_old_rows(new, old)
    assert [row["title"] for row in new["judged"]["union_roc"]["rows"]] == ["UNION", "PPL", "length"]
    assert new["autos"] == old["autos"]


def test_rows_keep_their_order_and_released_rows_their_title() -> None:
    new = collected("a", BLEU="released", PPL="ours", new="ours")
    old = collected("a", PPL="ours", BLEU="ours")
    old["judged"] = {"hanna": {"n": 1, "rows": []}, **old["judged"]}
    old["judged"]["union_roc"]["rows"].append({"title": "BLEU (released)", "kind": "released"})
    keep_old_rows(new, old)
    assert list(new["judged"]) == ["hanna", "union_roc"]
    titles = [row["title"] for row in new["judged"]["union_roc"]["rows"]]
    assert titles == ["PPL", "BLEU", "BLEU (released)", "new"]


@pytest.mark.parametrize("part", ["judged", "autos"])
def test_old_rows_of_changed_set_are_not_kept(part: str) -> None:
    name = {"judged": "union_roc", "autos": "autos_mini_invariance"}[part]
    new, old = collected("a", PPL="ours"), collected("a", UNION="ours")
    new[part] = {name: {"n": 5, "rows": []}}
    old[part] = {name: {"n": 4, "rows": []}}
    with pytest.raises(ValueError, match=f"{name}: 4 rows before, 5 now: measure every metric again"):
        keep_old_rows(new, old)
    old[part][name]["rows"] = [{"title": "UNION", "kind": "ours"}]
    keep_old_rows(new, old, drop_changed=True)
    assert new[part][name]["rows"] == []


def test_rows_of_other_autos_builds_are_kept_on_request() -> None:
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


def test_rows_of_another_build_of_equal_size_are_marked() -> None:
    name, row = "autos_mini_invariance", {"title": "UNION", "kind": "ours"}

    def result(stories: str, *rows: dict[str, Any]) -> dict[str, Any]:
        return {**collected("a"), "autos": {name: {"n": 4, "stories": stories, "rows": list(rows)}}}

    with pytest.raises(ValueError, match=f"{name}: 4 rows before, 4 now, other stories: measure every"):
        keep_old_rows(result("y"), result("x", row))
    new, newer, first_again = result("y"), result("z"), result("x")
    keep_old_rows(new, result("x", row), other_builds=True)
    keep_old_rows(newer, new, other_builds=True)
    for kept in (new, newer):
        assert kept["autos"][name]["rows"] == [{**row, "n": 4, "stories": "x"}]
    keep_old_rows(first_again, newer, other_builds=True)
    assert first_again["autos"][name]["rows"] == [row]


def test_what_differs_between_judged_sets_is_named() -> None:
    new, old = collected("a"), collected("a", UNION="ours")
    new["judged"]["union_roc"]["judgments"], old["judged"]["union_roc"]["judgments"] = "x", "y"
    with pytest.raises(ValueError, match="union_roc: 4 rows before, 4 now, other judgments: measure"):
        keep_old_rows(new, old)


def test_row_of_another_build_shows_its_size() -> None:
    aspects = {"typo": {"pearson": 0.25, "pair_wins": 0.5, "interval": [0.2, 0.3]}}
    row = {"kind": "ours", "average": 0.25, "aspects": aspects}
    rows = [{"title": "PPL", **row}, {"title": "UNION", "n": 1200, **row}]
    rows.append({"title": "SentAvg", "n": 1198, "stories": "x", **row})
    name = "autos_mini_discrimination"
    result = {"title": "AUTOS mini", "corpus": "roc", "test": "discrimination", "n": 1198, "rows": rows}
    page, card = autos_view(result, "pearson"), autos_table({"autos": {name: result}}, name)
    for html in (page, card):
        assert "UNION (1,200 rows)" in html
        assert "SentAvg (another build)" in html
        assert "PPL (1" not in html


def test_row_of_changed_weights_is_not_kept() -> None:
    with pytest.raises(ValueError, match="union_roc, UNION: weights union/roc have changed"):
        keep_old_rows(collected("b", PPL="ours"), collected("a", UNION="ours"))
    new = collected("b", UNION="ours")
    keep_old_rows(new, collected("a", UNION="ours"))
    assert new == collected("b", UNION="ours"), "measured again"


def test_row_of_changed_weights_is_dropped_on_request() -> None:
    new, old = collected("b", PPL="ours"), collected("a", UNION="ours", length="trivial")
    old["autos"]["autos_roc_invariance"] = {"rows": [{"title": "UNION", "kind": "ours"}]}
    keep_old_rows(new, old, drop_changed=True)
    assert [row["title"] for row in new["judged"]["union_roc"]["rows"]] == ["PPL"]
    assert new["autos"]["autos_roc_invariance"]["rows"] == []


@pytest.mark.parametrize("title", ["UNION (cross-validated)", "a metric that was removed"])
def test_row_that_no_metric_of_today_gives_is_not_kept(title: str) -> None:
    new, old = collected("b"), collected("a", **{title: "ours"})
    with pytest.raises(ValueError, match=r"have changed|no metric has this row"):
        keep_old_rows(new, old)
    keep_old_rows(new, old, drop_changed=True)
    assert new["judged"]["union_roc"]["rows"] == []


def test_cross_validated_row_is_kept_with_the_weights_that_it_started_from() -> None:
    """No entry has the title before its brackets; that of BLEURT has other brackets."""
    new, old = collected("a"), collected("a", **{"BLEURT (cross-validated)": "ours"})
    old["weights"]["bleurt/roc"] = new["weights"]["bleurt/roc"] = "c"
    keep_old_rows(new, old)
    assert [row["title"] for row in new["judged"]["union_roc"]["rows"]] == ["BLEURT (cross-validated)"]
    new["weights"]["bleurt/roc"] = "d"
    new["judged"]["union_roc"]["rows"] = []
    with pytest.raises(ValueError, match="weights bleurt/roc have changed"):
        keep_old_rows(new, old)


def test_aspect_with_several_origins_uses_the_human_one() -> None:
    """Its values are those of human-written originals; `by_origin` has each correlation, for Table 7."""
    human, other = {"pearson": 0.25, "pair_wins": 0.5}, {"pearson": -0.125, "pair_wins": 0.75}
    lower = {"pearson": -0.5, "pair_wins": 0.4}
    table = {
        "aspects": {
            "typo": {"discrimination": other, "human": human},
            "synonym": {"human": human},
            "punctuation": {"human": lower},
        }
    }
    result = aspect_cells(table)
    assert (result["average"], result["average_size"]) == (0.0, pytest.approx(1 / 3, abs=1e-6))
    cells = result["aspects"]
    assert cells["typo"] == {
        **human,
        "interval": None,
        "by_origin": {"human": 0.25, "discrimination": -0.125},
    }
    assert cells["synonym"] == {**human, "interval": None}


def test_invariance_rows_are_sorted_by_absolute_error() -> None:
    def row(title: str, *pearsons: float) -> dict[str, Any]:
        aspects = {
            f"a{k}": {"pearson": p, "pair_wins": 0.5 + p, "interval": None} for k, p in enumerate(pearsons)
        }
        return {"title": title, "kind": "ours", "aspects": aspects}

    name = "autos_mini_invariance"
    result = {
        "title": "AUTOS mini, invariance test (100 of 400 stories)",
        "corpus": "roc",
        "test": "invariance",
        "n": 9,
        "rows": [row("Wild", 0.3, -0.3), row("Calm", 0.1, 0.1)],
    }
    card = autos_table({"autos": {name: result}}, name)
    assert "| Wild | .300 | -.300 | .300 |" in card
    for measure in ("pearson", "pair_wins"):
        page = autos_view(result, measure)
        assert page.index("Calm") < page.index("Wild")
        assert "mean distance" in page


def test_shipped_results_contain_no_story() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert results["judged"]
    assert results["autos"]
    assert {key for judged_set in results["judged"].values() for key in judged_set} == {
        "title", "corpus", "n", "prompts", "own_references", "ceiling", "paper_note", "paper_stories", "judgments", "settings", "rows",
    }  # fmt: skip


def test_command_keeps_earlier_rows_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, first, second = (tmp_path / name for name in ("collected.json", "first.json", "second.json"))
    figures = {"pearson": 0.1, "spearman": 0.1, "kendall": 0.1}

    def write(path: Path, title: str, stories: str) -> None:
        result = run(**{title: "ours"})
        (judged,) = result["judged"].values()
        judged |= {"title": "UNION's ROC", "prompts": 2, "judgments": [1.0, 2.0, 3.0, 2.5]}
        judged["rows"][title] |= figures | {"intervals": {key: [0.0, 0.2] for key in figures}}
        aspects = {"typo": {"human": {"pearson": 0.1, "pair_wins": 0.5}}}
        result["autos"]["autos_mini_invariance"] = {
            "title": "AUTOS mini", "n": 4, "stories": stories, "rows": {title: {"kind": "ours", "aspects": aspects}}
        }  # fmt: skip
        path.write_text(json.dumps(result), encoding="utf-8")

    def titles(part: str = "judged") -> list[str]:
        ((_, found),) = json.loads(out.read_text(encoding="utf-8"))[part].items()
        return sorted(row["title"] for row in found["rows"] if row["kind"] == "ours")

    write(first, "UNION", "a")
    write(second, "PPL", "b")
    assert main(["--results", str(first), "--out", str(out)]) == 0
    assert titles() == ["UNION"]
    before = out.read_bytes()
    assert main(["--results", str(second), "--out", str(out), "--keep"]) == 2
    assert "autos_mini_invariance" in capsys.readouterr().err
    assert out.read_bytes() == before, "nothing is written after an error"
    assert main(["--results", str(second), "--out", str(out), "--keep", "--other-builds"]) == 0
    assert titles() == titles("autos") == ["PPL", "UNION"]
    assert main(["--results", str(second), "--out", str(out)]) == 0
    assert titles() == ["PPL"]
    assert main(["--results", str(tmp_path / "none.json"), "--out", str(out)]) == 2
    assert "none.json: expected the results of `make benchmark`" in capsys.readouterr().err
