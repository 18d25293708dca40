"""`make bench` says which part it is at."""

import sys
from types import SimpleNamespace

import pytest

from openmeva.training.speed import __main__ as command


def test_each_part_is_told_as_it_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []

    def measure() -> list[tuple[str, ...]]:
        told.append(capsys.readouterr().err)
        return [("a", "1 s", "1", "1")]

    parts = SimpleNamespace(scoring_rows=measure, sampling_rows=measure)
    monkeypatch.setattr(command, "import_module", lambda name: parts)
    monkeypatch.setattr(sys, "argv", ["speed", "--only", "scoring", "sampling"])
    command.main()
    assert told == ["1 of 2: scoring …\n", "2 of 2: sampling …\n"]
    assert "1 s" in capsys.readouterr().out
