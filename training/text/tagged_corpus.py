"""Part-of-speech tags of a corpus, computed once and cached on disk."""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from rich.progress import track

from openmeva.training.files import checksum as file_checksum
from openmeva.training.files import write_table
from openmeva.training.paths import NAMES_FILE
from openmeva.training.processes import main_process_first, map_in_processes
from openmeva.training.text.tagged_story import TaggedStory

Sentences = Sequence[Sequence[str]]
Tagger = Callable[[Sentences], list[list[str]]]

CHUNK = 500  # stories tagged per call
VERSION = "1"  # version of the cache format


def tag_corpus(
    stories: Sequence[Sentences],
    cache_folder: str | Path,
    processes: int = 1,
    tagger: Tagger | None = None,
    tagger_name: str | None = None,
    progress: bool = True,
) -> list[TaggedStory]:
    """Tag normalised stories, or read their tags from the cache.

    The name of the cache file is a SHA-256 of the stories and the tagger, so it is never stale.

    Args:
        stories: Sentences of words for each story; no word contains whitespace.
        cache_folder: Folder of cached corpora; created if missing.
        processes: Number of parallel processes.
        tagger: Maps sentences of words to sentences of Penn Treebank tags; default: `training.text.tagger.tagging`'s.
            It must be a module-level function if `processes` is above 1.
        tagger_name: Identifies the tagger; default: the checksum of the shipped weights.
        progress: Whether to show a progress bar while tagging.

    Raises:
        ValueError: A story without words, a word that is empty or contains whitespace, a tagger without a
            name, or a tagger's result of another shape.
    """
    if tagger is None:
        from openmeva.training.text.tagger.tagging import tag

        tagger = tag
        tagger_name = tagger_name or shipped_tagger_checksum()
    if tagger_name is None:
        raise ValueError("expected a tagger_name for a custom tagger, got none")
    lines = [_lines(row, story) for row, story in enumerate(stories)]
    path = Path(cache_folder) / f"tags-{checksum(lines, tagger_name)}.parquet"
    with main_process_first():
        if path.exists():
            tags = pq.read_table(path, columns=["tags"])["tags"].to_pylist()
        else:
            tags = list(_tag_all(stories, processes, tagger, progress))
            write_table(path, pa.table({"sentences": lines, "tags": tags}))
    return [_story(words, row_tags) for words, row_tags in zip(lines, tags, strict=True)]


def checksum(lines: Sequence[Sequence[str]], tagger_name: str) -> str:
    """A SHA-256, in hexadecimal, of stories (one text per sentence) and the tagger's name."""
    digest = hashlib.sha256(f"{VERSION}\n{tagger_name}\n".encode())
    for story in lines:
        digest.update("\n".join(story).encode("utf-8", "surrogatepass"))
        digest.update(b"\n\n")
    return digest.hexdigest()


def shipped_tagger_checksum() -> str:
    """A SHA-256, in hexadecimal, of the weights of the shipped tagger."""
    from openmeva.training.text.tagger.tagging import TAGGER_FOLDER

    digest = hashlib.sha256()
    for path in sorted(TAGGER_FOLDER.glob("*.json")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def text_inputs() -> dict[str, str]:
    """SHA-256, by name, of what the text tools depend on: the tagger's weights and the lists of first names.

    A stage that tags or normalises stories records it: its output is out of date if one of them changes.
    """
    return {"tagger": shipped_tagger_checksum(), "names": file_checksum(NAMES_FILE)}


def _lines(row: int, story: Sentences) -> list[str]:
    """One text per sentence, with words joined by blanks: compact, and lossless to split."""
    lines = [" ".join(words) for words in story]
    if not lines:
        raise ValueError(f"story {row}: expected at least one sentence, got none")
    for words, line in zip(story, lines, strict=True):
        if not words or line.split() != list(words):
            raise ValueError(f"story {row}: expected words without whitespace, got {list(words)!r}")
    return lines


def _tag_all(
    stories: Sequence[Sentences], processes: int, tagger: Tagger, progress: bool
) -> Iterator[list[str]]:
    """Each story's tags, one text per sentence."""
    chunks = [stories[start : start + CHUNK] for start in range(0, len(stories), CHUNK)]
    jobs = [(tagger, chunk) for chunk in chunks]
    if processes <= 1:
        for job in track(jobs, "Tagging", disable=not progress):
            yield from _tag_chunk(job)
        return
    with map_in_processes(_tag_chunk, jobs, processes) as tagged:
        for answer in track(tagged, "Tagging", total=len(jobs), disable=not progress):
            yield from answer


def _tag_chunk(job: tuple[Tagger, Sequence[Sentences]]) -> list[list[str]]:
    tagger, stories = job
    tags = iter(tagger([words for story in stories for words in story]))
    return [[" ".join(next(tags)) for _ in story] for story in stories]


def _story(lines: Sequence[str], tags: Sequence[str]) -> TaggedStory:
    # interned: a corpus has millions of tokens but few distinct ones
    return TaggedStory(
        [[sys.intern(word) for word in line.split()] for line in lines],
        [[sys.intern(tag) for tag in line.split()] for line in tags],
    )
