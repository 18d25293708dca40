"""Results of story classifiers on held-out groups."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.runtime import inference
from openmeva.metrics.openmeva.autos import auc
from openmeva.training.classifier.data import Example, GroupCollator, GroupDataset


def area_under_curve(human: Sequence[float], others: Sequence[float]) -> float:
    """Area under the ROC curve, 0 to 1: how often a human-written story scores above another one; ties count half, .5 is chance."""
    if not len(human) or not len(others):
        return float("nan")
    return auc(np.asarray(human), np.asarray(others))


def results_by_source(model: Any, groups: GroupDataset, padding: int) -> dict[str, dict[str, float | None]]:
    """Results for each source of negative samples, from float32 logits: `auc`, `ranked` and the number of `stories`.

    `auc` is the area under the ROC curve against the human-written stories of the same groups; `ranked` is how often the
    group's own human-written story scores higher. Both are None if no group has a human-written story. A story with
    several edits counts for each of them.
    """
    examples = [e for group in groups.groups for e in group]
    logits = dict(zip(map(id, examples), predict(model, examples, padding), strict=True))
    pairs_by_source: dict[str, list[tuple[float, float]]] = {}
    human_logits: dict[str, list[float]] = {}  # each human-written story once per source
    for group in groups.groups:
        human = next((logits[id(e)] for e in group if e.label == 1), float("nan"))
        sources = set()
        for example in group:
            for source in {"all", *example.source.split("+")} if example.label == 0 else ():
                pairs_by_source.setdefault(source, []).append((human, logits[id(example)]))
                sources.add(source)
        for source in sources if not math.isnan(human) else ():
            human_logits.setdefault(source, []).append(human)
    results: dict[str, dict[str, float | None]] = {}
    for source, pairs in sorted(pairs_by_source.items()):
        ranked = [(a, b) for a, b in pairs if not math.isnan(a)]
        human_written = human_logits.get(source, [])
        results[source] = {
            "auc": round(area_under_curve(human_written, [b for _, b in pairs]), 4) if ranked else None,
            "ranked": round(sum(a > b for a, b in ranked) / len(ranked), 4) if ranked else None,
            "stories": len(pairs),
        }
    return results


def predict(model: Any, examples: Sequence[Example], padding: int, batch_size: int = 64) -> list[float]:
    """Logits of examples as floats, in order, computed in float32."""
    collate = GroupCollator(padding)
    model.eval()
    scores = [0.0] * len(examples)
    forward = type(model).forward  # not accelerate's wrapped one, which rounds to bfloat16
    with inference(model.device):
        for batch in length_batches([len(e.ids) for e in examples], batch_size):
            inputs = collate([[examples[i]] for i in batch])
            ids, mask = (inputs[name].to(model.device) for name in ("input_ids", "attention_mask"))
            logits = forward(model, ids, mask)
            for i, value in zip(batch, logits.tolist(), strict=True):
                scores[i] = value
    return scores


def mean_results(results: Sequence[dict[str, dict[str, float | None]]]) -> dict[str, dict[str, float | None]]:
    """Combines the results of several seeds: means over the seeds that have a source, and the total number of stories.

    >>> mean_results([{"all": {"auc": 0.8, "ranked": 0.5, "stories": 4}}, {"all": {"auc": 0.9, "ranked": 0.6, "stories": 6}}])
    {'all': {'auc': 0.85, 'ranked': 0.55, 'stories': 10}}
    """
    mean: dict[str, dict[str, float | None]] = {}
    for source in sorted({source for seed_results in results for source in seed_results}):
        entries = [seed_results[source] for seed_results in results if source in seed_results]
        mean[source] = {"stories": sum(int(entry["stories"] or 0) for entry in entries)}
        for key in ("auc", "ranked"):
            values = [value for entry in entries if (value := entry[key]) is not None]
            mean[source][key] = round(sum(values) / len(values), 4) if values else None
    return {
        source: {key: entry[key] for key in ("auc", "ranked", "stories")} for source, entry in mean.items()
    }
