"""The test sets that the benchmark can run on: one entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.corpora.mans import read_mans
from openmeva.training.corpora.plot_guided_judgments import read_plot_guided_judgments, read_predictions
from openmeva.training.corpora.union_judgments import read_union_judgments
from openmeva.training.paths import ROOT

Rows = list[dict[str, Any]]
# Folders and files of the authors' releases, by corpus.
UNION_FOLDERS = {"roc": "ROCStories", "wp": "WritingPrompts"}
PREDICTIONS = {"roc": "Pred_advROC_roberta.txt", "wp": "Pred_advWP_longformer.txt"}


@dataclass(frozen=True)
class TestSet:
    """One test set.

    Attributes:
        name: as on the command line.
        title: as printed.
        corpus: `roc` or `wp`, which decides the configuration of the metrics.
        configuration: of `metrics/openmeva`.
        read: rows from the data folder (`None` where none was given); ValueError says what is missing.
        needs: what has to be there, for the message.
        options: of the benchmark's `compute`.
    """

    __test__ = False

    name: str
    title: str
    corpus: str
    configuration: str
    read: Callable[[Path | None], Rows]
    needs: str
    options: dict[str, Any]

    @property
    def judged(self) -> bool:
        """Whether it holds human judgments (else it is a part of AUTOS)."""
        return not self.configuration.startswith("autos_")


def _mans(corpus: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        built = ROOT / "datasets" / "mans" / f"{corpus}.parquet"
        if data is None and built.exists():
            return _parquet(built)
        return [dict(row) for row in read_mans(_folder(data, "mans"), corpus)]

    return read


def _union(corpus: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        folder = _folder(data, "union") / UNION_FOLDERS[corpus] / "ant_data"
        return [dict(row) for row in read_union_judgments(folder)]

    return read


def _plot_guided(corpus: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        folder = _folder(data, "plot_guided")
        predictions = folder / PREDICTIONS[corpus]
        order = list(read_predictions(predictions)) if predictions.exists() else None
        return [dict(row) for row in read_plot_guided_judgments(folder, corpus, order)]

    return read


def _autos(subset: str, split: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        path = ROOT / "datasets" / "autos" / subset / f"{split}.parquet"
        if not path.exists():
            raise ValueError(f"expected {path.relative_to(ROOT)}")
        return _parquet(path)

    return read


def _parquet(path: Path) -> Rows:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path).to_pylist()


def _folder(data: Path | None, name: str) -> Path:
    if data is None:
        raise ValueError("no data folder was given")
    return data / name


_AUTOS = [
    TestSet(
        name=f"autos_{subset}_{split}",
        title=f"AUTOS {subset}, {split} test",
        corpus="wp" if subset == "wp" else "roc",
        configuration=f"autos_{split}",
        read=_autos(subset, split),
        needs="datasets/autos (built by `make autos`; `mini` is part of the repository)",
        options={},
    )
    for subset in ("mini", "roc", "wp")
    for split in ("discrimination", "invariance")
]

TEST_SETS: dict[str, TestSet] = {
    one.name: one
    for one in (
        TestSet(
            "mans_roc", "MANS-ROC", "roc", "mans_roc", _mans("roc"), "DATA/mans/mans_roc.json", {},
        ),
        TestSet("mans_wp", "MANS-WP", "wp", "mans_wp", _mans("wp"), "DATA/mans/mans_wp.json", {}),
        TestSet(
            "union_roc",
            "UNION's 400",
            "roc",
            "judgments",
            _union("roc"),
            "DATA/union/ROCStories/ant_data/ant_data.txt",
            # The paper calls a story reasonable when all seven raters do, and lets it have several error
            # types.
            {"reasonable_above": 0.99, "one_error_only": False},
        ),
        TestSet(
            "plot_guided_roc",
            "Plot-guided 300",
            "roc",
            "judgments",
            _plot_guided("roc"),
            "DATA/plot_guided/AMT_ROC.CSV",
            {},
        ),
        TestSet(
            "union_wp",
            "UNION's WP stories",
            "wp",
            "judgments",
            _union("wp"),
            "DATA/union/WritingPrompts/ant_data/ant_data.txt",
            {"reasonable_above": 0.99, "one_error_only": False},
        ),
        TestSet(
            "plot_guided_wp",
            "Plot-guided WP stories",
            "wp",
            "judgments",
            _plot_guided("wp"),
            "DATA/plot_guided/AMT_WP.CSV",
            {},
        ),
        *_AUTOS,
    )
}  # fmt: skip
