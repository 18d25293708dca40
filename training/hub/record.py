"""The record of what `make install` has added to a user's caches."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from openmeva.training.files import write_text


@dataclass
class Record:
    """What was added to the caches; paths are absolute.

    Attributes:
        version: version of the project.
        trees: folders that belong to the installation completely.
        pointers: small files that it wrote, path to content.
        before: former content of pointers that existed before.
        folders: parent folders that it created; removed with it if they have no other content.
        home: `HF_HOME` when the record was written; paths below it are adapted if `HF_HOME` is moved.
    """

    version: str
    trees: list[str] = field(default_factory=list)
    pointers: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    home: str = ""

    @classmethod
    def read(cls, path: Path) -> Record | None:
        """The record at `path`, in `HF_HOME/openmeva`, with paths adapted if it was moved; None where there is none."""
        if not path.is_file():
            return None
        record = cls(**json.loads(path.read_text(encoding="utf-8")))
        return record._moved(str(path.parents[1]))

    def write(self, path: Path) -> None:
        """Writes the record to `path`, atomically."""
        write_text(path, json.dumps(asdict(self), indent=1) + "\n")

    def _moved(self, home: str) -> Record:
        """The record after `HF_HOME` was moved to `home`."""

        def moved_path(path: str) -> str:
            inside = path == self.home or path.startswith(self.home + os.sep)
            return home + path.removeprefix(self.home) if self.home and inside else path

        return Record(
            self.version,
            [moved_path(path) for path in self.trees],
            {moved_path(path): content for path, content in self.pointers.items()},
            {moved_path(path): content for path, content in self.before.items()},
            [moved_path(path) for path in self.folders],
            home,
        )

    def merged(self, other: Record) -> Record:
        """This record with the trees and pointers of another."""
        return Record(
            self.version,
            [*self.trees, *other.trees],
            self.pointers | other.pointers,
            self.before | other.before,
            self.folders,
            self.home,
        )

    def is_whole(self) -> bool:
        """Whether all recorded folders and pointers are unchanged."""
        return all(Path(tree).is_dir() for tree in self.trees) and all(
            Path(pointer).is_file() and Path(pointer).read_text(encoding="utf-8") == content
            for pointer, content in self.pointers.items()
        )
