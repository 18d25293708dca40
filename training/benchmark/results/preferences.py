"""Preferences between two stories: how often a metric scores the preferred one higher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.ties import merge_score_ties
from openmeva.metrics.openmeva.trivial import trivial_scores
from openmeva.training.benchmark.results.titles import OURS, TRIVIAL

# A pair is of similar length if the longer story has less than this many times the words of the shorter.
LENGTH_RATIO = 1.1
_CHUNK = 500


def preference_table(
    rows: Sequence[Mapping[str, Any]],
    ours: Mapping[str, Sequence[float]],
    draws: int,
    rng: np.random.Generator,
    kind: str = OURS,
) -> dict[str, Any]:
    """Pairwise accuracy of each metric and trivial baseline, over all pairs and over pairs of similar length.

    A pair counts 1 if the preferred story scores higher, 0 if it scores lower, and ½ for a tie; chance is .5. The
    bootstrap resamples prompts with all their pairs; all metrics share the same samples.

    Args:
        rows: two per `pair`, with `prompt` and `story`; the preferred story has the higher `score`.
        ours: row title to scores, one per row, higher is better.
        draws, rng: number of bootstrap samples and random generator.
        kind: of the rows of `ours`.

    Returns:
        `pairs`, `matched_pairs`, `length_ratio`, and `rows`: by title `kind` (`kind` or trivial), `accuracy` (0 to 1),
        `ties`, `intervals` (95 %; None for pairs of one prompt, or ties alone; by Clopper and Pearson, over prompts, where
        all pairs are right or all are wrong), and `matched`, the same over pairs of similar length
        (empty without any).

    Raises:
        ValueError: a pair is not two rows of different scores (names the pair), or scores do not fit the rows.
    """
    chosen, rejected = _places(rows)
    words = np.array([len(row["story"].split()) for row in rows])
    longer, shorter = (pick(words[chosen], words[rejected]) for pick in (np.maximum, np.minimum))
    matched = longer < LENGTH_RATIO * np.maximum(shorter, 1)
    prompts = [str(rows[index].get("prompt") or rows[index]["pair"]) for index in chosen]
    _, codes = np.unique(prompts, return_inverse=True)
    trivial = trivial_scores([row["story"] for row in rows])
    by_kind: dict[str, Mapping[str, Any]] = {kind: ours, TRIVIAL: trivial}
    scores = {
        (row_kind, title): _checked(title, values, len(rows))
        for row_kind, by_title in by_kind.items()
        for title, values in by_title.items()
    }
    points = {key: (np.sign(array[chosen] - array[rejected]) + 1) / 2 for key, array in scores.items()}
    counts = _counts(int(codes.max()) + 1, draws, rng)
    table: dict[str, dict[str, Any]] = {}
    for (row_kind, title), won in points.items():
        overall = _accuracy(won, codes, counts)
        matched_result = _accuracy(won[matched], codes[matched], counts) if matched.any() else {}
        table[title] = {"kind": row_kind, **overall, "matched": matched_result}
    return {
        "pairs": len(chosen),
        "matched_pairs": int(matched.sum()),
        "length_ratio": LENGTH_RATIO,
        "rows": table,
    }


def _places(rows: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Row indices of each pair's preferred story, and of its other story."""
    by_pair: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        by_pair.setdefault(row["pair"], []).append(index)
    for pair, indices in by_pair.items():
        scores = [rows[index]["score"] for index in indices]
        if len(scores) != 2 or scores[0] == scores[1]:
            found = ", ".join(f"{score:g}" for score in scores)
            raise ValueError(f"pair {pair!r}: expected two stories of different scores, got {found}")
    ordered = [sorted(indices, key=lambda index: -rows[index]["score"]) for indices in by_pair.values()]
    return np.array([pair_rows[0] for pair_rows in ordered]), np.array(
        [pair_rows[1] for pair_rows in ordered]
    )


def _checked(title: str, values: Sequence[float], count: int) -> np.ndarray:
    """Scores as an array; those that differ only by rounding are made equal."""
    scores = np.asarray(values, dtype=float)
    if scores.shape != (count,) or not np.isfinite(scores).all():
        raise ValueError(f"{title}: expected {count} finite scores, one per story, got {len(scores)}")
    return merge_score_ties(scores)


def _counts(prompts: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """`(draws, prompts)`: how often each bootstrap sample contains each prompt."""
    counts = np.empty((draws, prompts), dtype=np.float32)
    for start in range(0, draws, _CHUNK):
        chunk = counts[start : start + _CHUNK]
        chunk[:] = rng.multinomial(prompts, np.full(prompts, 1 / prompts), size=len(chunk))
    return counts


def _accuracy(won: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    prompts = counts.shape[1]
    drawn_points = counts @ np.bincount(codes, won, prompts).astype(np.float32)
    drawn_pairs = counts @ np.bincount(codes, minlength=prompts).astype(np.float32)
    non_empty = drawn_pairs > 0
    ends, resampled = None, len(np.unique(codes))
    if resampled > 1:  # otherwise every sample is the whole set
        ends = np.quantile(drawn_points[non_empty] / drawn_pairs[non_empty], [0.025, 0.975]).tolist()
        if (won == won[0]).all():  # every sample has the same accuracy, which says nothing of other prompts
            edge = float(0.025 ** (1 / resampled))
            ends = {1.0: [edge, 1.0], 0.0: [0.0, 1 - edge]}.get(float(won[0]))
    return {
        "accuracy": float(won.mean()),
        "ties": float((won == 0.5).mean()),
        "intervals": {"accuracy": ends},
    }
