"""How far to trust a metric's score: its correlation with human judgments, and how many of twelve pairs of stories it ranks
correctly.

Both are read from files that commands write: `spaces/leaderboard/results.json` (`spaces.leaderboard.collect`) and
`spaces/references/pairs.json` (`training.benchmark.probes.pairs --out`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.spaces.catalogue import CatalogueEntry, Number
from openmeva.spaces.distributions import FOLDER
from openmeva.spaces.texts import omitted_context
from openmeva.training.benchmark.results.titles import OURS
from openmeva.training.paths import RESULTS

PAIRS = FOLDER / "pairs.json"
_SETS = {"roc": "mans_roc", "wp": "mans_wp"}
_WORDS = ((0.5, "fair"), (0.3, "moderate"), (0.15, "weak"), (-2.0, "hardly any"))


@dataclass(frozen=True)
class Reliability:
    """The reliability of a metric's score.

    Attributes:
        correlation, interval, stories: Pearson correlation with mean human ratings, its 95 % interval, and the number of
            stories.
        ranked_correctly, pairs: number of pairs of a good and a damaged story that are ranked correctly (`None` where not measured),
            and number of pairs.
        difference: how the scores that were correlated differ from those on the page, as a sentence; blank where they do not.
    """

    correlation: float
    interval: tuple[float, float]
    stories: int
    ranked_correctly: int | None = None
    pairs: int = 0
    difference: str = ""

    @property
    def sentence(self) -> str:
        """The reliability in words."""
        word = next(text for least, text in _WORDS if self.correlation >= least)
        low, high = self.interval
        text = (
            f"Agreement with people: {word} (correlation {self.correlation:.2f}, {low:.2f} to {high:.2f}, on "
            f"{self.stories} machine-generated stories)."
        )
        if self.difference:
            text += f" {self.difference}"
        if self.ranked_correctly is not None:
            text += f" It ranks {self.ranked_correctly} of {self.pairs} pairs of a good and a damaged story correctly."
        return text


class ReliabilityTable:
    """The contents of both files, read once.

    Args:
        results: file written by `spaces.leaderboard.collect`.
        pairs: file written by `training.benchmark.probes.pairs --out`.
    """

    def __init__(self, results: Path = RESULTS, pairs: Path = PAIRS) -> None:
        judged = json.loads(results.read_text(encoding="utf-8"))["judged"]
        self._sets: dict[str, Any] = {corpus: judged.get(name) for corpus, name in _SETS.items()}
        self._pairs: Mapping[str, Any] = (
            json.loads(pairs.read_text(encoding="utf-8")) if pairs.is_file() else {}
        )

    def of(self, entry: CatalogueEntry, number: Number, corpus: str) -> Reliability | None:
        """The reliability of a metric's score on stories of a corpus; `None` where it was not measured."""
        judged_set, title = self._sets.get(corpus), row_title(entry, number)
        if not judged_set:
            return None
        row = next(
            (
                candidate
                for candidate in judged_set["rows"]
                if candidate["kind"] == OURS and candidate["title"] == title
            ),
            None,
        )
        if row is None or row["pearson"] is None:
            return None
        ranked = self._pairs.get("rows", {}).get(title) if corpus == "roc" else None
        return Reliability(
            row["pearson"],
            tuple(row["intervals"]["pearson"]),
            row.get("n", judged_set["n"]),
            None if ranked is None else sum(ranked.values()),
            self._pairs.get("pairs", 0),
            omitted_context(entry, corpus),
        )


def row_title(entry: CatalogueEntry, number: Number) -> str | None:
    """Title of the benchmark's row for a number: that of its key, or the metric's first row for its first number."""
    by_key = {key: title for title, key in entry.call.rows.items()}
    first = entry.numbers[0].key == number.key
    return by_key.get(number.key) or (next(iter(entry.call.rows), None) if first else None)
