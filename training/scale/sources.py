"""Sources of rows: files of all formats, globs, URLs that fsspec opens, and datasets in memory or streaming."""

import glob
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from lzma import LZMAError
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.compression import compr

from openmeva.metrics.core.files import decompress_if_gzipped
from openmeva.metrics.core.rows import check_kind, parquet_rows, parse_rows
from openmeva.training.corpora.stories import story_of
from openmeva.training.files import STANDARD_STREAM, Row, kind_of, read_rows
from openmeva.training.scale.schemas import without_views

_COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zst")
_ITERATOR, _RAY = "iterator", "ray"


@dataclass(frozen=True)
class Source:
    """Rows to be processed, with an identity that distinguishes them from other inputs.

    Attributes:
        rows: a function that iterates over the rows; its argument is a function that is called with the message for
            each line that is not a row.
        identity: plain values that change when the rows change, as far as can be detected.
        schema: the columns' types, if they are known in advance.
    """

    rows: Callable[[Callable[[str], None]], Iterator[Row]]
    identity: list[Any]
    schema: pa.Schema | None = None

    @property
    def has_identity(self) -> bool:
        """Whether its identity distinguishes it from other sources."""
        return self.identity not in ([STANDARD_STREAM], [_ITERATOR], [_RAY])


class Digest:
    """Digest of the rows of a source without an identity of its own; depends on their order, except for Ray.

    Args:
        source: read once, by `rows`.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._sum = 0

    def rows(self, refused: Callable[[str], None]) -> Iterator[Row]:
        """The source's rows, added to the digest as they pass, unless the source has an identity of its own."""
        if self.source.has_identity:
            yield from self.source.rows(refused)
            return
        ordered = self.source.identity != [_RAY]
        for row in self.source.rows(refused):
            text = f"{row.number if ordered else ''} {row.values!r}".encode("utf-8", "replace")
            self._sum += int.from_bytes(hashlib.sha256(text).digest()[:16])
            yield row

    def __str__(self) -> str:
        return f"{self._sum % 2**128:032x}"


def digest_of(source: Source) -> str:
    """The digest of a source's rows, which are read once more for it."""
    digest = Digest(source)
    for _ in digest.rows(lambda _: None):
        pass
    return str(digest)


def as_stories(source: Source) -> Source:
    """The source with stories as read by commands without an engine: without special tokens and surrounding blanks."""

    def rows(refused: Callable[[str], None]) -> Iterator[Row]:
        for row in source.rows(refused):
            try:
                story = story_of(row)
            except ValueError:  # reported where rows are counted
                blank = isinstance(row.values.get("story"), str)
                yield row._replace(values={**row.values, "story": ""}) if blank else row
            else:
                one_line = (
                    " ".join(story.split()) if row.is_plain_text else story
                )  # as for files of plain text
                yield row._replace(values={**row.values, "story": one_line})

    return replace(source, rows=rows)


def files_source(pattern: str, kind: str | None = None) -> Source:
    """The rows of a file, of all files that a glob names (by name), or of standard input (`-`).

    Args:
        pattern: a path, or a URL that fsspec opens (`hf://`, `s3://`, `https://`), optionally with `*`; compressed files
            (gz, bz2, xz, zst) are decompressed.
        kind: format of the files, if their extensions do not say it.

    Raises:
        FileNotFoundError: no such file.
        ValueError: fsspec lacks a package for the URL or compression; the message names it.
    """
    check_kind(kind)
    if pattern == STANDARD_STREAM:
        return Source(
            lambda refused: read_rows(STANDARD_STREAM, kind, on_bad_line=refused), [STANDARD_STREAM]
        )
    files, names = _matching_files(pattern)
    for name in names:
        _compression(name)  # before any is read
    identity = [[without_secrets(name), *_size_and_version(files, name), _kind(name, kind)] for name in names]

    def rows(refused: Callable[[str], None]) -> Iterator[Row]:
        for name in names:
            yield from _rows_of(files, name, kind, refused)

    return Source(rows, identity, _schema_of(files, names, kind))


def dataset_source(dataset: Any) -> Source:
    """The rows of a `datasets.Dataset` (streaming or not), of a Ray Dataset, or of any iterator of mappings.

    A streaming dataset, a Ray Dataset and an iterator have no identity of their own: their rows are compared.
    """
    schema = None
    if hasattr(dataset, "iter_rows") and hasattr(dataset, "schema"):  # Ray's
        values: Callable[[], Iterable[Mapping[str, Any]]] = dataset.iter_rows
        identity = [_RAY]
    else:
        values = lambda: dataset  # noqa: E731 - as short as it gets
        identity = [str(getattr(dataset, "_fingerprint", _ITERATOR))]
        features = getattr(dataset, "features", None)
        schema = without_views(features.arrow_schema.remove_metadata()) if features else None

    def rows(refused: Callable[[str], None]) -> Iterator[Row]:
        for number, row in enumerate(values(), 1):
            yield Row(number, f"row {number}", dict(row))

    return Source(rows, identity, schema)


