"""The contexts that a metric is given: some test sets keep them apart, others within the story."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.benchmark.sets import TestSet

Rows = list[dict[str, Any]]


def context_of(row: Mapping[str, Any]) -> str | None:
    """A row's prompt, or its context, or nothing; a blank text where the story holds it already."""
    return row.get("prompt") or row.get("context")


def contexts_of(rows: Iterable[Mapping[str, Any]]) -> list[str] | None:
    """The context of each row as a metric is given it; None where rows lack one, or all are blank."""
    found = [context_of(row) for row in rows]
    known = [context for context in found if context is not None]
    return known if any(known) and len(known) == len(found) else None


def begins(story: Any, context: Any) -> bool:
    """Whether a story begins with a context that says something; what is no text is for the metric to refuse."""
    texts = isinstance(story, str) and isinstance(context, str)
    return texts and bool(context.strip()) and story.startswith(context)


def rows_as_seen(entry: MetricEntry, one: TestSet, rows: Sequence[dict[str, Any]]) -> Rows | None:
    """The rows as the metric scores them; None where it needs contexts and the set has none.

    A ROC story of AUTOS is whole, its context being its first sentence, and the stories of some judged sets have no
    context beside them. A metric that needs contexts reads the first sentence of such a story as its context and
    the rest as the story; any other metric reads the story alone, and none of it twice. Nor does it of judged stories
    that begin with the context beside them, as `openmeva score` has it: a metric that needs none gets a blank one.
    """
    whole = one.corpus == "roc" and not (one.judged and all(map(context_of, rows)))
    if whole and entry.needs_contexts:
        return [{**row, **split_story(row["story"])} for row in rows]
    if entry.needs_contexts and not all(map(context_of, rows)):
        return None
    if whole or (entry.joins_context and not one.judged):
        return [{**row, "prompt": None, "context": None} for row in rows]
    if entry.needs_contexts or not one.judged:
        return list(rows)
    blank = {"prompt": "", "context": ""}
    return [{**row, **blank} if begins(row["story"], context_of(row)) else row for row in rows]


def split_story(story: str) -> dict[str, str]:
    """A story as its first sentence and the rest; one of a single sentence in the middle of its words."""
    spans = sentence_spans(story)
    if len(spans) > 1:
        end = spans[0][1]
        return {"prompt": story[:end].strip(), "story": story[end:].strip()}
    words = story.split()
    middle = max(1, len(words) // 2)
    return {"prompt": " ".join(words[:middle]), "story": " ".join(words[middle:]) or story}
