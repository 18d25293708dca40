"""A user's own metric, from a file of scores, a function or an evaluate module, to its report."""

import csv
import html
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from openmeva.training.benchmark.data.sets import TEST_SETS, TestSet
from openmeva.training.benchmark.own import judging
from openmeva.training.benchmark.own.judging import judge
from openmeva.training.benchmark.own.metric import metric_from_function
from openmeva.training.benchmark.own.scored import ScoredSet
from openmeva.training.cli.app import app
from openmeva.training.judged.catalogue import JUDGED_SETS

SYSTEMS = ("s2s", "gpt", "a <b>")


def judged_rows(prompts: int = 12) -> list[dict[str, Any]]:
    """Invented stories, better the longer they are, each with five ratings and an error type."""
    rng = np.random.default_rng(0)
    rows = []
    for prompt in range(prompts):
        for system in SYSTEMS:
            words = int(rng.integers(3, 15))
            ratings = np.clip(np.rint(words / 3 + rng.normal(size=5)), 1, 5).astype(int).tolist()
            story = " ".join(
                rng.permutation("the dog ran home and slept near a <script> by sea so it was fine".split())[
                    :words
                ]
            )
            bad = "chaotic" if rng.random() < 0.5 else "repeated"
            rows.append(
                {
                    "story_id": f"{prompt}-{system}", "prompt": f"prompt {prompt}", "story": f"{story} .",
                    "source_model": system, "ratings": ratings,
                    "error_types": [[bad] if rating < 3 else [] for rating in ratings],
                }
            )  # fmt: skip
    return rows


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in judged_rows()), encoding="utf-8")
    return path


def score_file(folder: Path, sign: int = 1) -> Path:
    """Only scores, by id, in another order."""
    rng = np.random.default_rng(1)
    path = folder / "mine.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["story_id", "mine <i>", "noise"])
        for row in reversed(judged_rows()):
            value = len(row["story"].split()) + rng.normal()
            writer.writerow([row["story_id"], sign * value, rng.normal()])
    return path


def test_report_from_a_file_of_scores(tmp_path: Path, rated: Path) -> None:
    report = judge(score_file(tmp_path), judged=rated, draws=200)
    page = report.write(tmp_path / "out").read_text(encoding="utf-8")
    result = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["judged"][
        "judged_rated"
    ]
    with score_file(tmp_path).open(encoding="utf-8") as file:
        scores = {row["story_id"]: float(row["mine <i>"]) for row in csv.DictReader(file)}
    rows = judged_rows()
    ratings = [float(np.mean(row["ratings"])) for row in rows]
    pearson = stats.pearsonr([scores[row["story_id"]] for row in rows], ratings).statistic
    row = result["rows"]["mine <i>"]
    assert row["pearson"] == pytest.approx(pearson)
    assert (row["within_prompts"]["prompts"], row["between_systems"]["systems"]) == (12, 3)
    test = result["metrics"]["mine <i>"]["comparisons"]["noise"]
    assert test["verdict"] == "better"
    assert test["permutation"]["holm"] < 0.05
    assert set(result["metrics"]["mine <i>"]["error_types"]["types"]) <= {"chaotic", "repeated"}

    assert "where 1 is perfect and 0 is chance" in page
    assert "better than noise (by both tests, each over prompts, after Holm" in page
    assert "mine &lt;i&gt;" in page
    assert "a &lt;b&gt;" in page
    assert not re.search(r"<script|<i>|<b>|\b(src|href)=\"(?!#)|url\((?!#)", page), (
        "text escaped, nothing fetched"
    )
    assert page.count("<svg") == 3, "forest, scatter, and each system"
    assert "var(--own0)" in page
    assert "#0b6e69" not in page.partition("</style>")[2], "colours follow light and dark"
    markdown = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    for name in re.findall(r"\]\((figures/.*?)\)", markdown):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")
    latex = (tmp_path / "out" / "report.tex").read_text(encoding="utf-8")
    assert latex.count("\\toprule") == latex.count("\\end{tabular}") == 5


def test_examples_show_the_largest_disagreements_with_people(rated: Path) -> None:
    rows = judged_rows()
    worst = min(rows, key=lambda row: float(np.mean(row["ratings"])))["story"]

    def mine(stories: list[str]) -> list[float]:
        return [99.0 if story == worst else len(story.split()) for story in stories]

    result = judge(mine, judged=rated, draws=100).results["judged"]["judged_rated"]
    first = result["metrics"]["mine"]["examples"]["higher"][0]
    assert (first["story"], first["metric_rank"]) == (worst, 100)
    assert first["people_rank"] < 10


