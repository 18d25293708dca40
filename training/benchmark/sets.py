"""The test sets that the benchmark can run on: one entry each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.judged.builder import mans_file
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.paths import ROOT

Rows = list[dict[str, Any]]


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


def _judged(name: str, part: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        built = mans_file(part)
        if name == "mans" and data is None and built.exists():
            return _parquet(built)
        if data is None:
            raise ValueError("no data folder was given")
        return [dict(row) for row in JUDGED_SETS[name].parts[part].read(data / name)]

    return read


def _needs(name: str, part: str) -> str:
    return f"DATA/{name}/{JUDGED_SETS[name].parts[part].files[0]}"


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
            "mans_roc", "MANS-ROC", "roc", "mans_roc", _judged("mans", "roc"), _needs("mans", "roc"), {},
        ),
        TestSet("mans_wp", "MANS-WP", "wp", "mans_wp", _judged("mans", "wp"), _needs("mans", "wp"), {}),
        TestSet(
            "union_roc",
            "UNION's 400",
            "roc",
            "judgments",
            _judged("union", "roc"),
            _needs("union", "roc"),
            # The paper calls a story reasonable when all seven raters do, and lets it have several error
            # types.
            {"reasonable_above": 0.99, "one_error_only": False},
        ),
        TestSet(
            "plot_guided_roc",
            "Plot-guided 300",
            "roc",
            "judgments",
            _judged("plot_guided", "roc"),
            _needs("plot_guided", "roc"),
            {},
        ),
        TestSet(
            "union_wp",
            "UNION's WP stories",
            "wp",
            "judgments",
            _judged("union", "wp"),
            _needs("union", "wp"),
            {"reasonable_above": 0.99, "one_error_only": False},
        ),
        TestSet(
            "plot_guided_wp",
            "Plot-guided WP stories",
            "wp",
            "judgments",
            _judged("plot_guided", "wp"),
            _needs("plot_guided", "wp"),
            {},
        ),
        *_AUTOS,
    )
}  # fmt: skip
