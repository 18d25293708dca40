"""Fills the libraries' caches with the project's repositories, all of them or none, and takes them out again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock
from tqdm.auto import tqdm

from openmeva.training.files import write_text
from openmeva.training.hub.caches import (
    Caches,
    Placement,
    dataset_placements,
    model_placement,
    module_placements,
)
from openmeva.training.hub.description import Description
from openmeva.training.hub.layout import lay_out
from openmeva.training.hub.record import Record


class Installation:
    """The project's entries in a set of caches, and the record of them in `HF_HOME/openmeva`.

    New folders are named by their content and do nothing until they stand at their place, which takes one
    rename each, and a pointer names them. A journal is written before the first change; an installation that
    fails undoes what it began, and where it was killed, whoever comes next does.
    """

    def __init__(self, caches: Caches) -> None:
        self.caches = caches
        self.folder = caches.home / "openmeva"
        self.record_path = self.folder / "installed.json"
        self.journal_path = self.folder / "installing.json"

    def install(self, description: Description, version: str, root: Path) -> Record:
        """Puts every repository of the description into the caches.

        Returns:
            What is installed now; the record that was there, where nothing has changed.

        Raises:
            ValueError: weights or a card that are missing or damaged; nothing has changed then.
        """
        made = [folder for place in self._places() for folder in _missing(place)]
        try:
            return self._install(description, version, root, made)
        finally:
            if not self.record_path.exists() and not self.journal_path.exists():
                shutil.rmtree(self.folder, ignore_errors=True)
                _prune(map(str, made))

    def _install(self, description: Description, version: str, root: Path, made: Sequence[Path]) -> Record:
        with self._locked(), self._staging() as stages:
            placements = list(self._placements(description, version, root, stages))
            old = Record.read(self.record_path) or Record("")
            new = Record(version, trees=[str(placement.target) for placement in placements])
            new.folders = list(dict.fromkeys([*old.folders, *map(str, made)]))
            for placement in placements:
                new.pointers.update({str(path): content for path, content in placement.pointers.items()})
            if old.is_whole() and (old.trees, old.pointers) == (new.trees, new.pointers):
                return old
            self._note_what_is_there(new, old, placements)
            obsolete = [tree for tree in old.trees if tree not in new.trees]
            self._journal(new, old).write(self.journal_path)
            try:
                self._place(placements)
                new.trees += obsolete  # so that they are known until they are gone
                new.write(self.record_path)
            except BaseException:
                self._undo()
                raise
            self.journal_path.unlink()
            _restore({p: c for p, c in old.pointers.items() if p not in new.pointers}, old.before)
            _remove(obsolete)
            _prune(new.folders)
            new.trees = [tree for tree in new.trees if tree not in obsolete]
            new.write(self.record_path)
            return new

    def uninstall(self) -> Record | None:
        """Takes out what `install` put in, and nothing else; returns what that was, None where there was nothing.

        Pointers get back what they held before, unless somebody has changed them since.
        """
        if not self.folder.is_dir():
            return None
        begun = Record.read(self.journal_path)
        with self._locked():
            record = Record.read(self.record_path)
            if record:
                _restore(record.pointers, record.before)
                _remove(record.trees)
                self.record_path.unlink()
        shutil.rmtree(self.folder)
        _prune([folder for known in (record, begun) if known for folder in known.folders])
        return record

    def _places(self) -> tuple[Path, ...]:
        return self.folder, self.caches.hub, self.caches.modules, self.caches.datasets

    def _placements(
        self, description: Description, version: str, root: Path, stages: dict[str, Path]
    ) -> Iterator[Placement]:
        caches = self.caches
        for source in tqdm(description.sources, desc="laying out", unit="repository", delay=5):
            if source.kind == "dataset":
                yield from dataset_placements(source, description, caches, stages["datasets"])
                continue
            if source.kind == "space" and not source.module:
                continue  # runs on the Hub, or from the checkout
            laid = lay_out(
                source, description, stages["hub"] / "laid", description.organisation, version, root
            )
            if source.kind == "model":
                yield model_placement(laid, version, caches, stages["hub"])
            else:
                yield from module_placements(laid, description.taken, caches, stages["modules"])

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One installation at a time; what a killed one had begun is undone first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / "lock"):
            if self.journal_path.exists():
                self._undo()
            yield

    @contextmanager
    def _staging(self) -> Iterator[dict[str, Path]]:
        """A folder for unfinished work in each cache, on its file system; gone afterwards."""
        places = {"hub": self.caches.hub, "modules": self.caches.modules, "datasets": self.caches.datasets}
        stages = {name: place / f".openmeva-{name}" for name, place in places.items()}
        try:
            for stage in stages.values():
                shutil.rmtree(stage, ignore_errors=True)  # of an installation that was killed
                stage.mkdir(parents=True)
            yield stages
        finally:
            _remove(map(str, stages.values()))

    def _note_what_is_there(self, new: Record, old: Record, placements: Sequence[Placement]) -> None:
        """Fills in what the pointers held, and which folders there will be because of us."""
        files = [file for placement in placements for file in (*placement.pointers, *placement.markers)]
        for path in [placement.target for placement in placements] + files:
            new.folders += [str(f) for f in _missing(path.parent) if str(f) not in new.folders]
        for pointer in new.pointers:
            found = Path(pointer).read_text(encoding="utf-8") if Path(pointer).exists() else None
            if found is not None and old.pointers.get(pointer) != found:
                new.before[pointer] = found
            elif pointer in old.before:
                new.before[pointer] = old.before[pointer]

    @staticmethod
    def _journal(new: Record, old: Record) -> Record:
        """What to undo, should the installation not get to its end."""
        held = {p: Path(p).read_text(encoding="utf-8") for p in new.pointers if Path(p).exists()}
        return Record(
            new.version,
            [tree for tree in new.trees if not Path(tree).exists()],
            new.pointers,
            held,
            [folder for folder in new.folders if not old.trees or folder not in old.folders],
        )

    @staticmethod
    def _place(placements: Sequence[Placement]) -> None:
        for placement in placements:
            placement.target.parent.mkdir(parents=True, exist_ok=True)
            for marker in placement.markers:
                if not marker.exists():
                    write_text(marker, "")
            if not placement.target.exists():
                os.replace(placement.staged, placement.target)
            for path, content in placement.pointers.items():
                write_text(path, content)

    def _undo(self) -> None:
        """Back to what the journal says was there before, unless the installation had come to its end."""
        begun, done = Record.read(self.journal_path), Record.read(self.record_path)
        if begun and not (done and done.version == begun.version and set(begun.trees) <= set(done.trees)):
            _restore(begun.pointers, begun.before)
            _remove(begun.trees)
            _prune(begun.folders)
        self.journal_path.unlink(missing_ok=True)


def _missing(path: Path) -> list[Path]:
    """Of a folder and its parents those that are not there, the outermost first."""
    return [folder for folder in (*reversed(path.parents), path) if not folder.exists()]


def _restore(pointers: dict[str, str], before: dict[str, str]) -> None:
    """Pointers that still hold our content get back what they held; the others are somebody else's by now."""
    for pointer, content in pointers.items():
        path = Path(pointer)
        if not path.is_file() or path.read_text(encoding="utf-8") != content:
            continue
        if pointer in before:
            write_text(path, before[pointer])
        else:
            path.unlink()


def _remove(trees: Iterable[str]) -> None:
    for tree in trees:
        shutil.rmtree(tree, ignore_errors=True)


def _prune(folders: Iterable[str]) -> None:
    """Removes those of our folders that hold nothing but what Python and the libraries leave beside."""
    for name in sorted(folders, key=len, reverse=True):
        folder = Path(name)
        if folder.is_dir() and all(
            path.name in ("__init__.py", "__pycache__") or (path.suffix == ".lock" and path.is_file())
            for path in folder.iterdir()
        ):
            shutil.rmtree(folder)
