"""The cache folders of the libraries."""

from pathlib import Path

import pytest

from openmeva.training.hub import caches
from openmeva.training.hub.caches import Caches, dataset_placements
from openmeva.training.hub.description import Description, Source
from openmeva.training.hub.install import has_content_of


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


def test_variable_in_the_name_of_the_cache_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", "$PWD/hf")
    with pytest.raises(ValueError, match="HF_HOME: expected a folder without a variable in its name, got"):
        Caches.from_environment()


def test_damaged_file_of_the_same_size_is_noticed(tmp_path: Path) -> None:
    for name in ("staged", "installed"):
        (tmp_path / name / "weights").mkdir(parents=True)
        (tmp_path / name / "weights" / "adapter.safetensors").write_bytes(b"12345678")
    assert has_content_of(tmp_path / "installed", tmp_path / "staged")
    (tmp_path / "installed" / "weights" / "adapter.safetensors").write_bytes(b"12340678")
    assert not has_content_of(tmp_path / "installed", tmp_path / "staged")


def test_configurations_that_the_user_built_are_placed_beside_the_shipped_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def prepare(folder: Path, name: str, configuration: str, target: Path) -> None:
        target.mkdir(parents=True)
        (target / "data.arrow").write_text(f"{folder.name} {configuration}")

    monkeypatch.setattr(caches, "prepare_dataset", prepare)
    sources = []
    for folder, configurations in (("shipped", "mini"), ("built", "mini roc"), ("only", "roc")):
        (tmp_path / folder).mkdir()
        listed = "".join(
            f"- config_name: {name}\n  data_files: [{{split: a, path: {name}.parquet}}]\n"
            for name in configurations.split()
        )
        (tmp_path / folder / "README.md").write_text(f"---\nconfigs:\n{listed}---\n")
        for name in configurations.split():
            (tmp_path / folder / f"{name}.parquet").touch()
        sources.append(Source("dataset", "autos", tmp_path / folder))
    description = Description("openmeva", tuple(sources), {}, {}, frozenset())
    placed: set[tuple[str, str]] = set()
    found = [
        (placement.staged.name, (placement.staged / "data.arrow").read_text())
        for source in sources
        for placement in dataset_placements(
            source, description, Caches(*[tmp_path] * 4), tmp_path / "staged", placed
        )
    ]
    assert found == [("autos-mini", "shipped mini"), ("autos-roc", "built roc")]
    times = {name: (tmp_path / "staged" / name).stat().st_mtime for name, _ in found}
    assert times["autos-mini"] > times["autos-roc"], "the default is that of the shipped card"
