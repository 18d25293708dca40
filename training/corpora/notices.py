"""Notices about unexpected stories in a corpus, one line each on standard error."""

import sys
from collections.abc import Iterable
from itertools import islice

from openmeva.metrics.core.text_warnings import warning_of
from openmeva.training.processes import number

SAMPLE = 1000  # number of stories that are checked


def tell(message: str) -> None:
    """Prints a message on standard error, in the first of several processes only."""
    if number() == 0:
        print(message, file=sys.stderr)


def tell_foreign(stories: Iterable[str]) -> None:
    """Prints how many of the first `SAMPLE` stories are not English, by the check of scoring; nothing if all are."""
    read = list(islice(stories, SAMPLE))
    foreign = sum((warning_of(story) or "").startswith("not English") for story in read)
    if foreign:
        first = "the first " if len(read) == SAMPLE else ""
        tell(f"{foreign} of {first}{len(read)} stories are not English; tags, antonyms and names are English")


def tell_alike(alike: int, stories: int) -> None:
    """Prints how many stories are excluded as having the same beginning as another one; nothing if none is."""
    if alike:
        tell(f"{alike} of {stories} stories have the same beginning as another one and are excluded")


def tell_cut(cut: int, stories: int) -> None:
    """Prints how many stories exceed a model's maximum length; nothing if none does."""
    if cut:
        tell(f"{cut} of {stories} stories are longer than max_length; set corpus.block_words")
