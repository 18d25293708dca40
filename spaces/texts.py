"""The texts that a user gives, and the inputs of each metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from openmeva.metrics.core.contexts import join_contexts
from openmeva.metrics.core.text import split_sentences
from openmeva.spaces.catalogue import CORPORA, CatalogueEntry
from openmeva.spaces.limits import MAX_SENTENCES_WITH_COSTS


@dataclass(frozen=True)
class Text:
    """A story to score.

    Attributes:
        story: as typed, with or without the beginning.
        context: the story's beginning (`roc`) or the prompt (`wp`); blank where not given.
        reference: a story to compare it with; blank where not given.
    """

    story: str
    context: str = ""
    reference: str = ""

    def whole(self, corpus: str) -> str:
        """The complete story: in `roc` the context is its beginning, which the story may repeat."""
        return join_contexts([self.story], [self.context], joins=corpus == "roc")[0]


def missing_input(entry: CatalogueEntry, module: Any, text: Text, corpus: str) -> str:
    """The input that a metric needs and a story lacks, as a sentence; blank where nothing is missing."""
    required = getattr(module, "required", entry.call.inputs)
    if "references" in required and not text.reference:
        return "Needs a reference story to compare with."
    if "contexts" in required and corpus == "wp" and not text.context:
        return "Needs the prompt that the story was written to."
    if "contexts" in required and corpus == "roc" and len(split_sentences(text.whole(corpus))) < 2:
        return "Needs a story of two sentences or more."
    return ""


def omitted_context(entry: CatalogueEntry, corpus: str) -> str:
    """What the benchmark's scores of a metric are conditioned on and those of `inputs_of_text` are not, as a sentence.

    Blank where both are of the same texts. The judged stories have their beginning or prompt as context.
    """
    call = entry.call
    if "contexts" not in call.inputs or call.needs_contexts or call.joins_context:
        return ""
    if corpus == "roc":
        return "There, the beginning of a story was read but not scored; here, the whole story is scored."
    return "There, the prompt was read but not scored; here, it is not read."


def why_no_sentence_costs(text: Text, corpus: str) -> str:
    """Why the sentence costs of a story are not computed here, as a sentence; blank where they can be."""
    count = len(split_sentences(text.whole(corpus)))
    if count <= MAX_SENTENCES_WITH_COSTS:
        return ""
    return (
        f"The cost of each sentence is computed here for stories of at most {MAX_SENTENCES_WITH_COSTS} sentences, and this one has "
        f"{count:,}. On your own machine, use the command `openmeva score --explain`."
    )


def inputs_of_text(entry: CatalogueEntry, module: Any, text: Text, corpus: str) -> dict[str, str]:
    """A row of `compute`'s inputs. In `roc`, a metric that needs a context gets the first sentence.

    A metric that may do without a context gets none: in `roc` it scores the whole story, and in `wp` the story without the
    prompt, whether or not a context is given. So all its scores can be compared with those of the reference stories.
    """
    required = getattr(module, "required", entry.call.inputs)
    found: dict[str, str] = {}
    if "references" in entry.call.inputs and text.reference:
        found["references"] = text.reference
    if "contexts" in required:
        pair = (text.context, text.story) if corpus == "wp" else _first_sentence(text.whole(corpus))
        found["contexts"], found["predictions"] = pair
    elif entry.referenced:  # a reference is compared with the story as typed, without the beginning
        found["predictions"] = text.story
    else:
        found["predictions"] = text.whole(corpus)
    return found


def check_corpus(corpus: object) -> str:
    """`corpus`; raises a `ValueError` that names the valid ones if it is not one of them."""
    if not isinstance(corpus, str) or corpus not in CORPORA:
        raise ValueError(f"The kind of story is one of {', '.join(CORPORA)}, not {str(corpus)[:20]!r}.")
    return corpus


def _first_sentence(story: str) -> tuple[str, str]:
    first, *rest = split_sentences(story)
    return first, " ".join(rest)
