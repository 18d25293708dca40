"""Cells of the plot-guided paper's tables: right training rows, trained once, shown with the paper's results."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from openmeva.training.common import backbone
from openmeva.training.common.config import config_file, parse, read_config
from openmeva.training.negatives.groups import GroupRow, read_groups, write_groups
from openmeva.training.papers import plot_cells, plot_tables
from openmeva.training.papers.plot_cells import (
    FT_LM,
    SENTAVG,
    UNION,
    Cell,
    Cells,
    correlate,
    without_manipulation,
)
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.union.config import UnionConfig

TINY = parse(PlotCoherenceConfig, {"name": "tiny", "seed": 1})
ROC_FIRST = read_config(UnionConfig, config_file("union", "roc_first"))


def write_sets(folder: Path) -> Path:
    """40 stories with two candidates each: one repeats something, the other is off topic; for stories 5, 15, … both
    repeat."""
    human, candidates = [], []
    for g in range(40):
        human.append(GroupRow(str(g), "she ran home .", "human", 1, 0))
        kinds = ["repetition"], (["repetition"] if g % 10 == 5 else ["off_topic"])
        candidates += [GroupRow(str(g), f"home {k[0]} she .", "plot", 0, -1, k) for k in kinds]
    first = candidates[::2]
    rows = [row for pair in zip(human, first, strict=True) for row in pair]
    write_groups(folder / "roc" / "sets" / "manplts.parquet", rows)
    write_groups(folder / "roc" / "negatives.parquet", candidates)
    return folder


def test_excluded_manipulation_is_replaced_by_another_candidate(tmp_path: Path) -> None:
    rows = without_manipulation(write_sets(tmp_path), "roc", "repetition")
    assert [row.story for row in rows[:2]] == ["she ran home .", "home off_topic she ."]
    assert {row.group for row in rows} == {str(g) for g in range(40) if g % 10 != 5}
    assert len(without_manipulation(tmp_path, "roc", "contradiction")) == 80


def test_candidates_from_one_plot_cannot_replace_each_other(tmp_path: Path) -> None:
    file = write_sets(tmp_path) / "roc" / "negatives.parquet"
    write_groups(file, [row for row in read_groups(file) if row.error_types == ["repetition"] for _ in "ab"])
    with pytest.raises(ValueError, match="use --regenerate"):
        without_manipulation(tmp_path, "roc", "repetition")


def test_cell_excludes_a_manipulation_keeps_the_budget_and_trains_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, bool]] = []

    def fake_scorer(self: Cells, rows: list[GroupRow], model: str, folder: Path, trained: bool) -> Any:
        calls.append((len(rows), trained))
        assert all("repetition" not in row.error_types for row in rows)
        return lambda texts: [float(len(t)) for t in texts]

    correlations = {"plot_guided_roc": (0.5, 0.25), "mans_wp": (0.1, 0.05)}
    monkeypatch.setattr(Cells, "_scorer", fake_scorer)
    monkeypatch.setattr(plot_cells, "correlate", lambda scorer, test, data: correlations[test])
    monkeypatch.setattr(plot_cells, "result_key", lambda test, data: test)
    folder = write_sets(tmp_path / "sets")
    cells = Cells(TINY, 20, folder, tmp_path, tmp_path / "out", ROC_FIRST)
    cell = ("MANPLTS", "roc", FT_LM)
    assert cells(*cell, "plot_guided_roc", "repetition") == Cell(0.5, 0.25, 20)
    assert cells(*cell, "plot_guided_roc", "repetition") == Cell(0.5, 0.25, 20)
    assert cells(*cell, "mans_wp", "repetition") == Cell(0.1, 0.05, 20)
    assert calls == [(20, False), (20, True)], "trained once, evaluated on two test sets"
    larger = Cells(TINY, 1000, folder, tmp_path, tmp_path / "out", ROC_FIRST)
    assert larger(*cell, "plot_guided_roc", "repetition").stories == 72
    assert calls[-1] == (72, False), "another budget is another model"
    with pytest.raises(ValueError, match="no such file"):
        cells("AF_MANPLTS", "roc", FT_LM, "plot_guided_roc")


def test_union_cell_trains_on_the_human_stories_of_the_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = []

    def fake_train(config: UnionConfig, data: Path, out: Path, *_: Any) -> None:
        stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").read_text().splitlines()]
        trained.append((config.pairs, config.sampling.keep, config.corpus.context, len(stories)))

    class Scorer:
        def __init__(self, checkpoint: Any) -> None: ...

        def score(self, texts: Any, contexts: None) -> Any:
            return [0.5 for _ in texts], None

    monkeypatch.setattr(plot_cells, "train_union", fake_train)
    monkeypatch.setattr(plot_cells, "load_checkpoint", lambda *_: None)
    monkeypatch.setattr(plot_cells, "UnionScorer", Scorer)
    monkeypatch.setattr(plot_cells, "correlate", lambda scorer, test, data: (scorer(["a"])[0], 0.0))
    monkeypatch.setattr(plot_cells, "result_key", lambda test, data: test)
    cells = Cells(TINY, 20, write_sets(tmp_path / "sets"), tmp_path, tmp_path / "out", ROC_FIRST)
    assert cells("MANPLTS", "roc", UNION, "plot_guided_roc") == Cell(0.5, 0.0, 20)
    assert trained == [(10, 1, "first_sentence", 10)]


def test_regenerated_stories_are_read_from_their_own_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cells, "_scorer", lambda *_: None)
    monkeypatch.setattr(plot_cells, "correlate", lambda *_: (0.5, 0.25))
    monkeypatch.setattr(plot_cells, "result_key", lambda test, data: test)
    folder = write_sets(tmp_path / "sets")
    cells = Cells(TINY, 20, folder, tmp_path, tmp_path / "out", ROC_FIRST, regenerated=True)
    with pytest.raises(ValueError, match="roc-without-illogical_order"):
        cells("MANPLTS", "roc", FT_LM, "plot_guided_roc", "wrong_order")
    regenerated = folder / "roc-without-illogical_order" / "sets"
    regenerated.mkdir(parents=True)
    (folder / "roc" / "sets" / "manplts.parquet").rename(regenerated / "manplts.parquet")
    assert cells("MANPLTS", "roc", FT_LM, "plot_guided_roc", "wrong_order").stories == 20


def test_set_with_placeholders_is_rejected_without_delexicalization(tmp_path: Path) -> None:
    folder = tmp_path / "roc" / "sets"
    folder.mkdir(parents=True)
    rows = [GroupRow("1", f"[MALE] {verb} home .", "", label) for label, verb in enumerate(("ate", "ran"))]
    write_groups(folder / "manplts.parquet", rows)
    cells = Cells(replace(TINY, delexicalize=False), 20, tmp_path, tmp_path, tmp_path / "out", ROC_FIRST)
    with pytest.raises(ValueError, match=r"manplts\.parquet: expected names as they are, as tiny reads them"):
        cells("MANPLTS", "roc", FT_LM, "plot_guided_roc")


def test_correlation_uses_mean_ratings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = [
        {"prompt": "Ann ran.", "story": "She fell" + " ." * n, "score": [n % 3, n]} for n in (4, 1, 3, 2, 6)
    ]

    class Set:
        corpus = "roc"

        def read(self, data: Path) -> list[dict[str, Any]]:
            return rows

    monkeypatch.setitem(plot_cells.TEST_SETS, "own", Set())  # type: ignore[arg-type]
    scored: list[str] = []

    def scorer(texts: Any) -> list[float]:
        scored.extend(texts)
        return [float(len(t)) for t in texts]

    spearman, kendall = correlate(scorer, "own", tmp_path)
    lengths, means = [len(t) for t in scored], [float(np.mean(row["score"])) for row in rows]
    assert all(text.startswith("Ann ran. She fell") for text in scored)
    assert spearman == pytest.approx(float(np.corrcoef(rankdata(lengths), rankdata(means))[0, 1]))
    assert kendall == pytest.approx(kendalltau(lengths, means)[0])


@pytest.mark.parametrize(
    ("table", "rows"), [(plot_tables.table_5, 22), (plot_tables.table_6, 6), (plot_tables.table_7, 10)]
)
def test_table_reports_a_missing_set(table: Any, rows: int, tmp_path: Path) -> None:
    result = table(Cells(TINY, 20, tmp_path, tmp_path, tmp_path, ROC_FIRST))
    assert result.row_count == rows
    assert "no such file" in "".join(str(cell) for column in result.columns for cell in column.cells)


def printed_rows(out: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("│")[1:-1]] for line in out.splitlines()]


def test_tables_show_the_paper_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Cells, "_scorer", lambda *_: None)
    monkeypatch.setattr(plot_cells, "correlate", lambda scorer, test, data: (0.123, 0.045))
    monkeypatch.setattr(plot_cells, "result_key", lambda test, data: test)
    folder = write_sets(tmp_path / "sets")
    common = ["--data", str(tmp_path), "--sets", str(folder), "--out", str(tmp_path / "out")]
    plot_tables.main([*common, "--table", "5", "--stories", "24", "--corpora", "roc"])
    lines = printed_rows(capsys.readouterr().out)
    assert ["ROC", "MANPLTS", FT_LM, "24", ".12 (.50)", ".04 (.37)"] in lines
    assert ["ROC", "MANPLTS", SENTAVG, "24", ".12 (.24)", ".04 (.16)"] in lines
    plot_tables.main([*common, "--table", "7", "--stories", "24", "--corpora", "roc"])
    assert ["ROC", "(nothing)", "24", ".12", ".04"] in printed_rows(capsys.readouterr().out), (
        "the paper has results only for WP"
    )
    with pytest.raises(SystemExit):
        plot_tables.main([*common, "--stories", "0"])
    assert "expected 4 or more" in capsys.readouterr().err


def test_fine_tuned_cell_is_a_trained_classifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.tiny.models import tiny_model, write_encoder

    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    base = {
        "metric": "plot_coherence",
        "name": "tables",
        "adapter": {"rank": 2, "alpha": 4},
        "rank_weight": 0.0,
        "error_type_weight": 0.0,
        "token_weight": 0.0,
        "seed": 1,
    }
    cells = Cells(
        parse(PlotCoherenceConfig, base),
        20,
        write_sets(tmp_path / "sets"),
        tmp_path,
        tmp_path / "out",
        ROC_FIRST,
    )
    rows = cells._rows(tmp_path / "sets" / "roc" / "sets" / "manplts.parquet")
    stories = ["She ran home.", "He ate."]
    scores = cells._scorer(rows, FT_LM, tmp_path / "cell", False)(stories)
    assert len(scores) == 2
    assert all(0 <= score <= 1 for score in scores)
    monkeypatch.setattr(plot_cells, "train_classifier", None)
    assert cells._scorer(rows, FT_LM, tmp_path / "cell", True)(stories) == scores
