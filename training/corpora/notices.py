"""Notices about unexpected stories in a corpus, one line each on standard error."""

from collections.abc import Iterable, Sequence
from itertools import islice

from openmeva.metrics.core.text_warnings import warning_of
from openmeva.training.processes import print_notice

MAX_CHECKED_STORIES = 1000  # number of stories that are checked


def warn_about_foreign_stories(stories: Iterable[str]) -> None:
    """Prints how many of the first `MAX_CHECKED_STORIES` stories are not English; nothing if all are."""
    read = list(islice(stories, MAX_CHECKED_STORIES))
    foreign = sum((warning_of(story) or "").startswith("not English") for story in read)
    if foreign:
        first = "the first " if len(read) == MAX_CHECKED_STORIES else ""
        print_notice(
            f"{foreign} of {first}{len(read)} stories are not English; tags, antonyms and names are English"
        )


def warn_about_bad_lines(bad: Sequence[str], lines: int) -> None:
    """Prints how many of a file's lines are skipped, and the first of their messages; nothing if none is."""
    if bad:
        print_notice(f"skipped {len(bad)} of {lines} lines, the first: {bad[0]}")


def warn_about_duplicates(duplicates: int, stories: int) -> None:
    """Prints how many stories are excluded as having the same beginning as another one; nothing if none is."""
    if duplicates:
        print_notice(
            f"{duplicates} of {stories} stories have the same beginning as another one and are excluded"
        )


def warn_about_truncated_stories(truncated: int, stories: int) -> None:
    """Prints how many stories exceed a model's maximum length; nothing if none does."""
    if truncated:
        print_notice(f"{truncated} of {stories} stories are longer than max_length; set corpus.block_words")
