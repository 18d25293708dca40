"""StoryER (Chen et al., EMNLP 2022): ranked pairs, ratings of aspects, and stories with an overall score."""

from __future__ import annotations

import html
import pickle
import struct
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

from openmeva.training.files import Row, read_json
from openmeva.training.judged.pairs import Preference, preference_rows
from openmeva.training.judged.rows import JudgedStory, find_file, rating_of

ASPECTS = (
    "opening/beginning",
    "middle/twist/flow",
    "ending",
    "character shaping",
    "scene description",
    "heartwarming/touch",
    "sad/crying/tear",
    "horror/scary",
    "funny/hilarious/laugh",
    "novel/idea",
)
ASPECT_RATINGS_FILE = "test_rate_reason_data.json"
RANKS_FILE = "test_rank_data.pkl"
_FORMATS = {"f4": "f", "f8": "d", "i4": "i", "i8": "q"}  # of `struct`, by NumPy's names
# Errors that damaged pickles raise.
_PICKLE_ERRORS = (
    *(EOFError, ValueError, AttributeError, IndexError, KeyError, TypeError),
    *(OverflowError, MemoryError, RuntimeError, ImportError),
)
OVERALL_FILES = {"wp": "story_correlation.pkl", "scary": "scary_story_correlation.pkl"}


class _NumberType:
    """In place of `numpy.dtype`, which a pickle could turn into one that reads its bytes as pointers."""

    def __init__(self, name: str, *_: Any) -> None:
        if name not in _FORMATS:
            raise pickle.UnpicklingError(f"it has numbers of the type {name!r:.20}")
        self.format = f"<{_FORMATS[name]}"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        if state[1] not in ("<", "="):
            raise pickle.UnpicklingError(f"it has numbers in the byte order {state[1]!r:.20}")


def _number(kind: _NumberType, content: bytes) -> float:
    """In place of NumPy's `scalar`."""
    if not isinstance(kind, _NumberType) or len(content) != struct.calcsize(kind.format):
        raise pickle.UnpicklingError("it has a number of another size than its type")
    return float(struct.unpack(kind.format, content)[0])


_REPLACEMENTS = {
    ("numpy", "dtype"): _NumberType,
    ("numpy.core.multiarray", "scalar"): _number,
    ("numpy._core.multiarray", "scalar"): _number,
}


class _SafeUnpickler(pickle.Unpickler):
    """Reads only lists, tuples, texts and numbers (also NumPy's), since other pickles could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _REPLACEMENTS:
            return _REPLACEMENTS[module, name]
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def read_overall(folder: str | Path, kind: str) -> list[JudgedStory]:
    """The stories with an overall human score: pairs of story and score in the authors' pickle.

    Args:
        folder: the authors' folder `data`.
        kind: `wp` for the 200 stories of WritingPrompts, `scary` for the 200 scary ones.

    Raises:
        ValueError: no such file, or one of another layout.
    """
    path = find_file(folder, (OVERALL_FILES[kind],))
    rows: list[JudgedStory] = []
    for number, entry in enumerate(_load_pickle(path), 1):
        location = f"{path}, entry {number}"
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            raise ValueError(f"{location}: expected a story and its score, got {entry!r:.60}")
        score = rating_of(Row(number, location, {"score": entry[1]}), "score", float("-inf"), float("inf"))
        rows.append({"story_id": str(number), "story": _text(entry[0], location), "score": score})
    return rows


def read_ranks(folder: str | Path) -> list[JudgedStory]:
    """Pairs of stories for a prompt in `test_rank_data.pkl`; the story with more upvotes is preferred.

    An entry is prompt, story, story, target and margin. The first story is preferred if the target is 1, the second
    if it is -1.

    Raises:
        ValueError: no such file, or one of another layout.
    """
    return list(preference_rows(_preferences(find_file(folder, (RANKS_FILE,)))))


def _preferences(path: Path) -> Iterator[Preference]:
    for number, entry in enumerate(_load_pickle(path), 1):
        location = f"{path}, entry {number}"
        if not isinstance(entry, list | tuple) or len(entry) != 5 or entry[3] not in (1, -1):
            raise ValueError(f"{location}: expected prompt, two stories, a target of 1 or -1, margin")
        prompt, first, second = (_text(text, location) for text in entry[:3])
        chosen, rejected = (first, second) if entry[3] == 1 else (second, first)
        yield Preference(str(number), prompt, chosen, rejected)


def read_aspect_ratings(folder: str | Path) -> list[JudgedStory]:
    """The stories of `test_rate_reason_data.json` with at least one rating, and the mean rating of each aspect.

    Each entry of a story's `comments` holds an aspect (1 to 10), a rating (1 to 5) and a comment; -1 means missing.
    The rated aspects differ between stories, so `score` is the mean over those that were rated.

    Raises:
        ValueError: no such file, or one of another layout.
    """
    path = find_file(folder, (ASPECT_RATINGS_FILE,))
    entries = read_json(path)
    rows: list[JudgedStory] = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [], 1):
        location = f"{path}, entry {number}"
        if not isinstance(entry, dict) or not isinstance(entry.get("comments"), list):
            raise ValueError(f"{location}: expected an object with 'prompt', 'story' and 'comments'")
        rated = _aspects(entry["comments"], location)
        if rated:
            ratings = [value for values in rated.values() for value in values]
            rows.append(
                {
                    "story_id": str(number),
                    "prompt": _text(entry.get("prompt"), location),
                    "story": _text(entry.get("story"), location),
                    "score": mean(ratings),
                    "criteria": {name: mean(values) for name, values in rated.items()},
                }
            )
    if not rows:
        raise ValueError(f"{path}: expected a list of rated stories, got none")
    return rows


def _aspects(comments: list[Any], location: str) -> dict[str, list[float]]:
    ratings: dict[str, list[float]] = {}
    for comment in comments:
        if not isinstance(comment, list) or len(comment) != 3:
            raise ValueError(f"{location}: expected aspect, rating and comment, got {comment!r:.60}")
        aspect = comment[0]
        if isinstance(aspect, int) and 1 <= aspect <= len(ASPECTS) and isinstance(comment[2], str):
            rating = rating_of(Row(0, location, {"comments": comment[1]}), "comments")
            ratings.setdefault(ASPECTS[aspect - 1], []).append(rating)
    return ratings


def _load_pickle(path: Path) -> list[Any]:
    try:
        with path.open("rb") as file:
            entries = _SafeUnpickler(file).load()
    except (pickle.UnpicklingError, *_PICKLE_ERRORS) as error:
        raise ValueError(f"{path}: expected a pickle of lists, texts and numbers ({error})") from error
    if not isinstance(entries, list | tuple) or not entries:
        raise ValueError(f"{path}: expected a pickled list, got {type(entries).__name__}")
    return list(entries)


def _text(value: Any, location: str) -> str:
    """A text without `<br>`, with HTML entities and backslash-escaped quotes unescaped."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{location}: expected a text, got {value!r:.60}")
    return html.unescape(" ".join(value.replace("<br>", " ").replace('\\"', '"').split()))
