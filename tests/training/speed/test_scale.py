"""The part of `make bench` on corpora of any size: ratios of what was measured, and what `make bench` runs unasked."""

from pathlib import Path

import pytest

from openmeva.training.speed import __main__ as command
from openmeva.training.speed import scale


def test_rows_are_ratios_of_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(stories: Path, out: Path, options: list[str], workers: int) -> scale.Measured:
        asked.append((stories.name, workers))
        speed = 100.0 * workers * (0.95 if "ray" in options else 1)
        return scale.Measured(
            {"outside": 0.05}, speed, 2.0, 300.0 + (stories.name == "200.jsonl") * 15, 500.0
        )

    monkeypatch.setattr(scale, "_run", run)
    monkeypatch.setattr(scale, "_large", lambda place: [])
    monkeypatch.setattr(scale, "CORPORA", (20, 200))
    monkeypatch.setattr(scale, "MODELS", {"mix": 40, "base": 20})
    rows = scale.scale_rows()
    assert asked == [
        ("mix.jsonl", 1),
        ("mix.jsonl", 1),
        ("mix.jsonl", 2),
        ("base.jsonl", 1),
        ("20.jsonl", 1),
        ("200.jsonl", 1),
    ]
    assert [row[2] for row in rows] == ["1", "0.95", "2.00", "", "", "", "1.00", "1.05"]
    assert [row[1] for row in rows[3:5]] == ["5.0%", "2.0 s, 2.0 s"]


def test_it_runs_where_it_is_named_alone() -> None:
    assert "scale" in command.PARTS
    assert command.ASKED_FOR == ("scale",)
