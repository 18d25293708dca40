"""The part of `make bench` on corpora of any size: ratios of what was measured, and what `make bench` runs unasked."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from openmeva.training.speed import __main__ as command
from openmeva.training.speed import scale


def test_scale_rows_are_ratios_of_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def run(stories: Path, out: Path, options: list[str]) -> scale.Measurement:
        workers = int(options[options.index("--actors") + 1]) if "--actors" in options else 1
        runs.append((stories.name, workers, "--address" in options))
        pace = 0.1 / (
            0.95 if "ray" in options else 1
        )  # seconds that a worker needs for a part of ten stories
        ends = [2.0 + pace * (position // workers) for position in range(12)]
        driver = 300.0 + (stories.name == "200.jsonl") * 15
        return scale.Measurement({"outside": 0.05, "scored": 120}, ends, 2.0, driver, 500.0)

    monkeypatch.setattr(scale, "_run", run)
    monkeypatch.setattr(scale, "_large", lambda position: [])
    monkeypatch.setattr(scale, "_nodes", lambda count: nullcontext("here"))
    monkeypatch.setattr(scale, "CORPORA", (20, 200))
    monkeypatch.setattr(scale, "MODELS", {"mix": 40, "base": 20})
    rows = scale.scale_rows()
    names = [name for name, *_ in runs]
    assert sorted(names[1:3]) == ["half-0.jsonl", "half-1.jsonl"]  # at the same time
    assert [*names[:1], *names[3:]] == [*["mix.jsonl"] * 5, "base.jsonl", "20.jsonl", "200.jsonl"]
    assert [position[1:] for position in runs[3:7]] == [(1, False), (2, False), (1, True), (2, True)]
    assert [row[1:3] for row in rows[:6]] == [
        ("100.0 stories/s", "1.00"),
        ("200.0 stories/s", "2.00 of one"),
        ("95.0 stories/s", "0.95 of plain"),
        ("190.0 stories/s", "2.00 of one actor"),
        ("95.0 stories/s", "0.95 of plain"),
        ("190.0 stories/s", "2.00 of one node"),
    ]
    assert [row[1] for row in rows[6:8]] == ["5.0%", "2.0 s, 2.0 s"]
    assert [row[2] for row in rows if "memory" in row[0]] == ["1.00", "1.05"]


def test_scale_runs_only_on_request() -> None:
    assert "scale" in command.PARTS
    assert command.ON_REQUEST == ("scale",)
