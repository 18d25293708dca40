"""`make bench` finds its parts, and says which one it is at."""

import sys
from importlib import import_module
from types import SimpleNamespace
from unittest.mock import create_autospec

import pytest

from openmeva.training.speed import __main__ as command


def test_each_part_is_announced_when_it_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    announced = []

    def measure() -> list[tuple[str, ...]]:
        announced.append(capsys.readouterr().err)
        return [("a", "1 s", "1", "1")]

    parts = SimpleNamespace(scoring_rows=measure, sampling_rows=measure)
    monkeypatch.setattr(command, "import_module", lambda name: parts)
    monkeypatch.setattr(sys, "argv", ["speed", "--only", "scoring", "sampling"])
    command.main()
    assert announced == ["1 of 2: scoring …\n", "2 of 2: sampling …\n"]
    assert "1 s" in capsys.readouterr().out


def test_every_part_is_imported_and_receives_its_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = {}
    for part, rows in command.PARTS.items():
        module = import_module(f"openmeva.training.speed.{part}")
        measured[part] = create_autospec(getattr(module, rows), return_value=[(f"of {part}", "1 s", "", "")])
        monkeypatch.setattr(module, rows, measured[part])
    options = ["--before", "HEAD", "--minutes", "2"]
    monkeypatch.setattr(sys, "argv", ["speed", "--only", *command.PARTS, *options])
    command.main()
    printed = capsys.readouterr().out
    assert all(f"of {part}" in printed for part in command.PARTS)
    measured.pop("spaces").assert_called_once_with(before="HEAD", minutes=2.0)
    for function in measured.values():
        function.assert_called_once_with()
