"""The cache folders of the libraries."""

from pathlib import Path

import pytest

from openmeva.training.hub.caches import Caches


def test_caches_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "HF_HOME",
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "HF_MODULES_CACHE",
        "HF_DATASETS_CACHE",
        "XDG_CACHE_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Caches.from_environment().hub == tmp_path / ".cache" / "huggingface" / "hub"
    monkeypatch.setenv("HUGGINGFACE_HUB_CACHE", str(tmp_path / "old"))
    assert Caches.from_environment().hub == tmp_path / "old"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert Caches.from_environment().modules == tmp_path / "xdg" / "huggingface" / "modules"
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "elsewhere"))
    assert Caches.from_environment() == Caches(
        tmp_path / "hf", tmp_path / "elsewhere", tmp_path / "hf" / "modules", tmp_path / "hf" / "datasets"
    )
