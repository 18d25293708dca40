"""The test sets of the benchmark, one entry per set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openmeva.training.judged.builder import mans_file
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.judged.story_cloze import exclude_seen
from openmeva.training.paths import find_output

PREFERENCES = "preferences"
SPLITS = ("discrimination", "invariance")  # of AUTOS
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class TestSet:
    """One test set.

    Attributes:
        name: as on the command line.
        title: as printed.
        corpus: `roc` or `wp`; selects the configuration of the metrics.
        configuration: of `metrics/openmeva`; `preferences` for pairs of stories.
        read: reads the rows from the data folder (`None` if none was given); a ValueError names what is missing.
        needs: the required files, for error messages.
        options: of the benchmark's `compute`.
        licence: of stories published by others; empty for the user's own stories and for AUTOS.
    """

    __test__ = False

    name: str
    title: str
    corpus: str
    configuration: str
    read: Callable[[Path | None], Rows]
    needs: str
    options: dict[str, Any]
    licence: str = ""

    @property
    def judged(self) -> bool:
        """Whether it holds human judgments (else it is a part of AUTOS)."""
        return not self.configuration.startswith("autos_")

    def is_available(self, data: Path | None) -> bool:
        """Whether its rows are available, in the data folder or where they are built."""
        try:
            return bool(self.read(data))
        except ValueError:
            return False

    @property
    def preferences(self) -> bool:
        """Whether the judgments only say which of two stories is better."""
        return self.configuration == PREFERENCES

    @property
    def rated(self) -> bool:
        """Whether people rated each of its stories by itself."""
        return self.judged and not self.preferences

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and highest possible rating, as in `metrics/openmeva`; None if unknown."""
        return (1.0, 5.0) if self.configuration.startswith("mans") else None


def _judged(name: str, part: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        own = find_output(mans_file(part, Path("datasets", "mans")))
        if name == "mans" and data is None and own.exists():
            return parquet_rows(own)
        if data is None:
            raise ValueError("no data folder was given")
        rows = JUDGED_SETS[name].parts[part].read(data / name)
        return [dict(row) for row in (exclude_seen(rows) if name == "storycloze" else rows)]

    return read


def _autos(subset: str, split: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        path = Path("datasets", "autos", subset, f"{split}.parquet")
        if not find_output(path).exists():
            raise ValueError(f"expected {path}")
        return parquet_rows(find_output(path))

    return read


def parquet_rows(path: Path) -> Rows:
    """The rows of a file, in order."""
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path).to_pylist()


def _judged_set(
    name: str,
    part: str,
    title: str,
    corpus: str,
    configuration: str = "judgments",
    options: dict[str, Any] | None = None,
) -> TestSet:
    """A part of a set of the catalogue, named after both; a part called `test` is named after the set alone."""
    judged = JUDGED_SETS[name]
    return TestSet(
        name=name if part == "test" else f"{name}_{part}",
        title=title,
        corpus=corpus,
        configuration=configuration,
        read=_judged(name, part),
        needs=f"DATA/{name}/{judged.parts[part].files[0]}",
        options=options or {},
        licence=judged.licence,
    )


def _further(name: str, parts: Iterable[str], configuration: str, corpus: str = "wp") -> Iterator[TestSet]:
    """Parts of a set of the catalogue, titled after set and part."""
    for part in parts:
        title = JUDGED_SETS[name].title + ("" if part == "test" else f" ({part.replace('_', ', ')})")
        yield _judged_set(name, part, title, "roc" if part.endswith("roc") else corpus, configuration)


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
    for split in SPLITS
]

# In the paper a story is reasonable if all seven raters call it so, and it may have several error types.
_UNION_OPTIONS = {"reasonable_above": 0.99, "one_error_only": False}

TEST_SETS: dict[str, TestSet] = {
    one.name: one
    for one in (
        *(_judged_set("mans", part, f"MANS-{part.upper()}", part, f"mans_{part}") for part in ("roc", "wp")),
        _judged_set("union", "roc", "UNION's 400", "roc", options=_UNION_OPTIONS),
        _judged_set("plot_guided", "roc", "Plot-guided 300", "roc"),
        _judged_set("union", "wp", "UNION's WP stories", "wp", options=_UNION_OPTIONS),
        _judged_set("plot_guided", "wp", "Plot-guided WP stories", "wp"),
        *_further("hanna", ["test"], "judgments"),
        *_further("deltascore", JUDGED_SETS["deltascore"].parts, "judgments"),
        *_further("storyer", ["wp", "scary", "aspects"], "judgments"),
        *_further("storyer", ["ranks"], PREFERENCES),
        *_further("storycloze", ["test"], PREFERENCES, "roc"),
        *_further("litbench", ["test"], PREFERENCES),
        *_AUTOS,
    )
}


def test_set(name: str) -> TestSet:
    """The test set of that name, or one of its rated criteria after a colon, such as `hanna:coherence`.

    Raises:
        ValueError: an unknown name (lists the known ones).
    """
    base, _, criterion = name.partition(":")
    if base not in TEST_SETS:
        raise ValueError(f"unknown test set {base}, expected any of {', '.join(TEST_SETS)}")
    base_set = TEST_SETS[base]
    if not criterion:
        return base_set
    return replace(
        base_set,
        name=name,
        title=f"{base_set.title}, {criterion.lower()}",
        read=lambda data: _by_criterion(base_set.read(data), criterion),
    )


test_set.__test__ = False  # type: ignore[attr-defined]


def _by_criterion(rows: Rows, criterion: str) -> Rows:
    """The rows rated on a criterion, with those ratings instead of the ratings over all criteria."""
    names = {name.lower(): name for row in rows for name in row.get("criteria", ())}
    if criterion.lower() not in names:
        expected = f"one of {', '.join(names)}" if names else "no criterion: its raters rated none separately"
        raise ValueError(f"unknown criterion {criterion!r}, expected {expected}")
    name = names[criterion.lower()]
    result = []
    for row in rows:
        if name in row["criteria"]:
            ratings = row.get("criterion_ratings", {}).get(name)
            without_ratings = (
                row if ratings else {key: row[key] for key in row if key not in ("ratings", "raters")}
            )
            single = {"ratings": ratings} if ratings else {}
            result.append({**without_ratings, **single, "score": row["criteria"][name]})
    return result
