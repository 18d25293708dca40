"""Rows of the ablation change what they say, and nothing else."""

import pytest

from openmeva.training.common.config import as_mapping, config_file, differences, read_config
from openmeva.training.papers.ablation import ROWS, VARIANTS, row_config
from openmeva.training.union.config import UnionConfig

BASE = read_config(UnionConfig, config_file("union", "roc_first"))


@pytest.mark.parametrize("name", [*ROWS, *VARIANTS])
def test_a_row_differs_from_union_by_what_it_says(name: str) -> None:
    changes = {**ROWS, **VARIANTS}[name]
    common, row = (as_mapping(row_config("x", these, BASE, 100)) for these in ({}, changes))
    found = {line.partition(":")[0].removeprefix("sampling.") for line in differences(common, row)}
    assert found == set(changes)


def test_all_four_are_the_four_together() -> None:
    single = [changes for name, changes in VARIANTS.items() if name != "All four"]
    assert VARIANTS["All four"] == {key: value for changes in single for key, value in changes.items()}
