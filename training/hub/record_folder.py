"""The folder `HF_HOME/openmeva` with the record of an installation; it is created and removed by one rename."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

from openmeva.training.hub.record import Record

_SCRATCH = ".openmeva-record-"


class RecordFolder:
    """The folder of the record of an installation, and of the journal of an unfinished one.

    From the first moment, the record lists the folders that did not exist before. A process may therefore be killed at any
    time, and the next one still knows what to remove.
    """

    def __init__(self, folder: Path, places: Sequence[Path]) -> None:
        """`folder` is the folder itself; `places` are cache folders that an installation creates if they are missing."""
        self.folder = folder
        self.places = places
        self.record_path = folder / "installed.json"
        self.journal_path = folder / "installing.json"
        self.lock_path = folder / "lock"
        self._emptied: Sequence[Path] = ()  # the innermost first

    @contextmanager
    def locked(self) -> Iterator[Record]:
        """The record (with version "" where nothing is installed), locked against other processes."""
        try:
            while True:
                self._create()
                with FileLock(self.lock_path):
                    record = Record.read(self.record_path)
                    if record is None:
                        continue  # removed while this process waited for the lock
                    ours = (
                        self.folder.glob(f".{path.name}.*.tmp")
                        for path in (self.record_path, self.journal_path)
                    )
                    for left in (*itertools.chain(*ours), *_scratch_in(self._outermost(record).parent)):
                        _delete(left)
                    yield record
                    return
        finally:
            self._remove_emptied()

    def missing(self) -> list[str]:
        """The missing ones of the folders that an installation needs, the outermost first."""
        return list(
            dict.fromkeys(
                str(folder)
                for needed_folder in (self.folder, *self.places)
                for folder in missing(needed_folder)
            )
        )

    def remove(self, record: Record) -> None:
        """Removes the folder, and those of its parents that are ours and have no other content.

        If the folder has other content than the record (it may also be a cache of the project), that is kept.
        """
        own_files = {path.name for path in (self.record_path, self.journal_path, self.lock_path)}
        if any(path.name not in own_files for path in self.folder.iterdir()):
            self._remove_record()
            with suppress(PermissionError):  # Windows removes an open file when it is closed
                self.lock_path.unlink(missing_ok=True)
            return
        folders = [self.folder]
        while str(folders[-1].parent) in record.folders and is_effectively_empty(
            folders[-1].parent, but=folders[-1].name
        ):
            folders.append(folders[-1].parent)
        try:
            with _scratch(folders[-1].parent) as scratch:
                os.rename(folders[-1], scratch / folders[-1].name)
        except PermissionError:  # Windows moves no folder in which a file is open, as the lock is
            self._remove_record()
            self._emptied = folders

    def remove_leftovers(self) -> None:
        """Removes the leftovers of a process that was killed while it created or removed this folder."""
        for left in _scratch_in(missing(self.folder)[0].parent):
            _delete(left)

    def _remove_record(self) -> None:
        for path in (self.journal_path, self.record_path):
            path.unlink(missing_ok=True)

    def _remove_emptied(self) -> None:
        """Removes folders that `remove` could not remove while the lock was held, unless they are in use again."""
        folders, self._emptied = self._emptied, ()
        with suppress(OSError):
            for folder in folders:
                for left in (
                    folder.iterdir() if folder != self.folder and is_effectively_empty(folder) else ()
                ):
                    _delete(left)
                folder.rmdir()

    def _create(self) -> None:
        if self.record_path.exists():
            return
        folders, home = self.missing(), str(self.folder.parent)
        if self.folder.is_dir():
            with FileLock(self.lock_path):
                if not self.record_path.exists():  # otherwise another process has started
                    Record("", folders=folders, home=home).write(self.record_path)
            return
        outermost = Path(folders[0])
        try:
            with _scratch(outermost.parent) as scratch:
                inner = scratch / self.folder.relative_to(outermost.parent)
                Record("", folders=folders, home=home).write(inner / self.record_path.name)
                os.rename(scratch / outermost.name, outermost)
        except OSError:
            if not self.record_path.exists():  # otherwise another process was faster
                raise

    def _outermost(self, record: Record) -> Path:
        """The outermost one of the folder and its parents that did not exist before."""
        ours = [Path(name) for name in record.folders]
        return min((path for path in ours if path in self.folder.parents), default=self.folder)


def missing(path: Path) -> list[Path]:
    """The missing ones of a folder and its parents, the outermost first."""
    return [folder for folder in (*reversed(path.parents), path) if not folder.exists()]


def is_effectively_empty(folder: Path, but: str = "") -> bool:
    """Whether a folder has nothing but `but` and files that Python and the libraries leave behind."""
    return all(
        path.name in (but, "__init__.py", "__pycache__") or (path.suffix == ".lock" and path.is_file())
        for path in folder.iterdir()
    )


@contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=parent))
    try:
        yield scratch
    finally:
        _delete(scratch)


def _scratch_in(parent: Path) -> Iterable[Path]:
    return list(parent.glob(f"{_SCRATCH}*"))


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
