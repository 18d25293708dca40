"""A reader of a user's file, with a valid file and invalid lines for it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STORY = "Ann ran home. She ate\u2028 a cake. She slept."  # U+2028 is not a line break


def rows_of(**values: Any) -> list[str]:
    return [json.dumps({"story_id": str(index), **values}, ensure_ascii=False) for index in range(3)]


@dataclass(frozen=True)
class Reader:
    """A reader, a valid file for it, and invalid lines.

    Attributes:
        read: path to rows.
        name: of the file.
        lines: of a valid file, without their ends; three rows.
        bad: single lines that are invalid as the second row.
        packed: whether it reads gzip.
        first: lines before the rows, such as a heading.
        whole: whether the file is one JSON value.
    """

    read: Callable[[Path], Iterable[Any]]
    name: str
    lines: list[str]
    bad: tuple[str, ...] = ()
    packed: bool = True
    first: int = 0
    whole: bool = False

    def write(self, folder: Path, content: bytes) -> Path:
        path = folder / self.name
        path.write_bytes(content)
        return path

    def bytes(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode()


NO_OBJECTS = ("[1, 2]", "null", "7", '"text"', "{", "[" * 50_000)
NO_STORY = (*NO_OBJECTS, '{"story": null}', '{"story": ["a", "b"]}', '{"other": 1}')
