"""The cells of plot-guided's tables: a model trained on a training set, and its correlation with human judgments."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau, spearmanr

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.rows import sample_groups
from openmeva.training.classifier.trainer import train_classifier
from openmeva.training.common.config import as_mapping
from openmeva.training.common.cross_validated import stories_checksum
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.files import checksum, write_rows, write_text
from openmeva.training.negatives.groups import ERROR_TYPE_OF_MANIPULATION, GroupRow, read_groups
from openmeva.training.paths import CACHE
from openmeva.training.sentavg.model import SentAvgTrainer
from openmeva.training.union.config import UnionConfig
from openmeva.training.union.trainer import train as train_union

Scorer = Callable[[Sequence[str]], Sequence[float]]
SENTAVG, FT_LM, UNION = "SENTAVG", "FT_LM", "UNION"


@dataclass(frozen=True)
class Cell:
    """Two coefficients and the number of stories. FT_LM trains on nine tenths or more; the rest is held out."""

    spearman: float
    kendall: float
    stories: int


def correlate(scorer: Scorer, test: str, data: Path) -> tuple[float, float]:
    """Spearman and Kendall correlation with the mean ratings of a test set's stories, in ROC with their contexts."""
    scores, ratings = scores_and_ratings(scorer, test, data)
    return float(spearmanr(scores, ratings)[0]), float(kendalltau(scores, ratings)[0])


def result_key(test: str, data: Path) -> str:
    """The key of a finished result on a judged set: the set's name and a checksum of its stories and ratings."""
    return f"{test}-{stories_checksum(TEST_SETS[test].read(data))[:12]}"


def scores_and_ratings(scorer: Scorer, test: str, data: Path) -> tuple[list[float], list[float]]:
    """Scores of a test set's stories (in ROC with their contexts) and the stories' mean ratings."""
    test_set = TEST_SETS[test]
    rows = test_set.read(data)
    texts = [
        f"{row['prompt']} {row['story']}" if test_set.corpus == "roc" and row.get("prompt") else row["story"]
        for row in rows
    ]
    return list(scorer(texts)), [float(np.mean(row["score"])) for row in rows]


def without_manipulation(sets: Path, corpus: str, kind: str) -> list[GroupRow]:
    """MANPLTS without one manipulation: each story's first candidate that the manipulation did not touch.

    Args:
        sets: folder of the stages' files: `CORPUS/negatives.parquet` and `CORPUS/sets/manplts.parquet`.
        corpus: `roc` or `wp`.
        kind: error type that the manipulation makes (a value of `ERROR_TYPE_OF_MANIPULATION`).

    Raises:
        ValueError: all candidates of a story have the same manipulations, so that none could replace another.
    """
    human = {row.group: row for row in read_groups(manplts_file(sets, corpus)) if row.label}
    chosen: dict[str, GroupRow] = {}
    candidates = list(read_groups(candidates_file(sets, corpus)))
    varieties = {(row.group, *sorted(row.error_types or ())) for row in candidates}
    if len(varieties) == len({row.group for row in candidates}) < len(candidates):
        raise ValueError(
            f"{candidates_file(sets, corpus)}: expected different manipulations in a story's candidates, got the same in "
            "all, as with `same_plot`: use --regenerate"
        )
    for row in candidates:
        if row.group in human and kind not in (row.error_types or ()):
            chosen.setdefault(row.group, replace(row, split=human[row.group].split))
    return [row for group, negative in chosen.items() for row in (human[group], negative)]


def regenerated_file(sets: Path, corpus: str, kind: str) -> Path:
    """MANPLTS regenerated without the manipulation that makes one error type (`training_sets --without`)."""
    name = next(name for name, error_type in ERROR_TYPE_OF_MANIPULATION.items() if error_type == kind)
    return manplts_file(sets, f"{corpus}-without-{name}")


def manplts_file(sets: Path, corpus: str) -> Path:
    """The training set MANPLTS of a corpus."""
    return sets / corpus / "sets" / "manplts.parquet"


def candidates_file(sets: Path, corpus: str) -> Path:
    """All stories of a corpus that were generated from manipulated plots."""
    return sets / corpus / "negatives.parquet"


