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
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.benchmark.own import judging
from openmeva.training.benchmark.own.judging import judge
from openmeva.training.benchmark.own.metric import metric_from_module
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


def test_bootstrap_correlations_are_computed_once_per_metric(
    rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[tuple[float, ...]] = []
    correlations = PromptBootstrap.correlations

    def counting_correlations(self: PromptBootstrap, metric: np.ndarray) -> dict[str, np.ndarray]:
        computed.append(tuple(metric))
        return correlations(self, metric)

    def four_metrics(stories: list[str]) -> dict[str, list[float]]:
        return {f"{k}": [float(len(story) % (11 + 2 * k)) for story in stories] for k in range(4)}

    monkeypatch.setattr(PromptBootstrap, "correlations", counting_correlations)
    metrics = judge(four_metrics, judged=rated, draws=100).results["judged"]["judged_rated"]["metrics"]
    assert all(len(metric_result["comparisons"]) == 3 for metric_result in metrics.values())
    counts = [computed.count(tuple(metric_result["scores"])) for metric_result in metrics.values()]
    assert counts == [1] * 4, "for its row, and for all that it is compared with"


def test_autos_stories_option_limits_the_stories_scored() -> None:
    story_counts: list[int] = []

    def words(stories: list[str]) -> list[float]:
        story_counts.append(len(stories))
        return [float(len(story)) for story in stories]

    for stories in (0, 5):
        report = judge(words, "autos_mini_discrimination", draws=100, autos_stories=stories)
    assert story_counts[1] < story_counts[0]
    assert report.results["autos"]["autos_mini_discrimination"]["n"] == story_counts[1]


def test_autos_built_from_own_stories_is_evaluated_by_folder(tmp_path: Path) -> None:
    """As written by `openmeva autos`, or with both tests in one file as written by an engine."""
    mini, built, parts = ROOT / "datasets" / "autos" / "mini", tmp_path / "invariance", tmp_path / "parts"
    rows = {split: pq.read_table(mini / f"{split}.parquet") for split in ("discrimination", "invariance")}
    built.mkdir()
    parts.mkdir()
    for split, table in rows.items():
        pq.write_table(table, built / f"{split}.parquet")
    pq.write_table(pa.concat_tables(rows.values()), parts / "part-00000.parquet")
    options = ["--metric", f"{__name__}:lengths", "--draws", "100", "--autos-stories", "5"]
    out = ["--out", str(tmp_path / "report")]
    outcome = CliRunner().invoke(
        app, ["benchmark", "--autos", str(built), *options, *out], catch_exceptions=False
    )
    assert "AUTOS invariance, discrimination test" in outcome.stdout
    by_set = json.loads((tmp_path / "report" / "report.json").read_text())["autos"]
    assert list(by_set) == ["autos_invariance_roc_discrimination", "autos_invariance_roc_invariance"]
    page = (tmp_path / "report" / "report.md").read_text()
    assert [page.count(text) for text in ("1 is best, .5 is chance", "near .5 is good")] == [1, 1]
    with pytest.raises(ValueError, match="expected the parts of a finished run"):
        judge(lengths, autos=parts)
    (parts / "report.json").write_text("{}")
    results = judge(lengths, autos=parts, compare_with="union", draws=100, autos_stories=5).results
    assert [title.partition(",")[0] for title in results["skipped"]] == ["union on AUTOS parts"] * 2
    counts = [[result["n"] for result in sets.values()] for sets in (results["autos"], by_set)]
    assert counts[0] == counts[1]
    with pytest.raises(ValueError, match=r"expected discrimination\.parquet and invariance\.parquet, or"):
        judge(lengths, autos=tmp_path)
    pq.write_table(pa.table({"story": ["He ran."]}), parts / "part-00000.parquet")
    with pytest.raises(ValueError, match=r"part-00000\.parquet: expected AUTOS, got no aspect, label"):
        judge(lengths, autos=parts)


def test_project_metric_is_loaded_by_name_from_any_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    metric = metric_from_module("union", {"config_name": str(ROOT / "metrics" / "union" / "weights" / "roc")})
    test_set = TEST_SETS["mans_roc"]
    scores = metric.score(test_set, [{"story_id": "1", "prompt": "He ran.", "story": "He fell. It hurt."}])
    assert list(scores) == ["union"]


def test_metrics_with_the_same_name_get_distinct_rows(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_scores(*_: object) -> dict[str, list[float]]:
        return {name: [float(index % 7) for index in range(36)] for name in ("UNION", "words")}

    monkeypatch.setattr("openmeva.training.benchmark.own.judging.released_scores", other_scores)
    monkeypatch.setattr("openmeva.training.benchmark.own.judging.metric_scores", other_scores)

    def words(stories: list[str]) -> list[float]:
        return [float(len(story)) for story in stories]

    rows = next(
        iter(judge(words, judged=rated, compare_with=["union"], draws=100).results["judged"].values())
    )["rows"]
    assert {"words", "words (openmeva)", "words (released)", "UNION", "UNION (released)"} <= set(rows)


def test_invalid_input_is_rejected_before_scoring(
    tmp_path: Path, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_if_called(stories: list[str]) -> list[float]:
        pytest.fail("scored")  # no Exception, which would be reported as one of the metric's

    with pytest.raises(ValueError, match="expected names of metrics to compare with, got all"):
        judge(fail_if_called, judged=rated, compare_with=["all"])
    with pytest.raises(ValueError, match="unknown metric unoin"):
        judge(fail_if_called, judged=rated, compare_with=["unoin"])
    bad = {"twice": [*ROWS, ROWS[0]], "few": ROWS[:2], "equal": [{**row, "ratings": [3, 3]} for row in ROWS]}
    for name, rows in bad.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with pytest.raises(ValueError, match=rf"{name}\.jsonl[:,] "):
            judge(fail_if_called, judged=path)
    monkeypatch.setattr(judging, "SCORES_CACHE", tmp_path / "few.jsonl" / "scores")
    with pytest.raises(ValueError, match="cache of scores"):
        judge(fail_if_called, judged=rated, compare_with=["union"])


@pytest.mark.parametrize(
    "option", ["metric", "sets", "scores", "judged", "autos", "lower_is_better", "compare_with"]
)
def test_single_value_is_accepted_in_place_of_a_list(
    option: str, tmp_path: Path, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake_scores(name: str, *_: object) -> dict[str, list[float]]:
        return {name: [float(index % 7) for index in range(36)]}

    monkeypatch.setattr("openmeva.training.benchmark.own.judging.metric_scores", fake_scores)
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
    defaults: dict[str, Any] = {"draws": 100, "autos_stories": 5}
    if option not in ("sets", "judged", "autos"):
        defaults["judged"] = rated
    if option not in ("metric", "scores"):
        defaults["metric"] = lengths
    single, listed = (
        judge(**{**defaults, option: value}).results for value in (values[option], [values[option]])
    )
    assert json.dumps(single) == json.dumps(listed)


@pytest.mark.parametrize("number", [{"draws": 1}, {"seed": -1}, {"autos_stories": -1}, {"pairs": -1}])
def test_numbers_out_of_range_are_rejected_before_scoring(number: dict[str, Any], rated: Path) -> None:
    def fail_if_called(stories: list[str]) -> list[float]:
        pytest.fail("scored")  # no Exception, which would be reported as one of the metric's

    with pytest.raises(ValueError, match=rf"^--{next(iter(number)).replace('_', '-')}: expected \d+ or more"):
        judge(fail_if_called, judged=rated, **number)


def length(stories: list[str]) -> list[float]:
    return [float(len(story)) for story in stories]


def test_scores_are_matched_to_judged_stories_by_id(tmp_path: Path) -> None:
    means = {row["story_id"]: sum(row["ratings"]) / 2 for row in ROWS}
    texts = {row["story_id"]: row["story"] for row in ROWS}
    for name, heading, ids in (
        ("rated", ["id", "story", "score"], means),
        ("mine", ["id", "score"], sorted(means)),
    ):
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, heading, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(
                {"id": story_id, "story": texts[story_id], "score": means[story_id]} for story_id in ids
            )
    report = judge(scores=[tmp_path / "mine.csv"], judged=tmp_path / "rated.csv", draws=100)
    row = report.results["judged"]["judged_rated"]["rows"]["your metric"]
    assert row["pearson"] == pytest.approx(1)


def test_scores_must_be_an_existing_file(tmp_path: Path, rated: Path) -> None:
    for name, message in (("scores", "found none: .*scores"), ("-", "got standard input")):
        with pytest.raises(ValueError, match=f"expected a file of scores, {message}"):
            judge(scores=[tmp_path / name if name != "-" else name], judged=rated)
    with pytest.raises(ValueError, match="a metric or a file of scores, found no such file, and evaluate"):
        judge(str(tmp_path / "scores"), judged=rated)


def test_one_column_and_the_file_of_judgments_can_be_named(tmp_path: Path, rated: Path) -> None:
    file = tmp_path / "two.csv"
    file.write_text("m1,m2\n" + "".join(f"{k % 4},{k % 5}\n" for k in range(36)), encoding="utf-8")
    results = judge(scores=f"{rated.name}={file}:m2", judged=rated, draws=100).results
    assert set(results["judged"]["judged_rated"]["metrics"]) == {"m2"}
    assert results["origins"][0].startswith("two.csv:m2 (SHA-256 ")
    with pytest.raises(ValueError, match=r"two\.csv: expected a column, got 'm3'; the file has m1, m2"):
        judge(f"{file}:m3", judged=rated)


def test_two_columns_of_the_same_metric_are_rejected(tmp_path: Path, rated: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(
        "union,union_score\n" + "".join(f"{k % 4},{k % 5}\n" for k in range(36)), encoding="utf-8"
    )
    with pytest.raises(ValueError, match=r"mine\.csv: .* different metrics, got 'union' and 'union_score'"):
        judge(file, judged=rated)


@pytest.mark.parametrize(
    ("raters", "counted"), [(1, "a rater named"), (2, "at least 2 of"), (4, "at least 3 of")]
)
def test_error_types_are_counted_with_few_raters(raters: int, counted: str, tmp_path: Path) -> None:
    rows = [{**row, "error_types": [["chaotic"] if row["ratings"][1] < 3 else []] * raters} for row in ROWS]
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page = judge(length, judged=path, draws=100).html()
    assert f"A story has an error type if {counted}" in page.replace("\n", " ")
    path.write_text("".join(json.dumps({**row, "error_types": [[]] * raters}) + "\n" for row in rows))
    assert "against one error type" not in judge(length, judged=path, draws=100).html(), "an empty table"


def test_numeric_prompts_are_accepted_and_failed_reports_leave_files_unchanged(
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


@pytest.mark.parametrize(("answer", "message"), [({}, "got none"), ({5: [1.0] * 36}, "got the name 5")])
def test_scores_without_a_string_name_are_rejected(answer: Any, message: str, rated: Path) -> None:
    def mine(stories: list[str]) -> Any:
        return answer

    with pytest.raises(
        ValueError,
        match=f"mine: expected a list of scores, or a dict of lists with strings as keys, {message}",
    ):
        judge(mine, judged=rated)
