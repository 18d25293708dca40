"""An installation that is killed at any time and run again completes as usual; an uninstallation leaves nothing."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.hub.caches import Caches, Placement
from openmeva.training.hub.description import Description
from openmeva.training.hub.install import Installation
from openmeva.training.hub.record import Record
from tests.killing import EVERY, killed_before
from tests.training.hub.conftest import tree

NOTHING: Any = Description  # these installations lay nothing out


class SmallInstallation(Installation):
    """Installs two models, a module and a dataset of a few bytes each, made for a version."""

    def _placements(
        self, description: Description, version: str, root: Path, stages: dict[str, Path]
    ) -> Iterator[Placement]:
        def staged(kind: str, name: str) -> Path:
            folder = stages[kind] / name
            folder.mkdir()
            (folder / "content").write_text(f"{name} of {version}")
            return folder

        caches = self.caches
        for name in ("union-roc", "union-wp"):
            model = caches.hub / f"models--openmeva--{name}"
            pointers = {model / "refs" / ref: f"commit of {version}" for ref in ("main", f"v{version}")}
            yield Placement(staged("hub", name), model / "snapshots" / version, pointers)
        root = caches.modules / "evaluate_modules"
        markers = (root / "__init__.py", root / "metrics" / "__init__.py")
        yield Placement(staged("modules", "union"), root / "metrics" / "union" / version, {}, markers)
        yield Placement(staged("datasets", "autos"), caches.datasets / "autos" / version, {})


def installation(home: Path) -> SmallInstallation:
    return SmallInstallation(Caches(home, home / "hub", home / "modules", home / "datasets"))


def install(home: Path, version: str = "1") -> Record:
    return installation(home).install(NOTHING, version, home)


def uninstall(home: Path) -> None:
    installation(home).uninstall()


def empty(home: Path) -> None:
    """Not even the parent folder of `HF_HOME` exists."""


def used(home: Path) -> None:
    """A cache in use, with an older copy of one of the models."""
    for name, text in {
        "token": "hf_x",
        "hub/models--openmeva--union-roc/refs/main": "an older commit",
        "hub/models--openmeva--union-roc/snapshots/0/content": "older",
        "modules/evaluate_modules/__init__.py": "",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)


@pytest.mark.parametrize(("state", "first"), [(empty, 1), (used, 1 + EVERY // 2)])
def test_install_killed_at_any_step_can_be_completed(
    tmp_path: Path, state: Callable[[Path], None], first: int
) -> None:
    """Installing, installing another version, and uninstalling: each killed before each of its changes."""
    disk = tmp_path / "disk"
    home = disk / "not" / "there"

    def fresh_disk(*versions: str) -> dict[str, bytes | None]:
        shutil.rmtree(disk, ignore_errors=True)
        disk.mkdir()
        state(home)
        for version in versions:
            install(home, version)
        return tree(disk)

    before, version_1, version_2 = fresh_disk(), fresh_disk("1"), fresh_disk("1", "2")
    for work, begin, end in (
        (lambda: install(home), (), version_1),
        (lambda: install(home, "2"), ("1",), version_2),
        (lambda: uninstall(home), ("1", "2"), before),
    ):
        change = first
        fresh_disk(*begin)
        while killed_before(change, work):
            context = f"after {begin}, killed before change {change}"
            shutil.copytree(disk, tmp_path / "killed")
            work()
            assert tree(disk) == end, context
            shutil.rmtree(disk)
            (tmp_path / "killed").rename(disk)
            uninstall(home)
            assert tree(disk) == before, context
            fresh_disk(*begin)
            change += EVERY
        assert change > 15


def test_install_completes_a_killed_uninstall(tmp_path: Path) -> None:
    """An installation also completes an uninstallation that was killed."""
    home = tmp_path / "home"
    used(home)
    install(home)
    whole = tree(home)
    for change in range(1, 12, 5):
        if killed_before(change, lambda: uninstall(home)):
            killed_before(change, lambda: install(home))
        install(home)
        assert tree(home) == whole, f"killed before change {change}"
