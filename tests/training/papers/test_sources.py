"""One row a source: what each is trained on."""

from pathlib import Path

import pytest

from openmeva.training.common.config import config_file, read_config
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.papers.sources import alone, is_there, limited, main
from openmeva.training.plot_coherence.config import PlotCoherenceConfig


def test_each_source_stands_alone_and_all_together_from_labels() -> None:
    whole = read_config(PlotCoherenceConfig, config_file("plot_coherence", "mix"))
    found = alone(whole)
    sources = [*(one["name"] for one in whole.graded or ()), *(Path(f.path).stem for f in whole.files or ())]
    assert list(found) == [*sources, "all"]
    for one in found.values():
        assert (one.teacher, one.start, one.distillation_weight) == (None, None, 0.0)
    for name in sources:
        assert len(found[name].graded or ()) + len(found[name].files or ()) == 1
    assert (found["all"].graded, found["all"].files) == (whole.graded, whole.files)


def test_the_groups_are_shared_evenly_among_sources() -> None:
    rows = [
        GroupRow(f"{source}-train-{place}", "A story.", source, label)
        for source, count in (("few", 3), ("many", 40))
        for place in range(count)
        for label in (1, 0)
    ]
    kept = {row.group for row in limited(rows, 10, 42)}
    assert sum(group.startswith("few") for group in kept) == 3
    assert sum(group.startswith("many") for group in kept) == 5
    assert len(limited(rows, 1000, 42)) == len(rows)


def test_what_is_missing_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not is_there("mans_roc", tmp_path)
    assert main(["--data", str(tmp_path), "--out", str(tmp_path), "--run", str(tmp_path)]) == 2
    assert "error: " in capsys.readouterr().err
