"""Scores of every shipped configuration of every metric, as returned to users."""

from collections.abc import Iterator
from typing import Any

import evaluate

from .inputs import ODD_CONTEXTS, Row, autos_rows, mini_rows, odd_rows

# Absolute up to 1, relative above (perplexities). CPUs round differently, even with one instruction set: the largest
# difference seen is 4e-6.
TOLERANCE = 1e-5
CONFIGURATIONS = {
    "bleurt": ["roc"],
    "discriminator": ["roc"],
    "embedding_similarity": ["default", "encoder"],
    "overlap": [None],
    "plot_coherence": ["mix", "roc"],
    "ppl": ["pll", "roc", "wp"],
    "ruber_bert": ["rnn", "roc", "wp"],
    "sentavg": ["roc"],
    "union": ["roc", "wp"],
}
# On models that are not in the checkout: scored where `make base` has fetched them.
FETCHED = {"plot_coherence": ["base"], "ppl": ["base", "roc_base"], "union": ["roc_base", "wp_base"]}
HERE, ELSEWHERE = (
    [(metric, name) for metric, names in configurations.items() for name in names]
    for configurations in (CONFIGURATIONS, FETCHED)
)
PAIRS: list[tuple[str, str | None]] = [*HERE, *ELSEWHERE]
WITH_REFERENCES = {"bleurt", "embedding_similarity", "overlap"}
EXPLAINED = {"discriminator", "plot_coherence", "ppl", "union"}
CLASSIFIERS = {"discriminator", "plot_coherence", "sentavg", "union"}

# Slow metrics score every n-th row of the project's stories and of AUTOS, and no long story.
SPARSE = {
    "bleurt": 10,
    "discriminator": 3,
    "embedding_similarity": 10,
    "overlap": 4,
    "plot_coherence": 3,
    "ppl": 8,
    "ruber_bert": 12,
    "union": 3,
}
FASTER, SLOWER = {"rnn": 3}, {"pll": 18}  # configurations faster or slower than others of their metric
LONG_EXCLUDED = {"bleurt": 1, "embedding_similarity": 2, "overlap": 1, "ruber_bert": 2}

Cases = Iterator[tuple[str, list[Row], dict[str, Any]]]
"""The name of a case, its rows, and the arguments of `compute`."""


def scores_of(metric: str, configuration: str | None) -> dict[str, Any]:
    """The results of `compute` in each case, in float32, without those about the texts themselves."""
    module = evaluate.load(f"metrics/{metric}", configuration)
    options = {} if metric == "overlap" else {"dtype": "float32", "batch_size": 8}  # little padding
    found = {
        name: module.compute(**given, **options, show_progress=False)
        for name, _, given in cases(metric, configuration)
    }
    for result in found.values():
        del result["warnings"]
    return found


def cases(metric: str, configuration: str | None) -> Cases:
    """All cases of a metric; few of a configuration of `FETCHED`."""
    if configuration in FETCHED.get(metric, []):
        long = [] if metric == "ppl" else ["60 sentences"]
        few, odd = mini_rows()[:2], [row for row in odd_rows() if row.name in [*ODD_CONTEXTS, *long]]
        yield "odd", odd, _stories(odd)
        yield "explained", few, {**_rests(few), "explain": True}
        return
    step = {**FASTER, **SLOWER}.get(str(configuration), SPARSE.get(metric, 1))
    mini, autos, odd = mini_rows()[::step], autos_rows()[::step], odd_rows()
    num_excluded = 2 if configuration in SLOWER else LONG_EXCLUDED.get(metric, 0)
    odd = odd[: len(odd) - num_excluded]
    if metric in WITH_REFERENCES:
        yield from _cases_with_references(metric, mini, autos, odd)
    elif metric == "ruber_bert":
        yield from _cases_with_contexts(mini, autos, odd)
    else:
        yield from _cases_of_stories(metric, mini, autos, odd)
    if metric == "ppl" and configuration != "pll":
        yield "padding_side=left", mini[:2], {**_rests(mini[:2]), "padding_side": "left"}


