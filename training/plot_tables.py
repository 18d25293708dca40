"""Training sets against correlation, in the layouts of plot-guided's tables 5, 6 and 7, at a small named budget.

    python -m training.plot_tables --data DIR                  # table 5: five training sets, two models
    python -m training.plot_tables --data DIR --table 6        # trained on one corpus, judged on the other
    python -m training.plot_tables --data DIR --table 7        # without one manipulation at a time

Each cell is trained on `--stories` stories (10,000 unless told) of a training set that an earlier stage wrote to
`--sets`, and correlated (Spearman, Kendall) with people's judgments of the 300 plot-guided ROC stories; judgments
of WP stories were not released, so MANS-WP stands in for them in table 6. A finished cell is not trained again.
"""

import argparse
import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.console import Console
from rich.table import Table
from scipy.stats import kendalltau, spearmanr

from metrics.classifier_scoring import ClassifierScorer
from metrics.encoder import load_checkpoint
from training.benchmark.sets import TEST_SETS
from training.classifier import train_classifier
from training.encoder import ROOT
from training.files import checksum, write_text
from training.plot_coherence import at_most
from training.sentavg import SentAvgScorer
from training.training_groups import GroupRow, read_groups

# Published Spearman and Kendall on ROC: (SENTAVG, fine-tuned RoBERTa); tables 5, 6 (ROC -> WP, WP -> ROC), 7 (WP)
TABLE_5 = {
    "HEUR_SENT_SUB": ((0.04, 0.03), (0.10, 0.07)),
    "HEUR_KEY_SUB": ((-0.04, -0.03), (0.31, 0.22)),
    "UNION_DATA": ((0.11, 0.08), (0.46, 0.34)),
    "MANPLTS": ((0.24, 0.16), (0.50, 0.37)),
    "AF_MANPLTS": ((0.22, 0.16), (0.56, 0.41)),
}
TABLE_6 = {
    "UNION_DATA": ((0.17, 0.15), (0.12, 0.07)),
    "MANPLTS": ((0.57, 0.39), (0.23, 0.16)),
    "AF_MANPLTS": ((0.60, 0.42), (0.26, 0.18)),
}
TABLE_7 = {
    "repetition": (0.67, 0.43),
    "contradiction": (0.69, 0.45),
    "wrong_order": (0.65, 0.42),
    "off_topic": (0.68, 0.45),
}
Scorer = Callable[[Sequence[str]], Sequence[float]]


def correlate(scorer: Scorer, test: str, data: Path) -> tuple[float, float]:
    """Spearman's and Kendall's coefficient with the mean ratings of a test set's stories, contexts joined in ROC."""
    one = TEST_SETS[test]
    rows = one.read(data)
    texts = [
        f"{row['prompt']} {row['story']}" if one.corpus == "roc" and row.get("prompt") else row["story"]
        for row in rows
    ]
    scores = scorer(texts)
    ratings = [float(np.mean(row["score"])) for row in rows]
    return float(spearmanr(scores, ratings)[0]), float(kendalltau(scores, ratings)[0])


