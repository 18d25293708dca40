"""Fetch the part of ConceptNet that the project uses, from a local file or from its publisher.

The result is one tab-separated file of English assertions, `relation head tail`, for the relations in
`KEPT_RELATIONS`. ConceptNet is licensed CC BY-SA 4.0 and is not part of this project.
"""

import gzip
import http.client
import urllib.request
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from rich.progress import Progress

from openmeva.training.files import read_lines, write_text

Assertion = tuple[str, str, str]

NEGATED_RELATIONS = ("Antonym", "NotDesires", "NotCapableOf", "NotHasProperty")
# Properties, actions, desires and effects of people, things and events. RelatedTo, Synonym and the relations between
# word forms are excluded: they are most of ConceptNet and carry little information.
COMMONSENSE_RELATIONS = (
    *("AtLocation", "CapableOf", "Causes", "CausesDesire", "CreatedBy", "DefinedAs", "Desires", "HasA"),
    *("HasFirstSubevent", "HasLastSubevent", "HasPrerequisite", "HasProperty", "HasSubevent", "InstanceOf"),
    *("IsA", "LocatedNear", "MadeOf", "MannerOf", "MotivatedByGoal", "PartOf", "ReceivesAction", "SymbolOf"),
    "UsedFor",
)
# Relations of a thing to its kind, its parts and what it stands for.
KINDS_AND_PARTS = ("DefinedAs", "HasA", "InstanceOf", "IsA", "MadeOf", "MannerOf", "PartOf", "SymbolOf")
KEPT_RELATIONS = frozenset(NEGATED_RELATIONS + COMMONSENSE_RELATIONS)
DUMP_URL = "https://s3.amazonaws.com/conceptnet/downloads/2019/edges/conceptnet-assertions-5.7.0.csv.gz"
FILE_NAME = "assertions.tsv"
TIMEOUT_SECONDS = 30
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


def parse_lists(lines: Iterable[str], name: str = "") -> Iterator[Assertion]:
    """Assertions of the form `head|||/r/Relation|||tail tail …`, tails being single words."""
    for number, line in enumerate(lines, start=1):
        fields = line.rstrip("\n").split("|||")
        if len(fields) != 3 or not fields[1].startswith("/r/"):
            raise ValueError(f"{name}, line {number}: expected head|||/r/Relation|||tails, got {line[:80]!r}")
        relation = fields[1].removeprefix("/r/")
        if relation in KEPT_RELATIONS:
            for tail in fields[2].split():
                yield relation, fields[0].strip().lower(), tail.lower()


def parse_triples(lines: Iterable[str], name: str = "") -> Iterator[Assertion]:
    """Assertions in the format of CN-100K, `Relation TAB head TAB tail`; a fourth column is ignored."""
    for number, line in enumerate(lines, start=1):
        fields = line.rstrip("\n").split("\t")
        if len(fields) not in (3, 4):
            raise ValueError(
                f"{name}, line {number}: expected relation, head, tail by tabs, got {line[:80]!r}"
            )
        if fields[0] in KEPT_RELATIONS:
            yield fields[0], fields[1].strip().lower(), fields[2].strip().lower()


def parse_dump(lines: Iterable[str], name: str = "") -> Iterator[Assertion]:
    """English assertions of ConceptNet's dump: `uri, /r/Relation, /c/en/head, /c/en/tail, {…}`, separated by tabs."""
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t", 4)
        if len(fields) != 5:
            raise ValueError(f"{name}, line {number}: expected five columns by tabs, got {line[:80]!r}")
        relation = fields[1].removeprefix("/r/")
        if relation in KEPT_RELATIONS and fields[2].startswith("/c/en/") and fields[3].startswith("/c/en/"):
            yield relation, _term(fields[2]), _term(fields[3])


def _term(uri: str) -> str:
    """`/c/en/take_off/v/wn/motion` is the term `take off`."""
    return uri.split("/")[3].replace("_", " ").lower()


def read_assertions(path: Path) -> Iterator[Assertion]:
    """Kept assertions of a file in any of the three formats, compressed (`.gz`) or not.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a folder; a line in no known format, or in another one than the first line (the message names the
            line); or a damaged `.gz` file.
    """
    yield from parse((line for _, line in read_lines(path)), str(path))


def parse(lines: Iterable[str], name: str) -> Iterator[Assertion]:
    """Kept assertions of lines in any of the three formats; the first line determines the format."""
    iterator = iter(lines)
    first = next(iterator, "")
    if "|||" in first:
        form = parse_lists
    elif first.startswith("/a/"):
        form = parse_dump
    else:
        form = parse_triples
    if not first.strip():
        raise ValueError(f"{name}: expected ConceptNet assertions, got an empty first line")
    yield from form(chain([first], iterator), name)


def download(url: str = DUMP_URL) -> Iterator[Assertion]:
    """Kept assertions of the publisher's dump (about 500 MB), filtered during the download; the dump is not stored.

    Raises:
        OSError, EOFError, http.client.HTTPException, zlib.error: no connection, or a broken one.
    """
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer, Progress() as progress:
        length = int(answer.headers.get("Content-Length") or 0) or None
        task = progress.add_task("ConceptNet", total=length)
        with (
            progress.wrap_file(answer, task_id=task) as counted,
            gzip.open(counted, "rt", encoding="utf-8") as lines,
        ):
            yield from parse(lines, url)


def store(assertions: Iterable[Assertion], folder: Path) -> Path:
    """Add assertions to the stored file, sorted and without duplicates; the file is replaced atomically.

    Raises:
        ValueError: no assertion has a relation of `KEPT_RELATIONS`.
    """
    new = {(relation, head, tail) for relation, head, tail in assertions if head and tail}
    if not new:
        raise ValueError(f"no English assertions with the relations {', '.join(sorted(KEPT_RELATIONS))}")
    target = folder / FILE_NAME
    merged = sorted(new | set(load(target) if target.is_file() else ()))
    write_text(target, "".join("\t".join(assertion) + "\n" for assertion in merged))
    return target


def load(path: Path) -> list[Assertion]:
    """Assertions of the stored file, sorted."""
    return list(parse_triples((line for _, line in read_lines(path)), str(path)))


def fetch_conceptnet(folder: Path, path: Path | None = None, url: str = DUMP_URL) -> Path:
    """Store ConceptNet from a file or, if none is given, from its publisher.

    Raises:
        FileNotFoundError, ValueError: the file is missing or in no known format.
        RuntimeError: no file is given and the publisher cannot be reached (the message says what to do).
    """
    if path is not None:
        return store(read_assertions(path), folder)
    try:
        return store(download(url), folder)
    except (OSError, http.client.HTTPException, *_DAMAGE) as error:
        raise RuntimeError(
            f"ConceptNet could not be fetched from {url} ({error}). With a local copy, run `openmeva"
            " resources --conceptnet FILE`: the dump itself, CN-100K's triples, or lines"
            " head|||/r/Relation|||tails."
        ) from error