def _cases_of_stories(metric: str, mini: list[Row], autos: list[Row], odd: list[Row]) -> Cases:
    few = mini[:2]
    short = [row for row in odd if not row.name.endswith("0 sentences")]
    if metric != "sentavg":
        short = [row for row in short if row.name in ODD_CONTEXTS]
        odd = [row for row in odd if row.name != "60 sentences"]
    yield "mini", mini, _stories(mini)
    yield "autos", autos, _rests(autos)
    yield "odd", odd, _stories(odd)
    yield "odd with contexts", short, _rests(short)
    if metric in EXPLAINED:
        yield "explained", few, {**_rests(few), "explain": True}
    if metric in CLASSIFIERS:
        for is_part in (True, False):
            yield (
                f"context_is_part_of_story={is_part}",
                few,
                {**_rests(few), "context_is_part_of_story": is_part},
            )
    if metric == "ppl":
        yield "repeated_ngram=2", few, {**_rests(few), "repeated_ngram": 2}


def _cases_with_contexts(mini: list[Row], autos: list[Row], odd: list[Row]) -> Cases:
    few = autos[:3]
    references = {"references": [row.references[0] for row in few]}
    yield "mini", mini, _rests(mini)
    for name, rows in (("autos", autos), ("odd", odd)):
        yield name, rows, {**_rests(rows), "references": [row.references[0] for row in rows]}
    for blend in ("geometric", "min", "max"):
        yield f"blend={blend}", few, {**_rests(few), **references, "blend": blend}
    yield "normalization=batch", few, {**_rests(few), **references, "normalization": "batch"}


def _cases_with_references(metric: str, mini: list[Row], autos: list[Row], odd: list[Row]) -> Cases:
    with_words = [row for row in odd if row.name != "marks alone"]  # rejected, since it contains no words
    for name, rows in (("mini", mini), ("autos", autos), ("odd", with_words)):
        references = [list(row.references) for row in rows]
        yield name, rows, {"predictions": [row.story for row in rows], "references": references}
    few = mini[:2]
    with_one_reference = {
        "predictions": [row.story for row in few],
        "references": [row.references[0] for row in few],
    }
    if metric == "overlap":
        yield "scores=rougeL, bleu", few, {**with_one_reference, "scores": ["rougeL", "bleu"]}
    if metric == "embedding_similarity":
        for name, value in {"idf": True, "rescale_with_baseline": True, "layer": 2}.items():
            yield f"{name}={value}", few, {**with_one_reference, name: value}


def _stories(rows: list[Row]) -> dict[str, Any]:
    return {"predictions": [row.story for row in rows]}


def _rests(rows: list[Row]) -> dict[str, Any]:
    return {"predictions": [row.rest for row in rows], "contexts": [row.context for row in rows]}


def rounded(found: Any) -> Any:
    """The results with ten digits per number, as written to the file."""
    if isinstance(found, dict):
        return {key: rounded(value) for key, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [rounded(value) for value in found]
    return float(f"{found:.10g}") if isinstance(found, float) else found


def differences(expected: Any, found: Any, path: str = "") -> list[str]:
    """The differences of two results: in structure, in text, or in a number by more than the tolerance."""
    if isinstance(expected, dict) and isinstance(found, dict) and list(expected) == list(found):
        return [d for key in expected for d in differences(expected[key], found[key], f"{path} > {key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = zip(expected, found, strict=True)
        return [d for at, (old, new) in enumerate(pairs) for d in differences(old, new, f"{path}[{at}]")]
    if isinstance(expected, float) and isinstance(found, (float, int)):
        close = abs(found - expected) <= TOLERANCE * max(1.0, abs(expected))  # false for NaN
        return [] if close else [f"{path}: expected {expected}, got {found}"]
    same = type(expected) is type(found) and expected == found
    return [] if same else [f"{path}: expected {str(expected)[:200]!r}, got {str(found)[:200]!r}"]
