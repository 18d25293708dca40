"""Fixtures of several metrics' tests."""

from pathlib import Path

import pytest

from openmeva.metrics.core import backbone


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without the models that have to be fetched, and without network."""
    monkeypatch.setattr(backbone, "package_folder", lambda _: None)
    monkeypatch.setattr(backbone, "hub_folder", lambda *_, **__: None)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
