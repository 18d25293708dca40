"""The stories of this repository, and negative samples that tests make of them."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

MINI = Path(__file__).resolve().parents[1] / "datasets" / "stories" / "mini.jsonl"


@lru_cache(maxsize=1)
def mini() -> tuple[dict[str, Any], ...]:
    """The rows of all stories, 130 of five sentences and 22 longer ones."""
    return tuple(map(json.loads, MINI.read_text(encoding="utf-8").splitlines()))


def mini_rows_of(kind: str) -> list[dict[str, Any]]:
    """The rows of a kind, `roc` or `wp`."""
    return [row for row in mini() if row["kind"] == kind]


def sentences_of(kind: str) -> list[list[str]]:
    """The sentences of each story of a kind."""
    return [row["sentences"] for row in mini_rows_of(kind)]


def corrupted(stories: list[list[str]], how: str) -> list[list[str]]:
    """Negative samples of the stories; the first sentence is unchanged.

    Args:
        stories: of four sentences or more.
        how: a sentence is `repeated`, the words of one are `shuffled`, two are `foreign` (from another story), or the sentences
            are `reversed`.

    Raises:
        ValueError: another kind of damage.
    """
    rng = np.random.default_rng(0)
    result = []
    for i, sentences in enumerate(stories):
        new = list(sentences)
        index = int(rng.integers(1, len(new) - 1))
        if how == "repeated":
            new[index + 1] = new[index]
        elif how == "shuffled":
            words = new[index].rstrip(".!?").split()
            new[index] = " ".join(words[k] for k in rng.permutation(len(words))) + "."
        elif how == "foreign":
            other = stories[(i + 7) % len(stories)]
            new[index], new[index + 1] = other[1], other[2]
        elif how == "reversed":
            new[1:] = new[:0:-1]
        else:
            raise ValueError(f"expected repeated, shuffled, foreign or reversed, got {how}")
        result.append(new)
    return result


def with_foreign_sentences(stories: list[list[str]]) -> tuple[list[str], list[int]]:
    """The stories as texts, each with one sentence of another story, and the indices of these sentences."""
    indices = [2 + i % 3 for i in range(len(stories))]
    mixed = []
    for i, (sentences, index) in enumerate(zip(stories, indices, strict=True)):
        foreign = stories[(i + 11) % len(stories)][index]
        mixed.append(" ".join([*sentences[:index], foreign, *sentences[index + 1 :]]))
    return mixed, indices
