"""Figures in model cards: those of the weights they stand beside, with intervals, and no others."""

from pathlib import Path
from typing import Any

import pytest

from training.benchmark.checkpoints import checkpoint_digests
from training.hub.results import add_results, judgment_section

BODY = "# M\n\n## Results\n\nAccuracy .8.\n\n## Limits\n\nMany.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "metrics" / "union" / "weights" / "wp"
    found.mkdir(parents=True)
    (found / "config.json").write_text("{}")
    (found / "adapter.safetensors").write_bytes(b"weights")
    return found


def results(folder: Path) -> dict[str, Any]:
    def row(title: str, kind: str, value: float) -> dict[str, Any]:
        return {"title": title, "kind": kind, "pearson": value, "spearman": -0.04, "kendall": 0.1,
                "intervals": {"pearson": [-0.021, 0.26], "spearman": None}}  # fmt: skip

    return {
        "judged": {
            "mans_roc": {
                "title": "MANS-ROC",
                "corpus": "roc",
                "n": 495,
                "rows": [row("UNION", "ours", 0.288)],
            },
            "mans_wp": {
                "title": "MANS-WP",
                "corpus": "wp",
                "n": 495,
                "rows": [row("UNION", "paper", 0.326), row("UNION", "ours", 0.179), row("PPL", "ours", 0.1)],
            },
        },
        "weights": checkpoint_digests(folder.parents[3]),
    }


def test_a_configuration_has_the_rows_of_its_own_corpus(folder: Path) -> None:
    text = judgment_section("union", folder, results(folder))
    assert "| MANS-WP (495) | UNION | .179 [-.02, .26] | -.040 |" in text
    assert "MANS-ROC" not in text
    assert text.count("| MANS-WP") == 1


def test_the_table_ends_the_section_results(folder: Path) -> None:
    body = add_results(BODY, "union", folder, results(folder))
    assert body.index("Accuracy .8.") < body.index("### Agreement with people") < body.index("## Limits")
    assert add_results("# M\n\n## Use\n\nSo.\n", "union", folder, results(folder)) == "# M\n\n## Use\n\nSo.\n"


def test_newer_weights_are_not_given_older_figures(folder: Path) -> None:
    found = results(folder)
    (folder / "adapter.safetensors").write_bytes(b"other weights")
    assert ".179" not in judgment_section("union", folder, found)
    assert "Not measured" in judgment_section("union", folder, found)


def test_a_metric_without_rows_has_no_table(folder: Path) -> None:
    assert judgment_section("discriminator", folder, results(folder)) == ""
