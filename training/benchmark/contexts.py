"""The contexts that a metric is given: some test sets keep them apart, others within the story."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.benchmark.sets import TestSet

Rows = list[dict[str, Any]]


def context_of(row: dict[str, Any]) -> str | None:
    """A row's prompt, or its context, or nothing."""
    return row.get("prompt") or row.get("context") or None


def rows_as_seen(entry: MetricEntry, one: TestSet, rows: Sequence[dict[str, Any]]) -> Rows | None:
    """The rows as the metric scores them; None where it needs contexts and the set has none.

    A ROC story of AUTOS is whole, its context being its first sentence, and the stories of some judged sets have no
    context beside them. A metric that needs contexts reads the first sentence of such a story as its context and
    the rest as the story; any other metric reads the story alone, and none of it twice.
    """
    whole = one.corpus == "roc" and not (one.judged and all(map(context_of, rows)))
    if whole and entry.needs_contexts:
        return [{**row, **split_story(row["story"])} for row in rows]
    if entry.needs_contexts and not all(map(context_of, rows)):
        return None
    if whole or (entry.joins_context and not one.judged):
        return [{**row, "prompt": None, "context": None} for row in rows]
    return list(rows)


def split_story(story: str) -> dict[str, str]:
    """A story as its first sentence and the rest; one of a single sentence in the middle of its words."""
    spans = sentence_spans(story)
    if len(spans) > 1:
        end = spans[0][1]
        return {"prompt": story[:end].strip(), "story": story[end:].strip()}
    words = story.split()
    middle = max(1, len(words) // 2)
    return {"prompt": " ".join(words[:middle]), "story": " ".join(words[middle:]) or story}
