"""Where what a configuration names lies."""

from pathlib import Path

import pytest

from openmeva.training import paths


def test_runs_lie_in_the_working_folder_of_an_installed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", Path("/site-packages/openmeva"))
    monkeypatch.setattr(paths, "WORK", Path())
    assert paths.located("runs/union-wp/second") == Path("runs/union-wp/second")
    assert paths.located("metrics/union/weights/wp") == Path(
        "/site-packages/openmeva/metrics/union/weights/wp"
    )
    assert paths.located("/own/weights") == Path("/own/weights")
