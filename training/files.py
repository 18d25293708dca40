"""Files read and written in one way; what metrics need of it lies in `metrics/core`, which stands alone.

A file is written to a temporary name and renamed, so that none is ever seen half-written; a line ends at `\\n` alone.
"""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from openmeva.metrics.core.files import STANDARD, checksum, read_json, read_lines, replacing, write_text
from openmeva.metrics.core.rows import KINDS, Row, kind_of, parse_object, read_rows, text_of
from openmeva.metrics.core.writing import json_line, write_rows

if TYPE_CHECKING:  # most users of this module need no torch
    from torch import Tensor

__all__ = [
    "KINDS",
    "STANDARD",
    "Row",
    "check_judged_files",
    "checksum",
    "files_at_hand",
    "json_line",
    "kind_of",
    "parse_object",
    "read_json",
    "read_lines",
    "read_rows",
    "replacing",
    "save_tensors",
    "text_of",
    "write_rows",
    "write_text",
]


def save_tensors(path: str | Path, tensors: "dict[str, Tensor]") -> None:
    """Writes a safetensors file, wholly or not at all, readable by everyone where it is new."""
    from safetensors.torch import save_file

    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata={"format": "pt"})
        temporary.chmod(0o644)


def files_at_hand(files: Iterable[str], data: Path) -> tuple[str, ...]:
    """The files of a corpus below `data`; of a folder that has none of them, its `train.jsonl.gz`, where that lies there.

    So a corpus serves as `training.corpora.prepare` writes it, under whichever names a configuration has its own.
    """
    files = tuple(files)
    folders = {str(PurePosixPath(file).parent): file for file in files if (data / file).is_file()}
    prepared = (str(PurePosixPath(file).with_name("train.jsonl.gz")) for file in files)
    return tuple(
        dict.fromkeys(
            other if str(PurePosixPath(file).parent) not in folders and (data / other).is_file() else file
            for file, other in zip(files, prepared, strict=True)
        )
    )


def check_judged_files(
    files: Iterable[str],
    data: Path,
    otherwise: str = "take it out of `exclude` in the configuration (where that has a corpus, as UNION's: --set "
    "corpus.exclude=[])",
) -> None:
    """Whether the files of judged stories that a corpus leaves out lie below `data`.

    Args:
        files: `exclude` of the corpus.
        data: the folder of the corpora.
        otherwise: how to do without one.

    Raises:
        ValueError: one that is missing (it says how to do without).
    """
    for file in files:
        if not (data / file).is_file():
            raise ValueError(
                f"{data / file}: no such file. It holds stories that people judged, which are left out of training: "
                f"put it there, or {otherwise}"
            )