class Cells:
    """Trains models on training sets and evaluates them on test sets, once each.

    Args:
        base: configuration of the classifier (`training/classifier`).
        stories: maximum number of stories of a training set.
        sets: folder of the training sets: `CORPUS/sets/NAME.parquet` (`training/plot_guided/training_sets.py`).
        data: folder of the judgments.
        out: folder of finished cells.
        union: configuration of UNION's model, for its row of Table 5.
        regenerated: whether stories without one manipulation were regenerated; otherwise MANPLTS' other candidates are used.
        glove: file of GloVe's word vectors, for SENTAVG as in the paper; default: the shared encoder's word embeddings.
    """

    def __init__(
        self,
        base: ClassifierConfig,
        stories: int,
        sets: Path,
        data: Path,
        out: Path,
        union: UnionConfig,
        regenerated: bool = False,
        glove: Path | None = None,
    ) -> None:
        self.base, self.stories, self.sets, self.data, self.out = base, stories, sets, data, out
        self.union, self.regenerated, self.glove = union, regenerated, glove

    def __call__(self, name: str, corpus: str, model: str, test: str, without: str | None = None) -> Cell:
        """The cell of `model` (SENTAVG, FT_LM or UNION) trained on a set, if given without one error type.

        A model trained for one test set is kept, and evaluated on another without training.

        Raises:
            ValueError: an earlier stage's file is missing, or no rows are left to train on.
        """
        path, rows = self._set(name, corpus, without)
        key: dict[str, Any] = {
            "set": checksum(path),
            "stories": self.stories,
            "without": without,
            "base": as_mapping(self.union if model == UNION else self.base),
        }
        if model == SENTAVG and self.glove:
            key["glove"] = checksum(self.glove)
        parts = [corpus, name, model, *([without] if without else [])]
        cell = self.out / "-".join([*parts, "anew"] if without and self.regenerated else parts)
        result_file = cell / "cell.json"
        saved = json.loads(result_file.read_text(encoding="utf-8")) if result_file.is_file() else {}
        tests = saved["tests"] if saved.get("key") == key else {}
        test_key = result_key(test, self.data)
        if test_key not in tests:
            if not tests:
                result_file.unlink(missing_ok=True)  # from other weights than the coming ones
            if model == UNION:
                scorer = self._union(rows, corpus, cell, bool(tests))
            else:
                scorer = self._scorer(rows, model, cell, bool(tests))
            tests[test_key] = correlate(scorer, test, self.data)
            write_text(result_file, json.dumps({"key": key, "tests": tests}, indent=2) + "\n")
        spearman, kendall = tests[test_key]
        return Cell(spearman, kendall, len(rows))

    def _set(self, name: str, corpus: str, without: str | None) -> tuple[Path, list[GroupRow]]:
        """The file of a training set, and its rows within the budget."""
        if without and not self.regenerated:
            return candidates_file(self.sets, corpus), self._rows_without(corpus, without)
        path = self.sets / corpus / "sets" / f"{name.lower()}.parquet"
        if without:
            path = regenerated_file(self.sets, corpus, without)
        return path, self._rows(path)

    def _rows(self, path: Path) -> list[GroupRow]:
        return self._within_budget(read_groups(path), path)

    def _rows_without(self, corpus: str, kind: str) -> list[GroupRow]:
        rows = without_manipulation(self.sets, corpus, kind)
        return self._within_budget(rows, candidates_file(self.sets, corpus))

    def _within_budget(self, rows: list[GroupRow], path: Path) -> list[GroupRow]:
        rows = [row for row in rows if row.split in ("", "train")]
        negatives = {row.group for row in rows if row.label == 0}
        rows = [row for row in rows if row.group in negatives]
        if not self.base.delexicalize and any(name in row.story for row in rows for name in PLACEHOLDERS):
            raise ValueError(
                f"{path}: expected names as they are, as {self.base.name} reads them, got placeholders: "
                "use --sets with training sets of a configuration that has `delexicalize: false`"
            )
        if not rows:
            raise ValueError(f"{path}: expected negative samples, got none")
        return sample_groups(rows, max(1, len(negatives) * self.stories // len(rows)), self.base.seed)

    def _scorer(self, rows: list[GroupRow], model: str, cell: Path, trained: bool) -> Scorer:
        """The model; not trained again if its weights are in `cell`."""
        if model == SENTAVG:
            stories = [row.story for row in rows]
            sentavg = SentAvgTrainer.on_glove(self.glove, stories) if self.glove else SentAvgTrainer()
            sentavg.fit(stories, [row.label for row in rows])
            return sentavg
        if not trained:
            groups = sorted({row.group for row in rows})
            held_out = set(groups[:: max(10, len(groups) // 100)])
            train_classifier(
                self.base,
                [row for row in rows if row.group not in held_out],
                [row for row in rows if row.group in held_out],
                cell,
                cell / "run",
                {"data": {}},
            )
        scorer = ClassifierScorer(load_checkpoint(cell, self.base.metric))
        return lambda texts: scorer.score(texts, None)[0]

    def _union(self, rows: list[GroupRow], corpus: str, cell: Path, trained: bool) -> Scorer:
        """UNION's own model, trained on the human stories of the set; it makes its own negatives."""
        human_stories = [row.story for row in rows if row.label]
        if not trained:
            write_rows(cell / "stories.jsonl", ({"story": story} for story in human_stories))
            corpus_config = CorpusConfig(
                train=("stories.jsonl",), context="first_sentence" if corpus == "roc" else "prompt"
            )
            config = replace(
                self.union,
                name=cell.name,
                corpus=corpus_config,
                sampling=replace(self.union.sampling, keep=int(corpus == "roc")),
                pairs=len(human_stories),
            )
            train_union(config, cell, cell, cell / "run", CACHE / "tags")
        scorer = UnionScorer(load_checkpoint(cell, "union"))
        return lambda texts: scorer.score(texts, None)[0]
