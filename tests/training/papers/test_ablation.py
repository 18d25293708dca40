"""Rows of the ablation change only the setting that they name."""

import pytest

from openmeva.training.common.config import as_mapping, config_file, differences, read_config
from openmeva.training.papers.ablation import ROWS, VARIANTS, _cells, row_config
from openmeva.training.union.config import UnionConfig

BASE = read_config(UnionConfig, config_file("union", "roc_first"))


@pytest.mark.parametrize("name", [*ROWS, *VARIANTS])
def test_ablation_row_changes_only_its_settings(name: str) -> None:
    changes = {**ROWS, **VARIANTS}[name]
    common, row = (as_mapping(row_config("x", overrides, BASE, 100)) for overrides in ({}, changes))
    changed = {line.partition(":")[0].removeprefix("sampling.") for line in differences(common, row)}
    assert changed == set(changes)


def test_all_four_combines_the_four_variants() -> None:
    single = [changes for name, changes in VARIANTS.items() if name != "All four"]
    assert VARIANTS["All four"] == {key: value for changes in single for key, value in changes.items()}


def test_further_seed_changes_only_seed_and_name() -> None:
    first, second = (as_mapping(row_config("- Repetition", {}, BASE, 100, further)) for further in (0, 1))
    assert {key for key in first if first[key] != second[key]} == {"name", "seed"}


def test_cells_show_mean_deviation_and_paper_result() -> None:
    cells = _cells([[0.2, 0.1], [0.3, 0.1]], "none of the paper's")
    assert cells == [".250 ± .071", ".100 ± .000"]
    assert _cells([[0.25] * 5], "UNION")[0] == ".250 (.369)"
