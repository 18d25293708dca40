"""Paths that configurations name."""

from pathlib import Path

import pytest

from openmeva.training import paths


def test_runs_of_installed_package_are_in_the_working_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", Path("/site-packages/openmeva"))
    monkeypatch.setattr(paths, "WORK", Path())
    assert paths.resolve_path("runs/union-wp/second") == Path("runs/union-wp/second")
    assert paths.resolve_path("metrics/union/weights/wp") == Path(
        "/site-packages/openmeva/metrics/union/weights/wp"
    )
    assert paths.resolve_path("/own/weights") == Path("/own/weights")


def test_local_build_takes_precedence_over_packaged_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path / "package")
    monkeypatch.setattr(paths, "WORK", tmp_path)
    assert paths.find_output("datasets/autos/roc") == tmp_path / "package" / "datasets" / "autos" / "roc"
    (tmp_path / "datasets" / "autos" / "roc").mkdir(parents=True)
    assert paths.find_output("datasets/autos/roc") == tmp_path / "datasets" / "autos" / "roc"
