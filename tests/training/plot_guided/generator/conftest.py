"""A corpus and an encoder for training a tiny generator in seconds."""

from pathlib import Path

import pytest

from openmeva.training.common import backbone
from tests.tiny.models import tiny_model, write_encoder
from tests.tiny.plots import write_stories


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of both."""
    write_stories(tmp_path)
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    return tmp_path
