"""The texts that a user gives, and what each metric reads of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openmeva.metrics.core.text import split_sentences
from openmeva.spaces.catalogue import CORPORA, CatalogueEntry
from openmeva.spaces.limits import MOST_WEIGHED


@dataclass(frozen=True)
class Text:
    """A story to score.

    Attributes:
        story: as typed, with or without the beginning.
        context: the story's beginning (`roc`) or the prompt (`wp`), blank where not given.
        reference: a story to compare it with, blank where not given.
    """

    story: str
    context: str = ""
    reference: str = ""

    def whole(self, corpus: str) -> str:
        """What a reader of the story reads: in `roc` the context is its beginning."""
        return f"{self.context} {self.story}".strip() if corpus == "roc" else self.story


def lacks(entry: CatalogueEntry, module: Any, text: Text, corpus: str) -> str:
    """What keeps a story from being scored, as a sentence; blank where nothing does."""
    required = getattr(module, "required", entry.call.inputs)
    if "references" in required and not text.reference:
        return "Needs a reference story to compare with."
    if "contexts" in required and corpus == "wp" and not text.context:
        return "Needs the prompt that the story was written to."
    if "contexts" in required and corpus == "roc" and len(split_sentences(text.whole(corpus))) < 2:
        return "Needs a story of two sentences or more."
    return ""


def unweighed(text: Text, corpus: str) -> str:
    """Why a story's sentences are not weighed here, as a sentence; blank where nothing speaks against it."""
    count = len(split_sentences(text.whole(corpus)))
    if count <= MOST_WEIGHED:
        return ""
    return (
        f"What each sentence costs is told here of stories of at most {MOST_WEIGHED} sentences, and this one has "
        f"{count:,}: on your own machine the command `openmeva score --explain` tells it."
    )


def columns(entry: CatalogueEntry, module: Any, text: Text, corpus: str) -> dict[str, str]:
    """A row of what `compute` gets. In `roc`, a metric that needs the context apart gets the first sentence as it."""
    required = getattr(module, "required", entry.call.inputs)
    found: dict[str, str] = {}
    if "references" in entry.call.inputs and text.reference:
        found["references"] = text.reference
    if "contexts" in required:
        pair = (text.context, text.story) if corpus == "wp" else _first_sentence(text.whole(corpus))
        found["contexts"], found["predictions"] = pair
    elif entry.referenced:  # a reference stands against what was typed, not against the beginning too
        found["predictions"] = text.story
    else:
        found["predictions"] = text.whole(corpus)
    return found


def check_corpus(corpus: str) -> str:
    """`corpus`, or a `ValueError` that names the two there are."""
    if corpus not in CORPORA:
        raise ValueError(f"The kind of story is one of {', '.join(CORPORA)}, not {str(corpus)[:20]!r}.")
    return corpus


def _first_sentence(story: str) -> tuple[str, str]:
    first, *rest = split_sentences(story)
    return first, " ".join(rest)
