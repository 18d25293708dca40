"""Evenly spaced rows; random sampling is tested where it is used."""

from openmeva.training.common.draws import evenly


def test_evenly_takes_both_ends() -> None:
    assert evenly(range(10), 4) == [0, 3, 6, 9]
    assert evenly(range(3), 10) == [0, 1, 2]
