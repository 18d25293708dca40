"""Installs the project's repositories into the libraries' caches, all of them or none, and uninstalls them."""

from __future__ import annotations

import filecmp
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
from openmeva.training.hub.record_folder import RecordFolder, is_effectively_empty, missing


class Installation:
    """The project's entries in a set of caches, and the record of them in `HF_HOME/openmeva`.

    New folders are named by their content. They have no effect until they are moved to their place, by one rename each,
    and a pointer names them. A journal is written before the first change. An installation that fails is rolled back; one
    that was killed is rolled back by the next process. Removed entries stay in the record until they are gone, so that an
    uninstallation that was killed can be repeated.
    """

    def __init__(self, caches: Caches) -> None:
        self.caches = caches
        self._stages = {
            name: cache / f".openmeva-{name}"
            for name, cache in (
                ("hub", caches.hub),
                ("modules", caches.modules),
                ("datasets", caches.datasets),
            )
        }
        self._record_folder = RecordFolder(
            caches.home / "openmeva", [stage.parent for stage in self._stages.values()]
        )
        self.record_path = self._record_folder.record_path

    def install(self, description: Description, version: str, root: Path) -> Record:
        """Installs every repository of the description into the caches.

        Returns:
            The record of what is installed; the old record if nothing has changed.

        Raises:
            ValueError: weights or a card are missing or damaged; the caches are then unchanged.
        """
        with self._locked() as old:
            try:
                if missing_folders := [
                    folder for folder in self._record_folder.missing() if folder not in old.folders
                ]:
                    old.folders += missing_folders
                    old.write(self.record_path)
                with self._staging() as stages:
                    placements = list(self._placements(description, version, root, stages))
                    return self._install(placements, version, old)
            finally:
                self._remove_empty_record()

    def _install(self, placements: Sequence[Placement], version: str, old: Record) -> Record:
        new = Record(version, trees=[str(placement.target) for placement in placements], home=old.home)
        new.folders = list(old.folders)
        for placement in placements:
            new.pointers.update({str(path): content for path, content in placement.pointers.items()})
        same = (old.trees, old.pointers) == (new.trees, new.pointers)
        if (
            same
            and old.is_whole()
            and all(has_content_of(placement.target, placement.staged) for placement in placements)
        ):
            return old
        self._record_existing_content(new, old, placements)
        obsolete = Record(
            old.version,
            [tree for tree in old.trees if tree not in new.trees],
            {path: content for path, content in old.pointers.items() if path not in new.pointers},
        )
        obsolete.before = {path: old.before[path] for path in obsolete.pointers if path in old.before}
        self._journal(new, old).write(self._record_folder.journal_path)
        try:
            self._place(placements)
            new.merged(obsolete).write(
                self.record_path
            )  # obsolete entries stay recorded until they are removed
        except BaseException:
            self._undo()
            raise
        self._record_folder.journal_path.unlink()
        _restore(obsolete)
        _remove(obsolete.trees)
        _prune(new.folders)
        new.write(self.record_path)
        return new

    def uninstall(self) -> Record | None:
        """Removes what `install` added, and nothing else; returns its record, or None where nothing was installed.

        Pointers get their former content back, unless they have been changed since.
        """
        if not self._record_folder.folder.is_dir():
            self._record_folder.remove_leftovers()
            return None
        with self._locked() as record:
            _restore(record)
            _remove(record.trees)
            _prune(record.folders)
            self._record_folder.remove(record)
        return record if record.version else None

    def _remove_empty_record(self) -> None:
        """Removes the empty record after an installation that failed and was rolled back."""
        record = Record.read(self.record_path)
        if record and not record.version and not self._record_folder.journal_path.exists():
            _prune(record.folders)
            self._record_folder.remove(record)

    def _placements(
        self, description: Description, version: str, root: Path, stages: dict[str, Path]
    ) -> Iterator[Placement]:
        caches = self.caches
        placed: set[tuple[str, str]] = set()
        for source in tqdm(description.sources, desc="laying out", unit="repository", delay=5):
            if source.kind == "dataset":
                yield from dataset_placements(source, description, caches, stages["datasets"], placed)
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
        """Locks the installation; one that was killed is rolled back first."""
        with self._record_folder.locked() as record:
            self._clear_stages()
            _sweep(record)
            if self._record_folder.journal_path.exists():
                self._undo()
            yield record

    @contextmanager
    def _staging(self) -> Iterator[dict[str, Path]]:
        """A temporary folder in each cache, on the same file system; removed afterwards."""
        try:
            for stage in self._stages.values():
                stage.mkdir(parents=True)
            yield self._stages
        finally:
            self._clear_stages()

    def _clear_stages(self) -> None:
        for stage in self._stages.values():
            shutil.rmtree(stage, ignore_errors=True)

    def _record_existing_content(self, new: Record, old: Record, placements: Sequence[Placement]) -> None:
        """Records the former content of the pointers, and the folders that the installation will create."""
        files = [file for placement in placements for file in (*placement.pointers, *placement.markers)]
        for path in [placement.target for placement in placements] + files:
            new.folders += [str(f) for f in missing(path.parent) if str(f) not in new.folders]
        for pointer in new.pointers:
            content = Path(pointer).read_text(encoding="utf-8") if Path(pointer).exists() else None
            if content is not None and old.pointers.get(pointer) != content:
                new.before[pointer] = content
            elif pointer in old.before:
                new.before[pointer] = old.before[pointer]

    @staticmethod
    def _journal(new: Record, old: Record) -> Record:
        """The changes to roll back if the installation does not complete."""
        current = {p: Path(p).read_text(encoding="utf-8") for p in new.pointers if Path(p).exists()}
        return Record(
            new.version,
            [tree for tree in new.trees if not Path(tree).exists()],
            new.pointers,
            current,
            [folder for folder in new.folders if folder not in old.folders],
            new.home,
        )

    @staticmethod
    def _place(placements: Sequence[Placement]) -> None:
        for placement in placements:
            placement.target.parent.mkdir(parents=True, exist_ok=True)
            for marker in placement.markers:
                marker.touch()
            if not has_content_of(placement.target, placement.staged):
                _remove([str(placement.target)])  # incomplete: some of its files are gone
                os.replace(placement.staged, placement.target)
            for path, content in placement.pointers.items():
                write_text(path, content)

    def _undo(self) -> None:
        """Restores the state recorded in the journal, unless the installation had completed."""
        journal = self._record_folder.journal_path
        started, done = Record.read(journal), Record.read(self.record_path)
        if started and not (
            done and done.version == started.version and set(started.trees) <= set(done.trees)
        ):
            _sweep(started)
            _restore(started)
            _remove(started.trees)
            _prune(started.folders)
        journal.unlink(missing_ok=True)


