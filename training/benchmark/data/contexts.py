"""Contexts passed to a metric: some test sets keep them separate, others within the story."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.contexts import begins_with_context, join_contexts
from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.common.fields import field_of

Rows = list[dict[str, Any]]

CORPORA = ("roc", "wp")  # a configuration of one of these names has the corpus's rule for contexts


def contexts_of(rows: Iterable[Mapping[str, Any]]) -> list[str] | None:
    """The context of each row as passed to a metric; None if rows lack one, or if all are empty."""
    contexts = [field_of(row, "context") for row in rows]
    present = [context for context in contexts if context is not None]
    return present if any(present) and len(present) == len(contexts) else None


def rows_for_metric(
    entry: MetricEntry, test_set: TestSet, rows: Sequence[dict[str, Any]], weights: str | None = None
) -> Rows | None:
    """The rows as the metric scores them; None if it needs contexts and a row has none.

    A ROC story of AUTOS includes its context, the first sentence; so do judged ROC stories without a context of their
    own. For a metric that needs contexts, such a story is split into its first sentence and the rest. Any other metric
    gets the story without a context, so that no text is scored twice. For the same reason, a judged story that begins
    with its context gets an empty one, as in `openmeva score`, unless the metric needs contexts.

    Weights of one corpus would join the contexts of the other as they do their own (`MetricEntry.joins_context`). So
    they get a judged story of the other corpus without a context: in ROC with its context before it, in WP as it is.

    Args:
        entry: the metric.
        test_set: the set of the rows.
        rows: stories of the set.
        weights: the corpus of the metric's weights; default: the name of its configuration for the set's corpus.
    """
    weights = entry.configs.get(test_set.corpus) if weights is None else weights
    if test_set.judged and entry.joins_context and weights in CORPORA and weights != test_set.corpus:
        return _whole_stories(rows, test_set.corpus)
    in_story = [
        test_set.corpus == "roc" and not (test_set.judged and field_of(row, "context")) for row in rows
    ]
    if entry.needs_contexts:
        if not all(inside or field_of(row, "context") for inside, row in zip(in_story, rows, strict=True)):
            return None
        return [
            {**row, **split_story(row["story"])} if inside else row
            for inside, row in zip(in_story, rows, strict=True)
        ]
    if all(in_story) or (entry.joins_context and not test_set.judged):
        return [{**row, "prompt": None, "context": None} for row in rows]
    if not test_set.judged:
        return list(rows)
    blank = {"prompt": "", "context": ""}
    return [
        row
        if (context := field_of(row, "context")) and not begins_with_context(row["story"], context)
        else {**row, **blank}
        for row in rows
    ]


def _whole_stories(rows: Sequence[dict[str, Any]], corpus: str) -> Rows:
    stories = join_contexts(
        [row["story"] for row in rows],
        [field_of(row, "context") or "" for row in rows],
        joins=corpus == "roc",
    )
    return [
        {**row, "story": story, "prompt": None, "context": None}
        for row, story in zip(rows, stories, strict=True)
    ]


def split_story(story: str) -> dict[str, str]:
    """Splits a story into its first sentence and the rest; a story of one sentence in the middle of its words."""
    spans = sentence_spans(story)
    if len(spans) > 1:
        end = spans[0][1]
        return {"prompt": story[:end].strip(), "story": story[end:].strip()}
    words = story.split()
    middle = max(1, len(words) // 2)
    return {"prompt": " ".join(words[:middle]), "story": " ".join(words[middle:]) or story}
