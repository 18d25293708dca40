"""The test sets of the benchmark, one entry per set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openmeva.metrics.core.rows import parquet_rows
from openmeva.training.judged.builder import mans_file
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.judged.story_cloze import exclude_seen
from openmeva.training.paths import find_output

PREFERENCES = "preferences"
SPLITS = ("discrimination", "invariance")  # of AUTOS
Rows = list[dict[str, Any]]


def always_available(data: Path | None) -> bool:
    """For a set that is read already."""
    return True


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
        is_available: whether its files are in the data folder, or where they are built; they may be damaged.
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
    is_available: Callable[[Path | None], bool] = always_available

    @property
    def judged(self) -> bool:
        """Whether it holds human judgments (else it is a part of AUTOS)."""
        return not self.configuration.startswith("autos_")

    @property
    def test(self) -> str:
        """Which of the two tests a part of AUTOS is for, one of `SPLITS`; empty for other sets."""
        return "" if self.judged else self.configuration.removeprefix("autos_")

    def autos_header(self, count: int) -> dict[str, Any]:
        """What the results on `count` rows of a part of AUTOS say of the part."""
        return {"title": self.title, "corpus": self.corpus, "test": self.test, "n": count}

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


def read_set(test_set: TestSet, data: Path | None, is_named: bool) -> Rows | None:
    """The rows of a set; None if its files are absent and the user did not name the set.

    Raises:
        ValueError: the files are damaged, or absent although the set was named.
    """
    if not is_named and not test_set.is_available(data):
        return None
    try:
        return test_set.read(data)
    except (ValueError, OSError) as error:
        raise ValueError(f"{test_set.title}: needs {test_set.needs} ({error})") from error


def _built_mans(name: str, part: str, data: Path | None) -> Path | None:
    """MANS as built by the user, which is read if no data folder was given."""
    built = (
        find_output(mans_file(part, Path("datasets", "mans"))) if name == "mans" and data is None else None
    )
    return built if built is not None and built.exists() else None


def _judged(name: str, part: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        if built := _built_mans(name, part, data):
            return read_parquet(built)
        if data is None:
            advice = "build it by `openmeva judged mans --out datasets/mans`, or " if name == "mans" else ""
            raise ValueError(f"no data folder was given: {advice}give --data FOLDER with {name}/")
        rows = JUDGED_SETS[name].parts[part].read(data / name)
        return [dict(row) for row in (exclude_seen(rows) if name == "storycloze" else rows)]

    return read


def _judged_is_available(name: str, part: str) -> Callable[[Path | None], bool]:
    def is_available(data: Path | None) -> bool:
        if data is None:
            return _built_mans(name, part, data) is not None
        return JUDGED_SETS[name].parts[part].is_in(data / name)

    return is_available


def _autos(subset: str, split: str) -> Callable[[Path | None], Rows]:
    def read(data: Path | None) -> Rows:
        path = _autos_file(subset, split)
        if not find_output(path).exists():
            raise ValueError(f"expected {path}")
        return read_parquet(find_output(path))

    return read


def _autos_is_available(subset: str, split: str) -> Callable[[Path | None], bool]:
    return lambda _: find_output(_autos_file(subset, split)).exists()


def _autos_file(subset: str, split: str) -> Path:
    return Path("datasets", "autos", subset, f"{split}.parquet")


def read_parquet(path: Path) -> Rows:
    """The rows of a file, in order.

    Raises:
        OSError: no such file.
        ValueError: a damaged file.
    """
    with path.open("rb") as content:
        return [row.values for row in parquet_rows(content, str(path))]


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
        is_available=_judged_is_available(name, part),
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
        is_available=_autos_is_available(subset, split),
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


def own_references(rows: Sequence[Mapping[str, Any]]) -> int:
    """The number of stories that are their own reference, as the human-written ones of a set with a story for each prompt.

    >>> own_references([{"story": "He ran .", "reference": "He  ran ."}, {"story": "He ran."}])
    1
    """
    return sum("reference" in row and row["story"].split() == str(row["reference"]).split() for row in rows)


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
