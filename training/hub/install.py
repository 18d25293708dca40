"""Fills the libraries' caches with the project's repositories, all of them or none, and takes them out again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
from openmeva.training.hub.record_folder import RecordFolder, is_bare, missing


class Installation:
    """The project's entries in a set of caches, and the record of them in `HF_HOME/openmeva`.

    New folders are named by their content and do nothing until they stand at their place, which takes one
    rename each, and a pointer names them. A journal is written before the first change; an installation that
    fails undoes what it began, and where it was killed, whoever comes next does. Everything that is removed stays
    in the record until it is gone, so that an uninstallation that was killed can be run again, too.
    """

    def __init__(self, caches: Caches) -> None:
        self.caches = caches
        self._stages = {
            name: place / f".openmeva-{name}"
            for name, place in (
                ("hub", caches.hub),
                ("modules", caches.modules),
                ("datasets", caches.datasets),
            )
        }
        self._kept = RecordFolder(caches.home / "openmeva", [stage.parent for stage in self._stages.values()])
        self.record_path = self._kept.record_path

    def install(self, description: Description, version: str, root: Path) -> Record:
        """Puts every repository of the description into the caches.

        Returns:
            What is installed now; the record that was there, where nothing has changed.

        Raises:
            ValueError: weights or a card that are missing or damaged; nothing has changed then.
        """
        with self._locked() as old:
            try:
                if not_there := [folder for folder in self._kept.missing() if folder not in old.folders]:
                    old.folders += not_there
                    old.write(self.record_path)
                with self._staging() as stages:
                    placements = list(self._placements(description, version, root, stages))
                    return self._install(placements, version, old)
            finally:
                self._leave_where_nothing_is()

    def _install(self, placements: Sequence[Placement], version: str, old: Record) -> Record:
        new = Record(version, trees=[str(placement.target) for placement in placements], home=old.home)
        new.folders = list(old.folders)
        for placement in placements:
            new.pointers.update({str(path): content for path, content in placement.pointers.items()})
        same = (old.trees, old.pointers) == (new.trees, new.pointers)
        if (
            same
            and old.is_whole()
            and all(holds(placement.target, placement.staged) for placement in placements)
        ):
            return old
        self._note_what_is_there(new, old, placements)
        obsolete = Record(
            old.version,
            [tree for tree in old.trees if tree not in new.trees],
            {path: content for path, content in old.pointers.items() if path not in new.pointers},
        )
        obsolete.before = {path: old.before[path] for path in obsolete.pointers if path in old.before}
        self._journal(new, old).write(self._kept.journal_path)
        try:
            self._place(placements)
            new.joined(obsolete).write(self.record_path)  # so that it is known until it is gone
        except BaseException:
            self._undo()
            raise
        self._kept.journal_path.unlink()
        _restore(obsolete)
        _remove(obsolete.trees)
        _prune(new.folders)
        new.write(self.record_path)
        return new

    def uninstall(self) -> Record | None:
        """Takes out what `install` put in, and nothing else; returns what that was, None where there was nothing.

        Pointers get back what they held before, unless somebody has changed them since.
        """
        if not self._kept.folder.is_dir():
            self._kept.clear()
            return None
        with self._locked() as record:
            _restore(record)
            _remove(record.trees)
            _prune(record.folders)
            self._kept.leave(record)
        return record if record.version else None

    def _leave_where_nothing_is(self) -> None:
        """After an installation that failed and has been undone: as if it had not been tried."""
        record = Record.read(self.record_path)
        if record and not record.version and not self._kept.journal_path.exists():
            _prune(record.folders)
            self._kept.leave(record)

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
    def _locked(self) -> Iterator[Record]:
        """One installation at a time; what a killed one had begun is undone first."""
        with self._kept.locked() as record:
            self._clear_stages()
            _sweep(record)
            if self._kept.journal_path.exists():
                self._undo()
            yield record

    @contextmanager
    def _staging(self) -> Iterator[dict[str, Path]]:
        """A folder for unfinished work in each cache, on its file system; gone afterwards."""
        try:
            for stage in self._stages.values():
                stage.mkdir(parents=True)
            yield self._stages
        finally:
            self._clear_stages()

    def _clear_stages(self) -> None:
        for stage in self._stages.values():
            shutil.rmtree(stage, ignore_errors=True)

    def _note_what_is_there(self, new: Record, old: Record, placements: Sequence[Placement]) -> None:
        """Fills in what the pointers held, and which folders there will be because of us."""
        files = [file for placement in placements for file in (*placement.pointers, *placement.markers)]
        for path in [placement.target for placement in placements] + files:
            new.folders += [str(f) for f in missing(path.parent) if str(f) not in new.folders]
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
            [folder for folder in new.folders if folder not in old.folders],
            new.home,
        )

    @staticmethod
    def _place(placements: Sequence[Placement]) -> None:
        for placement in placements:
            placement.target.parent.mkdir(parents=True, exist_ok=True)
            for marker in placement.markers:
                marker.touch()
            if not holds(placement.target, placement.staged):
                _remove([str(placement.target)])  # of which files have gone
                os.replace(placement.staged, placement.target)
            for path, content in placement.pointers.items():
                write_text(path, content)

    def _undo(self) -> None:
        """Back to what the journal says was there before, unless the installation had come to its end."""
        journal = self._kept.journal_path
        begun, done = Record.read(journal), Record.read(self.record_path)
        if begun and not (done and done.version == begun.version and set(begun.trees) <= set(done.trees)):
            _sweep(begun)
            _restore(begun)
            _remove(begun.trees)
            _prune(begun.folders)
        journal.unlink(missing_ok=True)


def _restore(record: Record) -> None:
    """Pointers that still hold our content get back what they held; the others are somebody else's by now."""
    for pointer, content in record.pointers.items():
        path = Path(pointer)
        if not path.is_file() or path.read_text(encoding="utf-8") != content:
            continue
        if pointer in record.before:
            write_text(path, record.before[pointer])
        else:
            path.unlink()


def holds(target: Path, staged: Path) -> bool:
    """Whether a folder has each file of what is to be put there, as long as that is: clean-ups take the large ones."""
    return all(
        (own := target / path.relative_to(staged)).is_file() and own.stat().st_size == path.stat().st_size
        for path in staged.rglob("*")
        if path.is_file()
    )


def _remove(trees: Iterable[str]) -> None:
    """Each is renamed first: a folder of which half is gone would pass for a whole one."""
    for tree in trees:
        if Path(tree).is_dir():
            os.replace(tree, _renamed(tree))
            shutil.rmtree(_renamed(tree), ignore_errors=True)


def _renamed(tree: str) -> Path:
    return Path(tree).with_name(f".{Path(tree).name}.gone")


def _sweep(record: Record) -> None:
    """Removes what was half-written or half-removed when a process was killed."""
    for tree in record.trees:
        shutil.rmtree(_renamed(tree), ignore_errors=True)
    for path in map(Path, record.pointers):
        for left in path.parent.glob(f".{path.name}.*.tmp"):
            left.unlink()


def _prune(folders: Iterable[str]) -> None:
    """Removes those of our folders that hold nothing but what Python and the libraries leave beside."""
    for folder in map(Path, sorted(folders, key=len, reverse=True)):
        if folder.is_dir() and is_bare(folder):
            shutil.rmtree(folder)
