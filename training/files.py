"""Reading and writing files. The parts that metrics need are in `metrics/core`, which does not depend on this package.

A file is written under a temporary name and renamed, so it is never seen incomplete. Only `\\n` ends a line.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from openmeva.metrics.core.files import (
    STANDARD_STREAM,
    atomic_replace,
    checksum,
    read_json,
    read_lines,
    write_text,
)
from openmeva.metrics.core.rows import Row, kind_of, read_rows, text_of
from openmeva.metrics.core.writing import json_line, write_rows
from openmeva.training.processes import print_notice

if TYPE_CHECKING:  # most users of this module do not need torch
    from torch import Tensor

__all__ = [
    "STANDARD_STREAM",
    "Row",
    "atomic_replace",
    "check_judged_files",
    "checksum",
    "json_line",
    "kind_of",
    "read_json",
    "read_lines",
    "read_rows",
    "resolve_corpus_files",
    "save_tensors",
    "text_of",
    "write_rows",
    "write_text",
]


def save_tensors(path: str | Path, tensors: "dict[str, Tensor]") -> None:
    """Writes a safetensors file atomically; a new file is readable by everyone.

    Raises:
        ValueError: values that are not finite, as after a training that diverged; an earlier file is kept.
        OSError: the disk is full; an earlier file is kept.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    if bad := [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]:
        raise ValueError(
            f"{path}: not written, because {len(bad)} of {len(tensors)} tensors are not finite, first {bad[0]}. If a "
            "training diverged, try a lower learning_rate"
        )

    with atomic_replace(path) as temporary:
        try:
            save_file(tensors, temporary, metadata={"format": "pt"})
        except SafetensorError as error:
            raise OSError(f"{path}: not written: {error}") from error
        temporary.chmod(0o644)


def resolve_corpus_files(files: Iterable[str], data: Path) -> tuple[str, ...]:
    """The files of a corpus below `data`; for a folder with none of them, its `train.jsonl.gz` if that exists.

    So a configuration also works with a corpus that was written by `training.corpora.prepare` under another name. A
    notice says so.
    """
    files = tuple(files)
    folders = {str(PurePosixPath(file).parent): file for file in files if (data / file).is_file()}
    prepared = (str(PurePosixPath(file).with_name("train.jsonl.gz")) for file in files)
    resolved = []
    for file, replacement in zip(files, prepared, strict=True):
        if (
            file != replacement
            and str(PurePosixPath(file).parent) not in folders
            and (data / replacement).is_file()
        ):
            _print_once(f"{data / file}: no such file; reading {data / replacement} instead")
            file = replacement
        resolved.append(file)
    return tuple(dict.fromkeys(resolved))


@cache
def _print_once(message: str) -> None:
    print_notice(message)


def check_judged_files(
    files: Iterable[str],
    data: Path,
    otherwise: str = "remove it from `exclude` in the configuration (if that has a corpus, as for UNION: --set "
    "corpus.exclude=[])",
) -> None:
    """Checks that the files of judged stories that a corpus excludes exist below `data`.

    Args:
        files: `exclude` of the corpus.
        data: the folder of the corpora.
        otherwise: advice on how to train without one.

    Raises:
        ValueError: a file is missing; the message gives the advice.
    """
    for file in files:
        if not (data / file).is_file():
            raise ValueError(
                f"{data / file}: no such file. It contains stories with human judgments, which are excluded from training: "
                f"put it there, or {otherwise}"
            )
