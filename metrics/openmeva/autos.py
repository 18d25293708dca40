"""Discrimination and invariance tests on AUTOS (OpenMEVA sections 4.4 and 4.5, Tables 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.core.inputs import is_missing
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.comparison import correct_p_values
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate_part
from openmeva.metrics.openmeva.judged import is_single_number
from openmeva.metrics.openmeva.shared_samples import cached_sample

# The tests have thousands of stories and 18 cells; a thousand resamples fix an interval to the second digit.
MAX_DRAWS = 1000


def check_rows(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Checks the columns that the tests need, and returns the rows.

    These are `story_id`, `story`, `aspect`, `label`, and `perturbed_from` for perturbed stories.

    Raises:
        ValueError: no rows, a missing column, a cell of the wrong type, a label other than 0 or 1, a duplicate
            row (same id and aspect), or a perturbed row whose original is not among the rows. Names the rows.
    """
    rows = list(rows)
    if not rows:
        raise ValueError("references: expected rows of AUTOS, got none")
    seen: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(f"references, row {number}: expected a mapping, got {type(row).__name__}")
        for column in ("story_id", "story", "aspect"):
            if not isinstance(row.get(column), str):
                raise ValueError(
                    f"references, row {number}: expected a text in '{column}', got {row.get(column)!r:.60}"
                )
        label = row.get("label")
        if not is_single_number(label) or label not in (0, 1):
            raise ValueError(f"references, row {number}: expected label 0 or 1, got {label!r:.60}")
        key = (row["story_id"], row["aspect"])
        if key in seen:
            raise ValueError(
                f"references: story_id {key[0]!r} ({key[1]}) is in rows {seen[key]} and {number}"
            )
        seen[key] = number
    originals = {row["story_id"] for row in rows if row["label"] == 1}
    for number, row in enumerate(rows):
        if row["label"] == 1:
            continue
        original = row.get("perturbed_from")
        if not isinstance(original, str):
            raise ValueError(
                f"references, row {number}: expected a text in 'perturbed_from', got {original!r:.60}"
            )
        if original not in originals:
            raise ValueError(f"references, row {number}: no original {original!r} (label 1) among the rows")
    return rows


def aspect_tables(
    metric: np.ndarray, rows: Sequence[Mapping[str, Any]], draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Every cell of Table 6 or 7 for one metric, from rows checked by `check_rows`.

    The label is 1 for an original and 0 for a perturbed story. In the discrimination test a high correlation
    is good, in the invariance test one near 0. In addition to the paper's Pearson, a cell has the other coefficients,
    `auc` (probability that an original scores above a perturbed story, ties half) and `pair_wins` (share of
    perturbed stories that score below their own original, ties half; of several rows of an original, that of
    the same aspect counts) with `pair_wins_p_value` (see `sign_test`).

    Returns:
        `aspects`: maps aspect, then origin (human, discrimination), to a cell: coefficients, `p_values`, `intervals`,
        `n`, `originals`, `perturbed`, `auc`, `pair_wins`, `pair_wins_p_value`, and `techniques` with the same,
        without `intervals`, for each technique; `average`: mean Pearson over the cells, and mean absolute Pearson;
        `p_values`: those of the cells' sign tests, corrected (a correlation's own assumes independent rows, but a
        perturbed story is paired with its original); `draws`.
    """
    draws = min(draws, MAX_DRAWS)
    originals = _original_scores(metric, rows)
    cells: dict[str, dict[str, Any]] = {}
    p_values: dict[str, float] = {}
    groups: dict[tuple[str, str], list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault((row["aspect"], column_text(row, "origin") or "human"), []).append(number)
    for (aspect, origin), indices in groups.items():
        chosen = [rows[index] for index in indices]
        cell = _cell(metric[indices], chosen, originals[indices], draws, rng)
        techniques = sorted({column_text(row, "technique") for row in chosen if row["label"] == 0} - {""})
        cell["techniques"] = {}
        for name in techniques:
            keep = [
                k
                for k, row in enumerate(chosen)
                if row["label"] == 1 or column_text(row, "technique") == name
            ]
            cell["techniques"][name] = _cell(
                metric[indices][keep], [chosen[k] for k in keep], originals[indices][keep], 0, rng
            )
        cells.setdefault(aspect, {})[origin] = cell
        if "undefined" not in cell:
            p_values[f"{aspect} / {origin}"] = cell["pair_wins_p_value"]
    pearsons = [
        cell["pearson"] for origins in cells.values() for cell in origins.values() if "pearson" in cell
    ]
    return {
        "aspects": cells,
        "average": {
            "pearson": float(np.mean(pearsons)) if pearsons else None,
            "absolute_pearson": float(np.mean(np.abs(pearsons))) if pearsons else None,
        },
        "p_values": correct_p_values(p_values),
        "draws": draws,
    }


def column_text(row: Mapping[str, Any], column: str) -> str:
    """The value of a column in a row as text; empty where it is missing or pandas' NaN."""
    value = row.get(column)
    return "" if is_missing(value) else str(value)