def _matching_files(pattern: str) -> tuple[Any, list[str]]:
    """The file system that a pattern belongs to, and the names that it matches there."""
    try:
        files, path = fsspec.core.url_to_fs(pattern)
    except ImportError as error:
        raise ValueError(f"{pattern}: {error}") from error
    files.invalidate_cache()  # it may be outdated
    if not glob.has_magic(path) or files.exists(path):
        if not files.exists(path):
            raise FileNotFoundError(2, "No such file or directory", pattern)
        if files.isdir(path):
            raise ValueError(
                f"{pattern}: expected files, got a folder; use {pattern.rstrip('/')}/* for the files in it"
            )
        return files, [path]
    names = sorted(name for name in files.glob(path) if not files.isdir(name))
    if not names:
        raise FileNotFoundError(2, "No file matches", pattern)
    return files, names


def without_secrets(name: str) -> str:
    """A file's name for output: a URL without user, password and query, which may be secret.

    >>> without_secrets("https://me:secret@host.org/x.jsonl?signature=secret"), without_secrets("a?.jsonl")
    ('https://host.org/x.jsonl', 'a?.jsonl')
    """
    if "://" not in name:
        return name
    parts = urlsplit(name)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _size_and_version(files: Any, name: str) -> tuple[int, str]:
    """Size of a file, and its modification time or digest, depending on its file system."""
    info = files.info(name)
    versions = (
        str(info[key]) for key in ("mtime", "LastModified", "ETag", "blob_id", "created") if info.get(key)
    )
    return int(info.get("size") or 0), next(versions, "")


def _compression(name: str) -> str | None:
    """fsspec's name for the compression of a file; None if there is none, or for gzip, which `decompress_if_gzipped` handles.

    Raises:
        ValueError: another compression, such as zip, or the package for one is missing.
    """
    if name.lower().endswith(".gz"):
        return None
    found: str | None = fsspec.core.get_compression(name, "infer")
    # fsspec would also use zstandard, which takes the end of a cut file for its proper end
    if name.lower().endswith(".zst") and not isinstance(compr.get(found), type):
        raise ValueError(
            f"{without_secrets(name)}: expected the package backports.zstd, which reads .zst, got none"
        )
    if found and not name.lower().endswith(_COMPRESSED_ENDINGS):
        raise ValueError(
            f"{without_secrets(name)}: expected no compression, or one of {', '.join(_COMPRESSED_ENDINGS)}, got {found}"
        )
    return found


def _kind(name: str, kind: str | None) -> str | None:
    packed = next((ending for ending in _COMPRESSED_ENDINGS if name.lower().endswith(ending)), "")
    return kind or kind_of(name[: len(name) - len(packed)])


def _schema_of(files: Any, names: list[str], kind: str | None) -> pa.Schema | None:
    """The schema of Parquet files; None if any file has another format or is invalid (reported on reading)."""
    if not all(_kind(name, kind) == "parquet" for name in names):
        return None
    try:
        schemas = [without_views(pq.read_schema(name, filesystem=files).remove_metadata()) for name in names]
        merged = pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowException, OSError):
        return None
    # a column that may not be null in one file may be absent from another
    return pa.schema([field.with_nullable(True) for field in merged])


def _rows_of(files: Any, name: str, kind: str | None, refused: Callable[[str], None]) -> Iterator[Row]:
    if _kind(name, kind) == "parquet" and not name.lower().endswith(_COMPRESSED_ENDINGS):
        with files.open(name) as content:
            yield from parquet_rows(content, without_secrets(name), on_bad_row=refused)
        return
    try:
        with (
            fsspec.core.OpenFile(files, name, compression=_compression(name)) as file,
            decompress_if_gzipped(file, name) as content,
        ):
            yield from parse_rows(content, without_secrets(name), _kind(name, kind), on_bad_line=refused)
    except (EOFError, LZMAError, OSError) as error:
        if isinstance(error, OSError) and (type(error) is not OSError or error.errno is not None):
            raise  # of the file system or the network; bz2 raises a plain OSError for damaged data
        raise ValueError(f"{without_secrets(name)} is damaged: {error}") from error