def test_report_shows_huge_scores_as_given(tmp_path: Path, rated: Path) -> None:
    """Coefficients are computed on smaller ones, which sums do not overflow."""

    def mine(stories: list[str]) -> list[float]:
        return [len(story) * 1e200 for story in stories]

    result = judge(mine, judged=rated, draws=100)
    metric = result.results["judged"]["judged_rated"]["metrics"]["mine"]
    assert metric["scores"] == [len(row["story"]) * 1e200 for row in judged_rows()]
    examples = [example for side in metric["examples"].values() for example in side]
    assert examples
    for example in examples:
        assert example["score"] == len(example["story"]) * 1e200
    assert result.write(tmp_path / "out").is_file()


def test_report_states_the_licence_of_published_stories(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanna = replace(TEST_SETS["hanna"], read=lambda _: judged_rows())
    monkeypatch.setitem(TEST_SETS, "hanna", hanna)
    published = judge(lambda stories: [len(story) for story in stories], "hanna", draws=100)
    own = judge(lambda stories: [len(story) for story in stories], judged=rated, draws=100)
    notice = f"(licence: {JUDGED_SETS['hanna'].licence}): remove them before you publish this report"
    for text in (published.html(), published.markdown()):
        assert notice in html.unescape(text)
    assert "licence" not in own.html() + own.markdown()
    assert all(
        bool(test_set.licence) == (test_set.judged or test_set.preferences) for test_set in TEST_SETS.values()
    )


def test_lower_is_better_negates_the_scores(tmp_path: Path, rated: Path) -> None:
    file = score_file(tmp_path, sign=-1)
    plain = judge(file, judged=rated, draws=100).results["judged"]["judged_rated"]["rows"]
    negated = judge(file, judged=rated, draws=100, lower_is_better=["mine <i>"])
    rows = negated.results["judged"]["judged_rated"]["rows"]
    assert rows["mine <i>"]["pearson"] == -plain["mine <i>"]["pearson"] > 0
    assert rows["noise"]["pearson"] == plain["noise"]["pearson"]
    with pytest.raises(ValueError, match="no scores are called ppl, only mine <i>, noise"):
        judge(file, judged=rated, draws=100, lower_is_better=["ppl"])


def autos(whole: str, name: str) -> TestSet:
    rows = [
        {"story_id": f"{aspect}{k}{label}", "story": f"{whole} {k}" if label else f"{k}", "aspect": aspect,
         "label": label, "perturbed_from": None if label else f"{aspect}{k}1"}
        for aspect in ("typo", "consistency") for k in range(6) for label in (1, 0)
    ]  # fmt: skip
    return TestSet(name, name, "roc", name.removesuffix("_x"), lambda _: rows, "", {})


def test_aspect_profile_on_autos(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(TEST_SETS, "autos_discrimination_x", autos("a long story", "autos_discrimination_x"))

    def mine(stories: list[str]) -> list[int]:
        return [len(story) for story in stories]

    report = judge(mine, "autos_discrimination_x", draws=100)
    cell = report.results["autos"]["autos_discrimination_x"]["rows"]["mine"]["aspects"]["typo"]["human"]
    assert cell["pearson"] == pytest.approx(1)
    assert cell["pair_wins"] == 1
    assert (
        "it notices typo, consistency (95 % intervals above 0, and a sign test of the pairs)" in report.html()
    )
    assert "Hollow diamonds: UNION in the paper" in report.html()


def test_preferences_are_evaluated_by_pair_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"story": "good " * (index + 2) if better else "bad", "pair": str(index), "score": float(better)}
        for index in range(8)
        for better in (1, 0)
    ]
    pairs = TestSet("pairs", "Pairs", "roc", "preferences", lambda _: rows, "", {})
    monkeypatch.setitem(TEST_SETS, "pairs", pairs)
    report = judge(
        metric_from_function(lambda stories: [len(story) for story in stories], "mine"), "pairs", draws=100
    )
    assert report.results["preferences"]["pairs"]["rows"]["mine"]["accuracy"] == 1
    assert "prefers the story that people prefer in 1.000 of the pairs" in report.parts[0].paragraphs[0]
    assert report.metrics == ["mine"]


