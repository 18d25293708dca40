"""Evenly spaced rows; random sampling is tested where it is used."""

from openmeva.training.common.buffered_random import evenly_spaced


def test_evenly_spaced_rows_include_both_ends() -> None:
    assert evenly_spaced(range(10), 4) == [0, 3, 6, 9]
    assert evenly_spaced(range(3), 10) == [0, 1, 2]
