"""The benchmark end to end on small data, with a metric made for the test."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark import command, paired
from openmeva.training.benchmark import run as run_module
from openmeva.training.benchmark.command import BenchmarkOptions, run_benchmark
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry, select_entries
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.benchmark.report import write_report
from openmeva.training.benchmark.results.explanations import explanation_tables
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.run import Settings, run
from openmeva.training.benchmark.scoring import scores
from openmeva.training.benchmark.tables.sections import read_published


def mans_file(folder, corpus, prompts=24):
    rng = np.random.default_rng(0)
    vocabulary = [
        "the",
        "dog",
        "ran",
        "home",
        "and",
        "then",
        "it",
        "slept",
        "near",
        "a",
        "warm",
        "red",
        "house",
        "by",
        "the",
        "sea",
    ]
    entries = {}
    for key in range(prompts):
        generated = {}
        for model in ("s2s", "gpt", "fusion"):
            count = int(rng.integers(3, 14))
            quality = 1 + 4 * count / 14 + rng.normal() * 0.3
            ratings = sorted(int(v) for v in np.clip(np.rint(quality + rng.normal(size=5) * 0.6), 1, 5))
            generated[model] = {
                "text": " ".join(rng.permutation(vocabulary)[:count]) + " .",
                "score": ratings,
            }
        entries[str(key)] = {"prompt": f"prompt {key} .", "gold_response": "it ended .", "gen": generated}
    (folder / f"mans_{corpus}.json").write_text(json.dumps(entries))


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    (folder / "mans").mkdir(parents=True)
    mans_file(folder / "mans", "roc")
    return folder


def settings(data, **changes):
    return Settings(data=data, draws=200, say=lambda line: None, processes=1, **changes)


def test_benchmark_run_from_data_to_report(tmp_path, data, words):
    entry, _ = words
    results = run([entry], [TEST_SETS["mans_roc"], TEST_SETS["mans_wp"]], settings(data))
    mans_roc = results["judged"]["mans_roc"]
    assert mans_roc["n"] == 72
    assert mans_roc["prompts"] == 24
    assert mans_roc["rows"]["Words"]["kind"] == "ours"
    assert mans_roc["rows"]["Words"]["pearson"] > 0.5
    assert {"length", "distinct_1", "distinct_2", "distinct_3", "repetition_share"} <= set(mans_roc["rows"])
    assert mans_roc["signatures"] == {"Words": "words:1"}
    assert "mans_wp.json" in results["skipped"]["mans_wp"]
    with pytest.raises(ValueError, match=r"MANS-WP: needs DATA/mans/mans_wp\.json"):
        run([entry], [TEST_SETS["mans_wp"]], settings(data, sets_are_named=True))
    (data / "mans" / "mans_wp.json").write_text("{}")
    with pytest.raises(ValueError, match=r"MANS-WP: .*mans_wp\.json"):
        run([entry], [TEST_SETS["mans_wp"]], settings(data))
    (data / "mans" / "mans_wp.json").unlink()
    published = read_published()
    report = write_report(results, published, tmp_path / "out")
    text = report.read_text()
    assert "MANS-ROC: correlation with human judgments" in text
    assert "MANS-ROC: within prompts" in text
    assert "GPT-4 (published)" in text.partition("MANS-ROC: within prompts")[2].partition("###")[0]
    assert "GPT-4 (published)" not in text.partition("MANS-ROC: within prompts")[0]
    assert "MANS-ROC: between systems" in text
    assert "UNION (paper)" in text
    pictures = re.findall(r"^!\[.*\]\((figures/\S+)\)$", text, re.MULTILINE)
    assert {"figures/overview.png", "figures/scatter.png"} <= set(pictures)
    for picture in pictures:
        assert (tmp_path / "out" / picture).read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "out" / "results.json").read_text())["judged"]["mans_roc"]["n"] == 72
    assert (tmp_path / "out" / "tables.tex").read_text().count("\\begin{tabular}") > 3
    assert not [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".part", ".tmp", ".pkl")]


def test_drift_evaluation_on_the_other_corpus_omits_contexts(data, words):
    mans_file(data / "mans", "wp")
    entry, _ = words
    for_both_corpora = MetricEntry(
        "words", "Words", {"roc": "roc", "wp": "wp"}, ("contexts",), joins_context=True, module=entry.module
    )
    results = run([for_both_corpora], [TEST_SETS["mans_roc"], TEST_SETS["mans_wp"]], settings(data))
    runs = results["dataset_drift"]["Words"]
    assert results["drift_weights"] == {"Words": {"roc": "roc", "wp": "wp"}}, "unknown training corpora"
    # This metric joins every context: joining it beforehand changes nothing on ROC; dropping it on WP does.
    assert runs["roc"]["mans_roc"]["pearson"] == pytest.approx(runs["wp"]["mans_roc"]["pearson"])
    assert runs["roc"]["mans_wp"]["pearson"] != pytest.approx(runs["wp"]["mans_wp"]["pearson"], abs=1e-6)
    assert runs["roc"]["mans_roc"]["intervals"]["pearson"]


def test_metric_with_two_outputs_fills_two_rows(data, words):
    entry, _ = words
    with_two_outputs = MetricEntry(
        "words", "Words", {"roc": "roc"}, outputs={"A": "scores", "B": "halves"}, module=entry.module
    )
    rows = run([with_two_outputs], [TEST_SETS["mans_roc"]], settings(data))["judged"]["mans_roc"]["rows"]
    assert rows["A"]["spearman"] == pytest.approx(rows["B"]["spearman"])


def test_failing_metric_is_skipped_or_raised_if_strict(tmp_path, data):
    absent = MetricEntry("absent", "Absent", {"roc": "roc"}, module=str(tmp_path / "absent"))
    results = run([absent], [TEST_SETS["mans_roc"]], settings(data))
    assert list(results["skipped"]) == ["absent (roc) on mans_roc"]
    with pytest.raises(FileNotFoundError, match=r"Couldn't find a module script at .*absent\.py"):
        run([absent], [TEST_SETS["mans_roc"]], settings(data, strict=True))


def test_metric_with_missing_model_is_skipped_even_if_strict(data, words, monkeypatch):
    def absent(*_, **__):
        raise BackboneNotFoundError("no model 'a/b': `hf download a/b`")

    monkeypatch.setattr("openmeva.training.benchmark.run.cached_scores", absent)
    results = run([words[0]], [TEST_SETS["mans_roc"]], settings(data, strict=True))
    assert results["skipped"] == {"words (roc) on mans_roc": "no model 'a/b': `hf download a/b`"}
    assert "Words" not in results["judged"]["mans_roc"]["rows"]


def judged_stories(types=None):
    scores = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    rows = [{"story": f"s {k} .", "score": value} for k, value in enumerate(scores)]
    for row, error_types in zip(rows, types or [], strict=False):
        row["error_types"] = error_types
    return JudgedStories.from_rows(rows)


def test_row_beats_trivial_rows_only_if_its_interval_excludes_zero():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=120)
    rows = [
        {"story": "word " * int(10 + 2 * q + 2 * rng.normal()) + f"{k} .", "score": float(q)}
        for k, q in enumerate(quality)
    ]
    judged = JudgedStories.from_rows(rows)
    lengths = [float(len(row["story"].split())) for row in rows]
    ours = {"good": list(quality + 0.1 * rng.normal(size=120)), "same": lengths}
    table = judged_table(judged, ours, {"good": list(quality)}, 300, rng)
    assert table["rows"]["good"]["beats_trivial"]["pearson"]["beats"]
    assert not table["rows"]["same"]["beats_trivial"]["pearson"]["beats"]
    assert table["rows"]["good (released)"]["kind"] == "released"
    assert table["pairs"]["best"] == "good (released)"
    assert table["pairs"]["against"]["same"]["williams"]["holm"] < 0.01


def test_explanations_against_error_types():
    chaotic, no_errors = [["chaotic"]] * 3, [[]] * 3
    judged = judged_stories([chaotic, chaotic, no_errors, no_errors, no_errors, no_errors])
    explanations = [
        {"sentences": [{"text": "", "gain": gain}], "edits": [{}] * edits}
        for gain, edits in zip((0.9, 0.8, 0.1, 0.2, 0.0, 0.0), (2, 1, 1, 0, 0, 0), strict=True)
    ]
    result = explanation_tables(explanations, judged, 0.5, one_error_only=False)
    assert result["edited"] == 0.5
    # The three worst stories are edited: tied ranks, 1.5 from the mean rank, against six different judgments.
    assert result["spearman"]["unedited"] == pytest.approx(np.sqrt(27 / 35))
    assert result["types"]["chaotic"]["faulty"] == 2
    assert result["types"]["chaotic"]["auc"] == 1.0
    assert result["types"]["chaotic"]["spearman"]["unedited"] == pytest.approx(1.0)
    gains, edits, judgments = [0.9, 0.8, 0.1, 0.2, 0, 0], [2, 1, 1, 0, 0, 0], [0, 0.2, 0.4, 0.6, 0.8, 1]
    by_gain = -stats.spearmanr(gains, judgments).statistic
    assert result["spearman"]["low_gain"] == pytest.approx(by_gain)
    assert by_gain > 0
    assert result["spearman"]["few_edits"] == pytest.approx(-stats.spearmanr(edits, judgments).statistic)
    chaos = result["types"]["chaotic"]
    assert chaos["votes"] == pytest.approx(stats.spearmanr(gains, [3, 3, 0, 0, 0, 0]).statistic)
    kept = [0, 1, 3, 4, 5]  # all but the reasonable story that is rated low
    expected = -stats.spearmanr(np.array(gains)[kept], np.array(judgments)[kept]).statistic
    assert chaos["by_score"]["spearman"]["low_gain"] == pytest.approx(expected)
    with pytest.raises(ValueError, match="expected 6 explanations, one per story, got 5"):
        explanation_tables(explanations[:5], judged, 0.5, one_error_only=False)


def test_unknown_metric_name_is_rejected():
    entries = read_registry()
    assert "union" in entries
    with pytest.raises(ValueError, match="unknown metric nothing, expected any of plot_coherence"):
        select_entries(["nothing"], entries)


def test_command_names_missing_data_and_unknown_names(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=r"UNION's 400: needs DATA/union/ROCStories/ant_data/ant_data\.txt"):
        run_benchmark(BenchmarkOptions(datasets=["union_roc"], out=out, data=tmp_path))
    with pytest.raises(ValueError, match=r"expected judged sets in .*, found none"):
        run_benchmark(BenchmarkOptions(out=out, data=tmp_path))
    with pytest.raises(ValueError, match="unknown metric nothing"):
        run_benchmark(BenchmarkOptions(datasets=["union_roc"], out=out, metrics=["nothing"]))
    with pytest.raises(ValueError, match="unknown test set"):
        run_benchmark(BenchmarkOptions(datasets=["nothing"], out=out))
    with pytest.raises(ValueError, match="absent"):
        run_benchmark(BenchmarkOptions(data=tmp_path / "absent", out=out))


def test_nothing_is_scored_if_the_cache_is_not_writable(tmp_path, monkeypatch):
    def fail_if_called(*arguments):
        raise AssertionError("scored")

    (tmp_path / "file").write_text("")
    monkeypatch.setattr(scores, "IN_CHECKOUT", False)
    for module in (command, paired):
        monkeypatch.setattr(module, "SCORES_CACHE", tmp_path / "file" / "scores")
    for module in (run_module, paired):
        monkeypatch.setattr(module, "cached_scores", fail_if_called)
    with pytest.raises(
        ValueError, match=r"\(OPENMEVA_CACHE names another\): expected a folder at .*file, got"
    ):
        run_benchmark(BenchmarkOptions(datasets=["mans_roc"], out=tmp_path / "out"))
    with pytest.raises(ValueError, match=r"\(OPENMEVA_CACHE names another\)"):
        paired.metric_scores("union", TEST_SETS["mans_roc"], [])


def test_all_results_are_finite(data, words):
    results = run([words[0]], [TEST_SETS["mans_roc"]], settings(data))
    checked = []

    def check_finite(value):
        if isinstance(value, dict):
            for item in value.values():
                check_finite(item)
        elif isinstance(value, list):
            for item in value:
                check_finite(item)
        elif isinstance(value, float):
            assert math.isfinite(value)
            checked.append(value)

    check_finite(results)
    assert len(checked) > 100


def test_report_without_own_metrics(tmp_path, data):
    results = run([], [TEST_SETS["mans_roc"]], settings(data))
    assert Path(write_report(results, read_published(), tmp_path / "out")).exists()
