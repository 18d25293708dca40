"""Every reader of a user's file, for files that are damaged, truncated, compressed, or hold arbitrary content."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from openmeva.spaces.tables import read_upload
from tests.every_reader import READERS, Reader
from tests.fuzz.inputs import MARKS, RARE, long_texts, texts, weighted
from tests.fuzz.outcome import SCORED, Checked, refused

_SEPARATORS = [
    ",",
    "\t",
    "|||",
    " ||| ",
    "<EOL>",
    "<EOT>",
    "</s>",
    '"',
    "{",
    "}",
    "[",
    "]",
    "#",
    "1",
    "nan",
    "-0",
    "1e999",
]
_json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from([*MARKS, *RARE])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "text"]), inner)
    ),
    max_leaves=4,
)
_Edit = Callable[[bytes], bytes]


def files(reader: Reader, longest: int) -> st.SearchStrategy[bytes]:
    """Bytes of a file: a good one, edited, compressed and truncated, or any text."""
    lines = reader.lines
    index = st.integers(0, len(lines) - 1)
    line = st.one_of(
        texts(min(longest, 2000)), st.sampled_from(reader.bad or ("",)), _corrupted_fields(lines)
    )
    other = st.builds(lambda at, one: _joined([*lines[:at], one, *lines[at + 1 :]]), index, line)
    inserted = st.builds(
        _insert, index, st.floats(0, 1), st.sampled_from([*_SEPARATORS, *RARE, *MARKS]), st.just(lines)
    )
    rearranged = st.lists(st.sampled_from(lines), max_size=8).map(_joined)
    good = st.just(reader.bytes())
    whole = st.one_of(texts(longest).map(_encoded), st.binary(max_size=60))
    long = st.builds(
        lambda at, text: _joined([*lines[: at + 1], lines[at].replace("ran", f"ran {json.dumps(text)[1:-1]}")]),
        index, long_texts(1, longest),
    )  # fmt: skip
    content = weighted((8, other), (8, inserted), (2, rearranged), (1, good), (2, whole), (1, long))
    return st.builds(lambda made, edit: edit(made), content, _edits())


def _corrupted_fields(lines: list[str]) -> st.SearchStrategy[str]:
    """A JSON row with one field of a wrong type; lines of other formats are unchanged."""

    def corrupt(line: str, field: int, value: Any) -> str:
        try:
            row = json.loads(line)
        except ValueError:
            return line
        if not isinstance(row, dict) or not row:  # a list, or a line that is a text
            return line
        return json.dumps({**row, sorted(row)[field % len(row)]: value})

    return st.builds(corrupt, st.sampled_from(lines), st.integers(0, 5), _json_values)


def _insert(at: int, share: float, odd: str, lines: list[str]) -> bytes:
    index = int(share * len(lines[at]))
    return _joined([*lines[:at], lines[at][:index] + odd + lines[at][index:], *lines[at + 1 :]])


def _joined(lines: list[str]) -> bytes:
    return b"".join(_encoded(line) + b"\n" for line in lines)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _edits() -> st.SearchStrategy[_Edit]:
    """Edits of a file: mostly none; other line ends, a byte order mark, gzip, truncation, a wrong byte."""

    def cut(share: float, content: bytes) -> bytes:
        return content[: int(share * len(content))]

    def flip(share: float, content: bytes) -> bytes:
        at = int(share * (len(content) - 1)) if content else 0
        return content[:at] + bytes(byte ^ 255 for byte in content[at : at + 1]) + content[at + 1 :]

    compress = partial(gzip.compress, mtime=0)
    share = st.floats(0, 1)
    return weighted(
        (12, st.just(lambda content: content)),
        (2, st.just(lambda content: content.replace(b"\n", b"\r\n"))),
        (1, st.just(lambda content: b"\xef\xbb\xbf" + content)),
        (1, st.just(lambda content: content.rstrip(b"\n"))),
        (3, st.just(compress)),
        (1, st.builds(lambda at: partial(cut, at), share)),
        (1, st.builds(lambda at: partial(flip, at), share)),
        (1, st.builds(lambda at: lambda content: cut(at, compress(content)), share)),
        (1, st.builds(lambda at: lambda content: flip(at, compress(content)), share)),
    )


def checker(name: str, folder: Path) -> Callable[[bytes], Checked]:
    """A check of one reader: the same rows twice and from gzip; or an error that names the file."""
    reader = READERS[name]

    def check(content: bytes) -> Checked:
        path = reader.write(folder, content)
        try:
            found = repr(list(reader.read(path)))
        except (ValueError, OSError) as error:
            named = "The file" if reader.read is read_upload else str(folder)
            reported = named in str(error) and type(error) not in (UnicodeDecodeError, json.JSONDecodeError)
            return refused(str(error).replace(str(folder), ""), reported)
        packed = replace(reader, name=f"{reader.name}.gz") if reader.packed else reader
        same = gzip.compress(content, 1, mtime=0) if reader.packed and content[:2] != b"\x1f\x8b" else content
        if reader.packed:
            from_packed = repr(list(reader.read(packed.write(folder, same))))
            assert from_packed.replace(packed.name, reader.name) == found
        return Checked(SCORED, found.replace(str(folder), "")[:10_000])

    return check
