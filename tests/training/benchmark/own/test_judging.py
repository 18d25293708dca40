"""The sets that `judge` scores, and how rows of the same name are distinguished."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap
from openmeva.training.benchmark.own import judging
from openmeva.training.benchmark.own.judging import judge
from openmeva.training.benchmark.own.metric import metric_from_function_name, metric_from_module
from openmeva.training.benchmark.sets import TEST_SETS
from openmeva.training.cli.app import app
from openmeva.training.paths import ROOT

ROWS = [
    {
        "story_id": f"{prompt}-{system}",
        "prompt": f"prompt {prompt}",
        "story": "The dog ran home" + " and slept" * (1 + (prompt * 5 + place * 3) % 7) + ".",
        "source_model": system,
        "ratings": [1 + (prompt + place * 2) % 5, 1 + (prompt + place) % 5],
    }
    for prompt in range(12)
    for place, system in enumerate(("s2s", "gpt", "plan"))
]


def lengths(stories: list[str]) -> list[float]:
    """A user's own metric."""
    return [float(len(story)) for story in stories]


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_metrics_are_compared_on_draws_made_once(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, ...]] = []
    correlations = PromptBootstrap.correlations

    def counted(self: PromptBootstrap, metric: np.ndarray) -> dict[str, np.ndarray]:
        asked.append(tuple(metric))
        return correlations(self, metric)

    def four(stories: list[str]) -> dict[str, list[float]]:
        return {f"{k}": [float(len(story) % (11 + 2 * k)) for story in stories] for k in range(4)}

    monkeypatch.setattr(PromptBootstrap, "correlations", counted)
    found = judge(four, judged=rated, draws=100).results["judged"]["judged_rated"]["metrics"]
    assert all(len(one["comparisons"]) == 3 for one in found.values())
    times = [asked.count(tuple(one["scores"])) for one in found.values()]
    assert times == [1] * 4, "for its row, and for all that it is compared with"


def test_of_autos_a_sample_is_scored_where_one_is_asked_for() -> None:
    seen: list[int] = []

    def words(stories: list[str]) -> list[float]:
        seen.append(len(stories))
        return [float(len(story)) for story in stories]

    for stories in (0, 5):
        report = judge(words, "autos_mini_discrimination", draws=100, autos_stories=stories)
    assert seen[1] < seen[0]
    assert report.results["autos"]["autos_mini_discrimination"]["n"] == seen[1]


def test_autos_of_own_stories_is_judged_by_its_folder(tmp_path: Path) -> None:
    """As written by `openmeva autos`, or with both tests in one file as written by an engine."""
    mini, made, parts = ROOT / "datasets" / "autos" / "mini", tmp_path / "fairy", tmp_path / "parts"
    rows = {split: pq.read_table(mini / f"{split}.parquet") for split in ("discrimination", "invariance")}
    made.mkdir()
    parts.mkdir()
    for split, table in rows.items():
        pq.write_table(table, made / f"{split}.parquet")
    pq.write_table(pa.concat_tables(rows.values()), parts / "part-00000.parquet")
    options = ["--metric", f"{__name__}:lengths", "--draws", "100", "--autos-stories", "5"]
    out = ["--out", str(tmp_path / "report")]
    told = CliRunner().invoke(
        app, ["benchmark", "--autos", str(made), *options, *out], catch_exceptions=False
    )
    assert "AUTOS fairy, discrimination test" in told.stdout
    found = json.loads((tmp_path / "report" / "report.json").read_text())["autos"]
    assert list(found) == ["autos_fairy_roc_discrimination", "autos_fairy_roc_invariance"]
    with pytest.raises(ValueError, match="expected the parts of a finished run"):
        judge(lengths, autos=parts)
    (parts / "report.json").write_text("{}")
    of_engine = judge(lengths, autos=parts, draws=100, autos_stories=5).results["autos"]
    assert [one["n"] for one in of_engine.values()] == [one["n"] for one in found.values()]
    with pytest.raises(
        ValueError, match=r"expected discrimination\.parquet and invariance\.parquet, or parts"
    ):
        judge(lengths, autos=tmp_path)
    pq.write_table(pa.table({"story": ["He ran."]}), parts / "part-00000.parquet")
    with pytest.raises(ValueError, match=r"part-00000\.parquet: expected AUTOS, got no aspect, label"):
        judge(lengths, autos=parts)


