"""From stories to groups to tables: each stage leaves finished work alone, and cells hold what they say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from training import plot_tables
from training.graded_groups import group_file, make_groups
from training.plot_coherence import load_rows
from training.plot_tables import Cells, correlate
from training.training_groups import GroupRow, write_groups

ROOT = Path(__file__).resolve().parents[2]


def test_graded_groups_are_made_once(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (ROOT / "datasets/stories/mini.jsonl").open(encoding="utf-8")]
    stories = [" ".join(row["sentences"]) for row in rows if row["kind"] == "roc"][:24]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps({"story": s}) + "\n" for s in stories))
    settings = {
        "name": "mini",
        "corpus": {"train": ["stories.jsonl"], "validation_share": 0.3},
        "sampling": {"levels": 2},
        "stories": 8,
        "validation_stories": 3,
        "pool": 14,
        "alike_stories": 6,
    }
    config = {"graded": [settings], "seed": 5}
    train, validation, about = load_rows(config, tmp_path, tmp_path / "run", tmp_path / "cache")
    written = group_file(tmp_path / "run", "mini", "train")
    before = written.stat().st_mtime_ns
    make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    assert written.stat().st_mtime_ns == before, "a second run does nothing"
    first = written.read_bytes()
    make_groups({**settings, "alike_stories": 5}, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
    assert written.read_bytes() == first, "the same settings give the same file"
    assert about["graded"]["mini"]["train"]["groups"] == 8
    people = {row.group: row for row in train if row.label == 1}
    assert len(people) == 8
    assert not set(people) & {row.group for row in validation}
    for row in train:
        words, original = row.story.split(), people[row.group].story.split()
        foreign = set(row.foreign or [])
        assert all(word in original for place, word in enumerate(words) if place not in foreign)
        assert bool(foreign) is (row.label == 0) or "negation" in row.source or "repetition" in row.source


def test_rows_of_files_are_split_by_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        GroupRow(str(g), f"she ran {g} .", "x", label, -1 if not label else 0)
        for g in range(60)
        for label in (1, 0)
    ]
    write_groups(tmp_path / "rows.parquet", rows)
    config = {"files": [{"path": str(tmp_path / "rows.parquet"), "groups": 50, "share": 0.2}], "seed": 1}
    train, validation, about = load_rows(config, tmp_path, tmp_path, tmp_path)
    assert len(train) + len(validation) == 100
    assert 4 <= len(validation) / 2 <= 18
    assert not {row.group for row in train} & {row.group for row in validation}
    assert len(next(iter(about["data"].values()))) == 64


def sets(folder: Path) -> Path:
    rows = []
    for g in range(40):
        rows += [
            GroupRow(str(g), "she ran home .", "human", 1, 0),
            GroupRow(str(g), "home ran she .", "plot", 0, -1, ["repetition"] if g % 2 else ["off_topic"]),
        ]
    write_groups(folder / "roc" / "sets" / "manplts.parquet", rows)
    return folder


def test_a_cell_leaves_one_kind_out_keeps_the_budget_and_is_trained_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[GroupRow]] = []

    def fake(self: Cells, rows: list[GroupRow], model: str, cell: Path) -> Any:
        seen.append(rows)
        return lambda texts: [float(len(t)) for t in texts]

    monkeypatch.setattr(Cells, "_train", fake)
    monkeypatch.setattr(plot_tables, "correlate", lambda *_: (0.5, 0.25))
    cells = Cells({"seed": 1}, 20, sets(tmp_path / "sets"), tmp_path, tmp_path / "out")
    assert cells("MANPLTS", "roc", "FT_LM", "plot_guided_roc", "repetition") == (0.5, 0.25)
    assert cells("MANPLTS", "roc", "FT_LM", "plot_guided_roc", "repetition") == (0.5, 0.25)
    (rows,) = seen
    assert len(rows) == 20
    assert all("repetition" not in row.kinds for row in rows)
    with pytest.raises(ValueError, match="no such file"):
        cells("AF_MANPLTS", "roc", "FT_LM", "plot_guided_roc")
    assert plot_tables.table_7(cells).row_count == 4


def test_correlation_is_with_mean_ratings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = [
        {"prompt": "Ann ran.", "story": "She fell" + " ." * n, "score": [n % 3, n]} for n in (4, 1, 3, 2, 6)
    ]

    class Set:
        corpus = "roc"

        def read(self, data: Path) -> list[dict[str, Any]]:
            return rows

    monkeypatch.setitem(plot_tables.TEST_SETS, "own", Set())  # type: ignore[arg-type]
    heard: list[str] = []

    def scorer(texts: Any) -> list[float]:
        heard.extend(texts)
        return [float(len(t)) for t in texts]

    spearman, kendall = correlate(scorer, "own", tmp_path)
    lengths, means = [len(t) for t in heard], [float(np.mean(row["score"])) for row in rows]
    assert all(text.startswith("Ann ran. She fell") for text in heard)
    assert spearman == pytest.approx(float(np.corrcoef(rankdata(lengths), rankdata(means))[0, 1]))
    assert kendall == pytest.approx(kendalltau(lengths, means)[0])


@pytest.mark.parametrize("table", [plot_tables.table_5, plot_tables.table_6, plot_tables.table_7])
def test_a_table_says_which_set_is_missing(table: Any, tmp_path: Path) -> None:
    made = table(Cells({"seed": 1}, 20, tmp_path, tmp_path, tmp_path))
    assert "no such file" in "".join(str(cell) for column in made.columns for cell in column.cells)


def test_a_fine_tuned_cell_is_a_trained_classifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.tiny import tiny_model, write_encoder
    from training import classifier

    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(classifier, "ENCODER", tmp_path / "encoder")
    base = {
        "metric": "plot_coherence",
        "name": "tables",
        "adapter": {"rank": 2, "alpha": 4},
        "rank_weight": 0.0,
        "kind_weight": 0.0,
        "token_weight": 0.0,
        "seed": 1,
    }
    cells = Cells(base, 20, sets(tmp_path / "sets"), tmp_path, tmp_path / "out")
    rows = cells._rows(tmp_path / "sets" / "roc" / "sets" / "manplts.parquet", None)
    scores = cells._train(rows, "FT_LM", tmp_path / "cell")(["She ran home.", "He ate."])
    assert len(scores) == 2
    assert all(0 <= score <= 1 for score in scores)