def auc(originals: np.ndarray, perturbed: np.ndarray) -> float:
    """Probability that an original scores above a perturbed story, ties counting half, in 0..1.

    >>> auc(np.array([2.0, 3.0]), np.array([1.0, 3.0]))
    0.625
    """
    wins = stats.mannwhitneyu(originals, perturbed, method="asymptotic").statistic
    return float(wins / (len(originals) * len(perturbed)))


def sign_test(gains: np.ndarray, families: Sequence[str]) -> float:
    """Two-sided p-value of the exact sign test: whether perturbed stories score above their originals as often as below.

    Unlike an interval of Pearson's correlation, it is exact for any number of pairs: with fewer than six it is never below
    .05. The pairs of one family count once, by the majority of their signs; ties are left out.

    Args:
        gains: `(n,)`, score of each original minus that of its perturbed story.
        families: the story that each pair derives from.

    >>> sign_test(np.array([1.0, 2.0, 1.0, 0.5, 3.0]), list("abcde"))
    0.0625
    """
    sums: dict[str, float] = {}
    for gain, family in zip(np.sign(gains), families, strict=True):
        sums[family] = sums.get(family, 0.0) + float(gain)
    above, below = (sum(sign * value > 0 for value in sums.values()) for sign in (1, -1))
    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0


def _original_scores(metric: np.ndarray, rows: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """`(n,)` float: the score of each perturbed story's original, NaN for the originals.

    An original may have a row in several aspects, whose scores may differ. The row of the perturbed story's aspect
    counts, or the last one if that aspect does not select the original.
    """
    by_aspect: dict[tuple[str, str], float] = {}
    by_id: dict[str, float] = {}
    for row, score in zip(rows, metric, strict=True):
        if row["label"] == 1:
            by_aspect[row["aspect"], row["story_id"]] = by_id[row["story_id"]] = float(score)
    scores = [
        by_aspect.get((row["aspect"], row["perturbed_from"]), by_id[row["perturbed_from"]])
        if row["label"] == 0
        else np.nan
        for row in rows
    ]
    return np.array(scores)


def _cell(
    metric: np.ndarray,
    rows: Sequence[Mapping[str, Any]],
    originals: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    labels = np.array([float(row["label"]) for row in rows])
    cell: dict[str, Any] = correlate_part(metric, labels)
    cell["originals"], cell["perturbed"] = int(labels.sum()), int((1 - labels).sum())
    if not cell["originals"] or not cell["perturbed"]:
        return cell
    cell["auc"] = auc(metric[labels == 1], metric[labels == 0])
    own, perturbed = originals[labels == 0], metric[labels == 0]
    cell["pair_wins"] = float(np.mean((own > perturbed) + (own == perturbed) / 2))
    families = [_family(row) for row in rows]
    pairs = [family for family, label in zip(families, labels, strict=True) if label == 0]
    cell["pair_wins_p_value"] = sign_test(own - perturbed, pairs)
    if draws and "undefined" not in cell:
        bootstrap = cached_sample(PromptBootstrap, labels, np.array(families), draws, rng=rng)
        cell["intervals"] = intervals(bootstrap.correlations(metric))
    return cell


def _family(row: Mapping[str, Any]) -> str:
    """The story that a row and its original derive from; rows of one story are resampled together.

    An original that is itself perturbed has an id of its story and an aspect: `17/consistency`.
    """
    name = str(row["story_id"] if row["label"] == 1 else row["perturbed_from"])
    return (name.rpartition("/")[0] or name) if column_text(row, "origin") == "discrimination" else name


def overall_correlation(
    metric: np.ndarray, rows: Sequence[Mapping[str, Any]], draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    """The correlation with the label over all rows; an original counts once for each of its aspects.

    Raises:
        ValueError: the correlation is undefined (no perturbed story, or fewer than three rows).
    """
    cell = _cell(metric, rows, _original_scores(metric, rows), min(draws, MAX_DRAWS), rng)
    if "undefined" in cell:
        raise ValueError(f"correlation undefined: {cell['undefined']}")
    return {key: cell[key] for key in (*COEFFICIENTS, "p_values", "intervals", "n", "auc")}
