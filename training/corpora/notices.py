"""What a corpus holds that its user may not expect, said in a line on standard error."""

import sys
from collections.abc import Iterable
from itertools import islice

from openmeva.metrics.core.text_warnings import warning_of
from openmeva.training.processes import number

SAMPLE = 1000  # so many stories are looked at


def tell(message: str) -> None:
    """Says it on standard error, once where several processes work together."""
    if number() == 0:
        print(message, file=sys.stderr)


def tell_foreign(stories: Iterable[str]) -> None:
    """Says how many of the first `SAMPLE` stories are not English, as scoring finds them; nothing where all are."""
    read = list(islice(stories, SAMPLE))
    foreign = sum((warning_of(story) or "").startswith("not English") for story in read)
    if foreign:
        first = "the first " if len(read) == SAMPLE else ""
        tell(f"{foreign} of {first}{len(read)} stories are not English; tags, antonyms and names are English")


def tell_alike(alike: int, stories: int) -> None:
    """Says how many stories were left out because they begin like another one; nothing where none was."""
    if alike:
        tell(f"{alike} of {stories} stories begin like another one and are left out")


def tell_cut(cut: int, stories: int) -> None:
    """Says how many stories have more tokens than a model reads; nothing where none has."""
    if cut:
        tell(f"{cut} of {stories} stories are longer than max_length; set corpus.block_words")
