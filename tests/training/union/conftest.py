"""Sixteen stories, and a UNION model trained to recognise the order of their sentences."""

from pathlib import Path

import pytest

from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from tests.tiny.union import SETTINGS, write_files


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the stories and a tiny encoder."""
    write_files(tmp_path)
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    return tmp_path


@pytest.fixture(scope="session")
def trained_union(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint and its encoder; training takes seconds, so it is shared, and tests that change it copy it."""
    folder = tmp_path_factory.mktemp("learnt")
    write_files(folder)
    changes = {"pairs": 2400, "batch_pairs": 8, "adapter": {"rank": 8, "alpha": 16}, "copied_share": 0.5}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backbone, "ENCODER", folder / "encoder")
        config = parse(UnionConfig, {**SETTINGS, **changes, "warmup_share": 0.1})
        union.train(config, folder, folder / "weights", folder / "run", folder / "cache")
    return folder / "weights"
