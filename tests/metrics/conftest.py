"""Fixtures of several metrics' tests."""

from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core import backbone


@pytest.fixture(
    params=[
        ({"predictions": ["She ate.", ""]}, "predictions, row 1: expected a text"),
        ({"predictions": ["She ate."], "contexts": []}, "contexts: expected 1"),
        ({"predictions": ["She ate."], "batch_size": 0}, "batch_size"),
        ({"predictions": ["She ate."], "context_is_part_of_story": "yes"}, "expected True, False or None"),
    ],
    ids=lambda param: param[1],
)
def bad_input(request: pytest.FixtureRequest) -> tuple[dict[str, Any], str]:
    """Arguments that a story metric rejects, and its error message."""
    return request.param


@pytest.fixture
def no_backbones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without the models that have to be downloaded, and without network."""
    monkeypatch.setattr(backbone, "package_folder", lambda _: None)
    monkeypatch.setattr(backbone, "hub_folder", lambda *_, **__: None)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