def _restore(record: Record) -> None:
    """Pointers that still have our content get their former content back; others have been changed by someone else."""
    for pointer, content in record.pointers.items():
        path = Path(pointer)
        if not path.is_file() or path.read_text(encoding="utf-8") != content:
            continue
        if pointer in record.before:
            write_text(path, record.before[pointer])
        else:
            path.unlink()


def has_content_of(target: Path, staged: Path) -> bool:
    """Whether a folder has all files of `staged`: cache clean-ups remove large files, and files are damaged."""
    return all(
        (own := target / path.relative_to(staged)).is_file() and filecmp.cmp(own, path, shallow=False)
        for path in staged.rglob("*")
        if path.is_file()
    )


def _remove(trees: Iterable[str]) -> None:
    """Removes folders; each is renamed first, since a half-removed folder could be taken for a complete one."""
    for tree in trees:
        if Path(tree).is_dir():
            os.replace(tree, _renamed(tree))
            shutil.rmtree(_renamed(tree), ignore_errors=True)


def _renamed(tree: str) -> Path:
    return Path(tree).with_name(f".{Path(tree).name}.gone")


def _sweep(record: Record) -> None:
    """Removes partly written and partly removed files of a process that was killed."""
    for tree in record.trees:
        shutil.rmtree(_renamed(tree), ignore_errors=True)
    for path in map(Path, record.pointers):
        for left in path.parent.glob(f".{path.name}.*.tmp"):
            left.unlink()


def _prune(folders: Iterable[str]) -> None:
    """Removes those of our folders that are empty except for files that Python and the libraries leave behind."""
    for folder in map(Path, sorted(folders, key=len, reverse=True)):
        if folder.is_dir() and is_effectively_empty(folder):
            shutil.rmtree(folder)