class Cells:
    """Trains and judges models on training sets, once each.

    Args:
        base: configuration of the classifier (`training/classifier.py`).
        stories: of a training set, at most so many.
        sets: folder of the training sets: `CORPUS/sets/NAME.parquet` (`training/plot_training_sets.py`).
        data: folder of the judgments.
        out: where finished cells lie.
    """

    def __init__(self, base: dict[str, Any], stories: int, sets: Path, data: Path, out: Path) -> None:
        self.base, self.stories, self.sets, self.data, self.out = base, stories, sets, data, out

    def __call__(
        self, name: str, corpus: str, model: str, test: str, without: str | None = None
    ) -> tuple[float, float]:
        """Spearman and Kendall of `model` (SENTAVG or FT_LM) trained on a set; stories of kind `without` left out."""
        path = self.sets / corpus / "sets" / f"{name.lower()}.parquet"
        rows = self._rows(path, without)
        key = {
            "set": checksum(path),
            "stories": self.stories,
            "without": without,
            "base": self.base,
            "test": test,
        }
        cell = self.out / "-".join([corpus, name, model, test, *([without] if without else [])])
        kept = cell / "cell.json"
        if kept.is_file():
            found = json.loads(kept.read_text(encoding="utf-8"))
            if found["key"] == key:
                return found["spearman"], found["kendall"]
        spearman, kendall = correlate(self._train(rows, model, cell), test, self.data)
        write_text(kept, json.dumps({"key": key, "spearman": spearman, "kendall": kendall}, indent=2) + "\n")
        return spearman, kendall

    def _rows(self, path: Path, without: str | None) -> list[GroupRow]:
        rows = [
            row
            for row in read_groups(path)
            if row.split in ("", "train") and (without is None or without not in row.kinds)
        ]
        negatives = {row.group for row in rows if row.label == 0}
        rows = [row for row in rows if row.group in negatives]
        if not rows:
            raise ValueError(f"{path}: expected stories that are no human ones, got none")
        groups = len(negatives)
        return at_most(rows, max(1, groups * self.stories // len(rows)), self.base["seed"])

    def _train(self, rows: list[GroupRow], model: str, cell: Path) -> Scorer:
        if model == "SENTAVG":
            sentavg = SentAvgScorer()
            sentavg.fit([row.story for row in rows], [row.label for row in rows])
            return sentavg
        config = copy.deepcopy(self.base)
        groups = sorted({row.group for row in rows})
        held = set(groups[:: max(2, len(groups) // 100)])
        train_classifier(
            config,
            [row for row in rows if row.group not in held],
            [row for row in rows if row.group in held],
            cell,
            cell / "run",
            {"data": {}},
        )
        scorer = ClassifierScorer(load_checkpoint(cell, config["metric"]))
        return lambda texts: scorer.score(texts, None)[0]


def _cell(found: tuple[float, float] | str, published: tuple[float, float]) -> list[str]:
    if isinstance(found, str):
        return [found, ""]
    return [f"{value:.2f} ({paper:.2f})" for value, paper in zip(found, published, strict=True)]


def table_5(cells: Cells) -> Table:
    """Training sets by model, on the ROC stories."""
    table = Table(title=f"Table 5, ROC: {cells.stories:,} stories a cell (the paper's figure)")
    for heading in ("training set", "model", "Spearman", "Kendall"):
        table.add_column(heading)
    for name, published in TABLE_5.items():
        for model, paper in zip(("SENTAVG", "FT_LM"), published, strict=True):
            table.add_row(name, model, *_cell(_try(cells, name, "roc", model, "plot_guided_roc"), paper))
    return table


def table_6(cells: Cells) -> Table:
    """Trained on one corpus, judged on the other."""
    table = Table(
        title=f"Table 6: {cells.stories:,} stories a cell; MANS-WP stands in for the paper's WP judgments"
    )
    for heading in ("training set", "ROC -> WP: Spearman", "Kendall", "WP -> ROC: Spearman", "Kendall"):
        table.add_column(heading)
    for name, (there, back) in TABLE_6.items():
        table.add_row(
            name,
            *_cell(_try(cells, name, "roc", "FT_LM", "mans_wp"), there),
            *_cell(_try(cells, name, "wp", "FT_LM", "plot_guided_roc"), back),
        )
    return table


def table_7(cells: Cells) -> Table:
    """Stories written from broken plots, those that one manipulation touched left out, on the ROC stories."""
    table = Table(title=f"Table 7, on ROC: {cells.stories:,} stories a cell (the paper's figure is of WP)")
    for heading in ("MANPLTS without", "Spearman", "Kendall"):
        table.add_column(heading)
    for manipulation, published in TABLE_7.items():
        found = _try(cells, "MANPLTS", "roc", "FT_LM", "plot_guided_roc", manipulation)
        table.add_row(manipulation, *_cell(found, published))
    return table


def _try(cells: Cells, *arguments: str) -> tuple[float, float] | str:
    """A cell, or why there is none."""
    try:
        return cells(*arguments)
    except ValueError as error:
        return f"- ({error})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with plot_guided/ and mans/")
    parser.add_argument("--table", type=int, choices=(5, 6, 7), default=5)
    parser.add_argument("--stories", type=int, default=10_000, help="of a training set (default: 10,000)")
    parser.add_argument("--sets", type=Path, default=ROOT / "runs" / "plots")
    parser.add_argument(
        "--config", type=Path, default=ROOT / "training" / "configs" / "plot_coherence_tables.yaml"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "plot-tables")
    arguments = parser.parse_args()
    base = yaml.safe_load(arguments.config.read_text(encoding="utf-8"))
    cells = Cells(base, arguments.stories, arguments.sets, arguments.data, arguments.out)
    Console().print({5: table_5, 6: table_6, 7: table_7}[arguments.table](cells))


if __name__ == "__main__":
    main()
