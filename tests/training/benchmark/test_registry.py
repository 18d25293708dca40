"""The registry of metrics: which rows the further tables hold."""

from pathlib import Path

import pytest

from openmeva.training.benchmark.registry import read_registry


def test_sections_are_rows_of_the_metric(tmp_path: Path) -> None:
    path = tmp_path / "metrics.yaml"
    entry = "m: {title: M, configs: {roc: default}, outputs: {A: a_scores, B: b_scores}, sections: [%s]}\n"
    path.write_text(entry % "B")
    assert read_registry(path)["m"].sections == ("B",)
    path.write_text(entry % "C")
    with pytest.raises(ValueError, match="m: expected sections among its rows, got C"):
        read_registry(path)


def test_every_entry_of_the_project_reads() -> None:
    entries = read_registry()
    assert {"overlap", "embedding_similarity", "bleurt", "discriminator", "union"} <= set(entries)
    assert entries["overlap"].sections == ("BLEU",)
    assert entries["union"].sections == (), "all rows"