def test_a_metric_of_this_project_is_loaded_by_name_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = metric_from_module("union", {"config_name": str(ROOT / "metrics" / "union" / "weights" / "roc")})
    one = TEST_SETS["mans_roc"]
    scores = own.score(one, [{"story_id": "1", "prompt": "He ran.", "story": "He fell. It hurt."}])
    assert list(scores) == ["union"]


def test_rows_of_one_name_are_told_apart(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def others(*_: object) -> dict[str, list[float]]:
        return {name: [float(place % 7) for place in range(36)] for name in ("UNION", "words")}

    monkeypatch.setattr("openmeva.training.benchmark.own.judging.released_scores", others)
    monkeypatch.setattr("openmeva.training.benchmark.own.judging.metric_scores", others)

    def words(stories: list[str]) -> list[float]:
        return [float(len(story)) for story in stories]

    rows = next(
        iter(judge(words, judged=rated, compare_with=["union"], draws=100).results["judged"].values())
    )["rows"]
    assert {"words", "words (openmeva)", "words (released)", "UNION", "UNION (released)"} <= set(rows)


def test_what_cannot_be_told_is_said_before_anything_is_scored(
    tmp_path: Path, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(stories: list[str]) -> list[float]:
        raise AssertionError("scored")

    with pytest.raises(ValueError, match="expected names of metrics to compare with, got all"):
        judge(never, judged=rated, compare_with=["all"])
    with pytest.raises(ValueError, match="unknown metric unoin"):
        judge(never, judged=rated, compare_with=["unoin"])
    bad = {"twice": [*ROWS, ROWS[0]], "few": ROWS[:2], "equal": [{**row, "ratings": [3, 3]} for row in ROWS]}
    for name, rows in bad.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with pytest.raises(ValueError, match=rf"{name}\.jsonl: "):
            judge(never, judged=path)
    monkeypatch.setattr(judging, "SCORES_CACHE", tmp_path / "few.jsonl" / "scores")
    with pytest.raises(ValueError, match="cache of scores"):
        judge(never, judged=rated, compare_with=["union"])


@pytest.mark.parametrize(
    "option", ["metric", "sets", "scores", "judged", "autos", "lower_is_better", "compare_with"]
)
def test_one_stands_for_a_list_of_one(
    option: str, tmp_path: Path, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ours(name: str, *_: object) -> dict[str, list[float]]:
        return {name: [float(place % 7) for place in range(36)]}

    monkeypatch.setattr("openmeva.training.benchmark.own.judging.metric_scores", ours)
    (tmp_path / "mine.csv").write_text("score\n" + "".join(f"{k % 5}\n" for k in range(36)))
    values: dict[str, Any] = {
        "metric": f"{__name__}:lengths",
        "sets": "autos_mini_discrimination",
        "scores": str(tmp_path / "mine.csv"),
        "judged": str(rated),
        "autos": str(ROOT / "datasets" / "autos" / "mini"),
        "lower_is_better": "all",
        "compare_with": "union",
    }
    usual: dict[str, Any] = {"draws": 100, "autos_stories": 5}
    if option not in ("sets", "judged", "autos"):
        usual["judged"] = rated
    if option not in ("metric", "scores"):
        usual["metric"] = lengths
    alone, listed = (
        judge(**{**usual, option: given}).results for given in (values[option], [values[option]])
    )
    assert json.dumps(alone) == json.dumps(listed)


@pytest.mark.parametrize("number", [{"draws": 1}, {"seed": -1}, {"autos_stories": -1}, {"pairs": -1}])
def test_numbers_out_of_range_are_told_before_anything_is_scored(number: dict[str, Any], rated: Path) -> None:
    def never(stories: list[str]) -> list[float]:
        raise AssertionError("scored")

    with pytest.raises(ValueError, match=rf"^--{next(iter(number)).replace('_', '-')}: expected \d+ or more"):
        judge(never, judged=rated, **number)


def length(stories: list[str]) -> list[float]:
    return [float(len(story)) for story in stories]


def test_scores_meet_judged_stories_by_id(tmp_path: Path) -> None:
    means = {row["story_id"]: sum(row["ratings"]) / 2 for row in ROWS}
    texts = {row["story_id"]: row["story"] for row in ROWS}
    for name, heading, ids in (
        ("rated", ["id", "story", "score"], means),
        ("mine", ["id", "score"], sorted(means)),
    ):
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, heading, extrasaction="ignore")
            writer.writeheader()
            writer.writerows({"id": one, "story": texts[one], "score": means[one]} for one in ids)
    found = judge(scores=[tmp_path / "mine.csv"], judged=tmp_path / "rated.csv", draws=100)
    row = found.results["judged"]["judged_rated"]["rows"]["your metric"]
    assert row["pearson"] == pytest.approx(1)


def test_what_comes_as_scores_is_a_file(tmp_path: Path, rated: Path) -> None:
    for name, message in (("scores", "found none: .*scores"), ("-", "got standard input")):
        with pytest.raises(ValueError, match=f"expected a file of scores, {message}"):
            judge(scores=[tmp_path / name if name != "-" else name], judged=rated)
    with pytest.raises(ValueError, match="a metric or a file of scores, found no such file, and evaluate"):
        judge(str(tmp_path / "scores"), judged=rated)


def test_columns_of_one_metric_are_told(tmp_path: Path, rated: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(
        "union,union_score\n" + "".join(f"{k % 4},{k % 5}\n" for k in range(36)), encoding="utf-8"
    )
    with pytest.raises(ValueError, match=r"mine\.csv: .* different metrics, got 'union' and 'union_score'"):
        judge(file, judged=rated)


@pytest.mark.parametrize(
    ("raters", "counted"), [(1, "a rater named"), (2, "at least 2 of"), (4, "at least 3 of")]
)
def test_errors_are_counted_with_few_raters(raters: int, counted: str, tmp_path: Path) -> None:
    rows = [{**row, "error_types": [["chaotic"] if row["ratings"][1] < 3 else []] * raters} for row in ROWS]
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page = judge(length, judged=path, draws=100).html()
    assert f"A story has an error type if {counted}" in page.replace("\n", " ")
    path.write_text("".join(json.dumps({**row, "error_types": [[]] * raters}) + "\n" for row in rows))
    assert "against one error type" not in judge(length, judged=path, draws=100).html(), "an empty table"


def test_a_number_may_be_the_prompt_and_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "rated.jsonl", tmp_path / "out"
    path.write_text("".join(json.dumps({**row, "prompt": k % 6}) + "\n" for k, row in enumerate(ROWS)))
    report = judge(length, judged=path, draws=100)
    report.write(out)
    assert "\n> 3\n" in (out / "report.md").read_text(encoding="utf-8")

    def broken(self: Any) -> str:
        raise ValueError("broken")

    (out / "report.json").write_text("before")
    monkeypatch.setattr(type(report), "html", broken)
    with pytest.raises(ValueError, match="broken"):
        report.write(out)
    assert (out / "report.json").read_text() == "before"


@pytest.mark.parametrize(("answer", "came"), [({}, "got none"), ({5: [1.0] * 36}, "got the name 5")])
def test_scores_without_a_name_are_told(answer: Any, came: str, rated: Path) -> None:
    def mine(stories: list[str]) -> Any:
        return answer

    with pytest.raises(
        ValueError,
        match=f"mine: expected a list of scores, or a dict of lists with strings as keys, {came}",
    ):
        judge(mine, judged=rated)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def f(x) return 1", "SyntaxError: .*line 1"),
        ("\nx = undefined", "NameError: .*line 2"),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package' .*line 1"),
        ("import sys\nsys.exit(3)", "SystemExit: 3 .*line 2"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"module_with_{message.partition(':')[0].lower()}"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=f"{name} cannot be imported: {message}") as found:
        metric_from_function_name(f"{name}:f")
    assert f"{name}.py" in str(found.value)
