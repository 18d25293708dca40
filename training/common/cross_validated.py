"""Scores of supervised metrics from cross-validation or tuning, which no module computes: one file per set and metric.

Trainers write them (`python -m training.bleurt.ratings cross-validate`). The benchmark shows them as rows of this
project if they belong to the same stories, references and ratings.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openmeva.training.files import write_text
from openmeva.training.paths import RUNS

FOLDER = RUNS / "cross_validated"
CROSS_VALIDATED = "cross-validated"


def stories_checksum(rows: Sequence[dict[str, Any]]) -> str:
    """SHA-256 of stories, references and judgments, in order."""
    content = [[row["story"], row.get("reference"), row["score"]] for row in rows]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def write_cross_validated(
    folder: Path,
    name: str,
    metric: str,
    title: str,
    rows: Sequence[dict[str, Any]],
    scores: Sequence[float],
    signature: str,
    how: str = CROSS_VALIDATED,
) -> Path:
    """Writes one score per row of the test set `name`; returns the file. The row's title shows `how` in brackets.

    Args:
        folder: to write to.
        name: of the test set.
        metric: its name.
        title: as the benchmark prints it.
        rows, scores: the set's rows, and their scores.
        signature: what the scores depend on.
        how: they were obtained.

    Raises:
        ValueError: the numbers of scores and rows differ.
    """
    if len(scores) != len(rows):
        raise ValueError(f"{title}: expected {len(rows)} scores, got {len(scores)}")
    label = title if how == CROSS_VALIDATED else f"{title} {how}"
    path = folder / f"{name}-{re.sub('[^a-z0-9]+', '-', label.lower())}.json"
    result = {
        "metric": metric,
        "title": title,
        "how": how,
        "stories": stories_checksum(rows),
        "signature": signature,
        "scores": list(scores),
    }
    write_text(path, json.dumps(result))
    return path


def cross_validated_scores(
    name: str, rows: Sequence[dict[str, Any]], folder: Path = FOLDER
) -> dict[str, dict[str, Any]]:
    """Maps titles to `scores`, `signature` and `metric` for a test set; empty if nothing was computed.

    Scores of other stories, references or judgments, and files of an earlier format, are skipped; they must be recomputed.
    """
    results = {}
    for path in sorted(folder.glob(f"{name}-*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        if result["stories"] == stories_checksum(rows) and "metric" in result:
            results[f"{result['title']} ({result.get('how', CROSS_VALIDATED)})"] = {
                "scores": result["scores"],
                "signature": result["signature"],
                "metric": result["metric"],
            }
    return results