class Judge:
    """Word counts, as a metric that leaves some stories unscored and has a signature."""

    def __call__(self, stories: list[str]) -> list[float | None]:
        return [None if index < 2 else float(len(story.split())) for index, story in enumerate(stories)]

    def signature(self) -> str:
        return "judge|model:small|prompts:1a2b|answered:2024-05-01"


def test_unscored_stories_are_counted_and_excluded_for_all_metrics(tmp_path: Path, rated: Path) -> None:
    report = judge([Judge(), score_file(tmp_path)], judged=rated, draws=100)
    result = report.results["judged"]["judged_rated"]
    rows = judged_rows()[2:]
    assert result["n"] == len(rows) == len(result["metrics"]["noise"]["scores"])
    ratings = [float(np.mean(row["ratings"])) for row in rows]
    pearson = stats.pearsonr([len(row["story"].split()) for row in rows], ratings).statistic
    assert result["rows"]["Judge"]["pearson"] == pytest.approx(pearson)
    sentence = "Judge has no score for 2 of the 36 stories of rated.jsonl; 2 are excluded for every metric."
    assert sentence in report.parts[0].paragraphs
    assert (
        "Python function Judge, signature judge|model:small|prompts:1a2b|answered:2024-05-01" in report.html()
    )
    with pytest.raises(
        ValueError, match=r"rated\.jsonl: expected scores, got none for any of its 36 stories"
    ):
        judge(lambda stories: [None] * len(stories), judged=rated)


def test_pair_with_an_unscored_story_is_excluded() -> None:
    rows = [{"story": str(k), "pair": str(k // 2), "score": float(k % 2)} for k in range(6)]
    pairs = TestSet("pairs", "Pairs", "roc", "preferences", lambda _: rows, "", {})
    scored_set = ScoredSet.of(pairs, rows, {"mine": [1.0, None, 3.0, 4.0, 5.0, 6.0]})
    assert (scored_set.indices, scored_set.scores) == ([2, 3, 4, 5], {"mine": [3.0, 4.0, 5.0, 6.0]})
    assert scored_set.unscored == [
        "mine has no score for 1 of the 6 stories of Pairs; 2 are excluded for every metric"
    ]


def test_benchmark_command_reports_on_own_scores_and_explains_bad_options(
    tmp_path: Path, rated: Path
) -> None:
    file, out = str(score_file(tmp_path)), tmp_path / "out"
    outcome = CliRunner().invoke(
        app, ["benchmark", "--scores", file, "--judged", str(rated), "--out", str(out), "--draws", "100"]
    )
    assert outcome.exit_code == 0, outcome.output
    assert "mine <i> on rated.jsonl (36 stories): agreement with people" in outcome.stdout
    assert (out / "report.html").is_file()
    for options, message in (
        (["--scores", file], "of which set are these scores?"),
        (["--scores", file, "--judged", str(rated), "--out", file], "got a file"),
        (["--scores", f"nothing={file}"], "expected a set among mans_roc"),
        (["--scores", file, "--datasets", "union_roc"], "UNION's 400: needs DATA/union"),
        (["--metric", "json:loads", "--judged", str(rated)], "loads failed on rated.jsonl: TypeError"),
        (["--lower-is-better", "x"], "expected with --scores or --metric"),
        (["--metric", "a:b", "--metric-options", "x"], "--metric-options: expected a JSON object"),
    ):
        outcome = CliRunner().invoke(app, ["benchmark", *options])
        assert outcome.exit_code == 2
        assert message in outcome.stderr


def test_report_is_written_before_its_text_is_printed(
    tmp_path: Path, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    report = SimpleNamespace(parts=[SimpleNamespace(paragraphs=["\u2212.3"])], write=written.append)
    monkeypatch.setattr(judging, "judge", lambda *_, **__: report)
    arguments = ["benchmark", "--scores", str(score_file(tmp_path)), "--judged", str(rated), "--out"]
    CliRunner(charset="ascii").invoke(app, [*arguments, str(tmp_path / "out")])
    assert written == [tmp_path / "out"]


def test_few_prompts_are_named_as_a_reason_for_narrow_intervals(rated: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(json.dumps(row) + "\n" for row in judged_rows(4)), encoding="utf-8")
    pages = [
        judge(lambda stories: [len(s) for s in stories], judged=file, draws=100).html()
        for file in (few, rated)
    ]
    assert [page.count("with only 4 prompts, intervals are too narrow") for page in pages] == [3, 0], (
        "over all, within prompts, and of the metric"
    )
