"""The registry of metrics: how `metric.yaml` tells the benchmark to run a metric."""

from pathlib import Path

import pytest

from openmeva.training.benchmark.data.registry import read_registry, select_entries
from tests.metrics.core.test_description import SMALL, write_metric


def test_registry_entry_overrides_only_what_differs(tmp_path: Path) -> None:
    write_metric(
        tmp_path,
        "small",
        SMALL
        + "benchmark: {small: {title: S}, short: {title: T, configs: {wp: roc}, inputs: [], on_request: true}}\n",
    )
    entries = read_registry(tmp_path)
    assert entries["small"].rows == {"S": "scores"}
    assert entries["small"].configs == {"roc": "roc"}
    assert (entries["small"].inputs, entries["small"].needs_contexts) == (("contexts",), True)
    assert (entries["short"].inputs, entries["short"].configs) == ((), {"wp": "roc"})
    assert entries["short"].folder == tmp_path / "small"
    assert [entry.name for entry in select_entries(None, entries)] == ["small"], (
        "the other one waits to be named"
    )
    assert [entry.name for entry in select_entries(["short"], entries)] == ["short"]
    for entry in entries.values():
        (entry.folder / "small.py").touch()
    assert [entry.name for entry in select_entries(["all"], entries)] == ["small", "short"]


def test_duplicate_entry_names_are_rejected(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_metric(tmp_path, name, SMALL + "benchmark: {same: {title: S}}\n")
    with pytest.raises(ValueError, match="both have an entry 'same'"):
        read_registry(tmp_path)


def test_all_entries_of_the_project_can_be_read() -> None:
    entries = read_registry()
    assert {"overlap", "embedding_similarity", "bleurt", "discriminator", "union"} <= set(entries)
    assert entries["overlap"].sections == ("BLEU",)
    assert entries["union"].sections == (), "all rows"
    titles = [title for entry in entries.values() for title in entry.rows]
    assert len(set(titles)) == len(titles)
