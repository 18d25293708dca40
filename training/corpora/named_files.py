"""The files that a corpus's configuration names: which are read, and whether those of judged stories exist."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

from openmeva.training.processes import print_notice


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
