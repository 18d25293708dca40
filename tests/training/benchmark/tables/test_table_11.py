"""OpenMEVA's Table 11, and the rows of cross-validated metrics."""

from pathlib import Path
from typing import Any

import pytest

from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.benchmark.tables.table_11 import table_11
from openmeva.training.common.cross_validated import cross_validated_scores, write_cross_validated


def judged(title: str, **rows: float) -> dict[str, Any]:
    return {
        "title": title,
        "n": 10,
        "rows": {
            name.replace("_", " "): {"kind": "ours", "pearson": value, "intervals": {}}
            for name, value in rows.items()
        },
    }


def test_table_11_layout_and_values() -> None:
    results = {
        "judged": {
            "mans_roc": judged("MANS-ROC", UNION=0.25, PPL=0.3, Novelty=0.1),
            "mans_wp": judged("MANS-WP", UNION=0.125),
        }
    }
    results["judged"]["mans_roc"]["rows"]["BLEU"] = {"kind": "released", "pearson": 0.9}
    (table,) = table_11(results, read_published())
    rows = {row[0].strip(): row[1:] for row in table.rows}
    assert rows["UNION"] == [".250", ".4119", ".125", ".3256"]
    assert rows["PPL (fine-tuned GPT-2): PPL"] == [".300", ".2817", "", ".2952"]
    assert rows["BLEU"] == ["", "−.0239", "", "−.0537"], "a released score is not this project's"
    assert rows["Novelty"] == [".100", "", "", ""]
    order = [row[0].strip() for row in table.rows]
    assert order.index("Referenced") < order.index("Unreferenced") < order.index("Hybrid")
    assert order.index("Hybrid") < order.index("BLEURT") < order.index("Novelty")
    paper = read_published()["correlations"]["mans_roc"]["rows"]
    assert set(paper) <= {title for t in read_published()["table_11"]["groups"].values() for title in t}


def test_table_11_is_omitted_without_mans() -> None:
    assert not list(table_11({"judged": {"union_roc": judged("UNION's 400", UNION=0.1)}}, read_published()))


def test_cross_validated_scores_are_read_only_for_unchanged_stories(tmp_path: Path) -> None:
    rows = [{"story": f"story {i}", "reference": "r", "score": float(i)} for i in range(3)]
    write_cross_validated(tmp_path, "mans_roc", "bleurt", "BLEURT", rows, [0.1, 0.2, 0.3], "how")
    scores = cross_validated_scores("mans_roc", rows, tmp_path)
    assert scores == {
        "BLEURT (cross-validated)": {"scores": [0.1, 0.2, 0.3], "signature": "how", "metric": "bleurt"}
    }
    assert cross_validated_scores("mans_wp", rows, tmp_path) == {}
    rows[1]["score"] = 5.0
    assert cross_validated_scores("mans_roc", rows, tmp_path) == {}, "other ratings than it was tuned on"
    with pytest.raises(ValueError, match="expected 3 scores, got 1"):
        write_cross_validated(tmp_path, "mans_roc", "bleurt", "BLEURT", rows, [0.1], "how")
