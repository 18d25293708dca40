"""The load matrix measures what it says, shown with loads that need no library."""

from pathlib import Path

import pytest

from openmeva.training.speed import loading

ASKS = """
try:
    urllib.request.urlopen("http://127.0.0.1:9", timeout=6)
except OSError:
    pass"""


def test_load_times_with_failing_and_hanging_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = {"local": ("import time", "pass"), "asks": ("import urllib.request", ASKS)}
    monkeypatch.setattr(loading, "LOADS", loads)
    monkeypatch.setenv("OPENMEVA_LOAD_LIMIT", "4")
    rows = {name: measured.removesuffix(" s").split(" / ") for name, measured, *_ in _rows(tmp_path)}
    assert "over 4" not in rows["local"]
    _, failing, hanging = rows["asks"]
    assert failing != "over 4"
    assert hanging == "over 4"


def _rows(folder: Path) -> loading.Rows:
    return loading.network_rows(folder / "home", folder)


def test_failing_load_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LOADS", {"broken": ("import time", "raise OSError('no such name')")})
    with pytest.raises(RuntimeError, match="no such name"):
        _rows(tmp_path)


def test_cost_measures_wall_and_processor_time(tmp_path: Path) -> None:
    wall, processor = loading._cost("import time; time.sleep(1)", tmp_path, tmp_path, {})
    assert wall > 1
    assert processor < wall
