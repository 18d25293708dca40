"""Evaluate a user's own metric against human judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.autos import aspect_tables, check_rows
from openmeva.metrics.openmeva.trivial import TRIVIAL_BASELINES, trivial_scores
from openmeva.training.benchmark.aspect_means import aspect_means
from openmeva.training.benchmark.command import BenchmarkOptions, requested_sets
from openmeva.training.benchmark.own.measure import Sampling, judge_set
from openmeva.training.benchmark.own.metric import (
    OwnMetric,
    Scores,
    metric_from_file,
    metric_from_function,
    metric_from_function_name,
    metric_from_module,
)
from openmeva.training.benchmark.own.report import Report
from openmeva.training.benchmark.own.scored import ScoredSet
from openmeva.training.benchmark.paired import metric_scores
from openmeva.training.benchmark.preferences import preference_table
from openmeva.training.benchmark.registry import ALL, read_registry, select_entries
from openmeva.training.benchmark.released import released_scores
from openmeva.training.benchmark.sampling import sample_stories
from openmeva.training.benchmark.scores import SCORES_CACHE, check_cache
from openmeva.training.benchmark.sets import TestSet
from openmeva.training.benchmark.tables import read_published
from openmeva.training.files import kind_of

MetricSource = str | Path | Callable[..., Any] | OwnMetric
Rows = list[dict[str, Any]]


def judge(
    metric: MetricSource | Sequence[MetricSource] = (),
    sets: str | Sequence[str] | None = None,
    *,
    scores: str | Path | Sequence[str | Path] = (),
    judged: str | Path | Sequence[str | Path] = (),
    autos: str | Path | Sequence[str | Path] = (),
    data: str | Path | None = None,
    corpus: str = "roc",
    lower_is_better: str | Sequence[str] = (),
    compare_with: str | Sequence[str] = (),
    draws: int = 10_000,
    seed: int = 0,
    autos_stories: int = 0,
    pairs: int = 0,
    say: Callable[[str], None] | None = None,
) -> Report:
    """Measures how closely your own metric follows human judgments, and which damage it notices.

    An argument that takes several values also takes a single one.

    Args:
        metric: one or several of: a function `list[str] -> list[float]`, which may take `contexts` and `references`; its
            name, `module:function`; a file of scores, as in `scores`; or the name or folder of an evaluate module.
        sets: names of test sets, such as `mans_roc` or `autos_mini_discrimination`. Default: all that are available, or
            none if `judged` or `autos` is given.
        scores: files of scores of any name: `mine.csv`, or `mans_roc=mine.csv` if there are several sets.
        judged: files of your own judged stories: `story` with `ratings` or `score`.
        autos: folders of AUTOS of your own stories, as built by `openmeva autos`.
        data: folder of the papers' data (`mans/`, `union/`, …).
        corpus: `roc` or `wp`: selects the configurations of `compare_with` that score `judged`.
        lower_is_better: titles of scores where lower is better, or `all`.
        compare_with: metrics of this project to score on the same stories, such as `union`.
        draws, seed: number of bootstrap samples of prompts (100 or more) and random seed. Permutation tests have at
            least as many resamples as `n_resamples` returns.
        autos_stories: original stories per part of AUTOS; 0 for all. A set with a file of scores is never sampled.
        pairs: pairs per preference set; likewise.
        say: called with each progress line.

    Returns:
        A report; `report.write("folder")` writes it as HTML, Markdown, LaTeX and JSON.

    Raises:
        ValueError: an input does not fit (names the row and what was expected), or there is no set to judge on.
    """
    given, tables, files, folders, negated, compared = map(
        _as_list, (metric, scores, judged, autos, lower_is_better, compare_with)
    )
    names = None if sets is None else _as_list(sets)
    if ALL in compared:
        raise ValueError(f"expected names of metrics to compare with, got {ALL}")
    select_entries(compared or None, read_registry())
    if compared:
        check_cache(SCORES_CACHE)
    folder = None if data is None else Path(data)
    if folder is not None and not folder.is_dir():
        raise ValueError(f"expected the folder of the data, found none: {folder}")
    asked = BenchmarkOptions(
        datasets=names,
        judged=[*map(Path, files)],
        autos=[*map(Path, folders)],
        corpus=corpus,
        draws=draws,
        seed=seed,
        autos_stories=autos_stories,
        pairs=pairs,
    )
    chosen = requested_sets(asked)
    metrics = [*(_file_of(str(file), chosen) for file in tables), *(_assigned(one, chosen) for one in given)]
    results: dict[str, Any] = {
        "judged": {}, "preferences": {}, "autos": {}, "skipped": {}, "origins": [], "unscored": [],
        "settings": {"draws": draws, "seed": seed}, "lower_is_better": [],
    }  # fmt: skip
    scored: list[ScoredSet] = []
    signatures: dict[int, list[str]] = {}
    for one in chosen:
        on = [source for source, target in metrics if target in (None, one.name)]
        wanted = bool(names) or any(target == one.name for _, target in metrics)
        rows = _rows(one, folder, wanted, results["skipped"]) if on else None
        if rows is not None:
            if not any(target == one.name for _, target in metrics):
                one, rows = sample_stories(one, rows, pairs if one.preferences else autos_stories, seed)
            if say:
                say(f"{one.title}: {len(rows)} stories")
            scored.append(ScoredSet.of(one, rows, _scores(on, one, rows)))
            for place, (source, target) in enumerate(metrics):
                if target in (None, one.name):
                    signatures.setdefault(place, []).append(source.signature())
    if not scored:
        raise ValueError(
            "nothing to judge on: give the folder of the data, a file of judged stories, or build AUTOS"
        )
    for place, (source, _) in enumerate(metrics):
        said = " and ".join(dict.fromkeys(filter(None, signatures.get(place, []))))
        results["origins"].append(f"{source.origin}, signature {said}" if said else source.origin)
    results["unscored"] = [line for found in scored for line in found.unscored]
    results["lower_is_better"] = _negate([found.scores for found in scored], negated)
    for found in scored:
        one, rows, own = found.one, found.rows, found.scores
        if one.preferences:
            table = preference_table(rows, own, draws, np.random.default_rng(seed))
            results["preferences"][one.name] = {"title": one.title, **table}
        elif one.judged:
            others = released_scores(one.name, found.all_rows, folder)
            for name in compared:
                ours = metric_scores(name, one, found.all_rows)
                others = {f"{title} (released)" if title in ours else title: s for title, s in others.items()}
                others |= {f"{title} (openmeva)" if title in own else title: s for title, s in ours.items()}
            others = {title: found.select(values) for title, values in others.items()}
            how = Sampling(draws, seed)
            results["judged"][one.name] = judge_set(one, rows, own, others, how, results["lower_is_better"])
        else:
            results["autos"][one.name] = _autos(one, rows, own, Sampling(draws, seed))
    return Report(results, read_published())


def _as_list(given: Any) -> list[Any]:
    """One argument or several, as a list; a string, a path or a function is one argument.

    >>> _as_list("union"), _as_list(("union", "ppl")), _as_list(len)
    (['union'], ['union', 'ppl'], [<built-in function len>])
    """
    alone = isinstance(given, str | Path) or callable(given) or not isinstance(given, Iterable)
    return [given] if alone else list(given)


def _negate(found: Sequence[dict[str, list[float]]], names: Sequence[str]) -> list[str]:
    """Negates, in place, the scores where lower is better; returns their titles.

    Raises:
        ValueError: no scores have that name.
    """
    known = list(dict.fromkeys(title for scores in found for title in scores))
    unknown = [name for name in names if name not in (*known, "all")]
    if unknown:
        raise ValueError(f"no scores are called {', '.join(unknown)}, only {', '.join(known)}")
    negated = [title for title in known if title in names or "all" in names]
    for scores in found:
        for title in negated:
            if title in scores:
                scores[title] = [-value for value in scores[title]]
    return negated


def _rows(one: TestSet, folder: Path | None, wanted: bool, skipped: dict[str, str]) -> Rows | None:
    """The stories of a set; None, with the reason in `skipped`, if they are not available and the set was not named."""
    try:
        return one.read(folder)
    except (ValueError, OSError) as error:
        if wanted:
            raise ValueError(f"{one.title}: needs {one.needs} ({error})") from error
        skipped[one.title] = f"needs {one.needs}"
        return None


def _assigned(given: MetricSource, sets: Sequence[TestSet]) -> tuple[OwnMetric, str | None]:
    """The metric and, if it is a file of scores, the set of these scores."""
    if isinstance(given, OwnMetric):
        return given, None
    if callable(given) and not isinstance(given, str | Path):
        return metric_from_function(given), None
    text = str(given)
    path = _named(text)[1]
    if path.is_file() or kind_of(path) is not None:
        return _file_of(text, sets)
    if ":" in text:
        return metric_from_function_name(text), None
    try:
        return metric_from_module(text), None
    except ValueError as error:
        raise ValueError(
            f"{text}: expected a metric or a file of scores, found no such file, and {error}"
        ) from error


def _named(text: str) -> tuple[str | None, Path]:
    """The set, if given, and the file of `FILE` or `SET=FILE`."""
    name, separator, rest = text.partition("=")
    return (name, Path(rest)) if separator and not Path(text).exists() else (None, Path(text))


def _file_of(text: str, sets: Sequence[TestSet]) -> tuple[OwnMetric, str]:
    """The scores in a file, and their set."""
    name, path = _named(text)
    return metric_from_file(path), _set_of(path, name, sets)


def _set_of(path: Path, name: str | None, sets: Sequence[TestSet]) -> str:
    known = [one.name for one in sets]
    if name is not None and name not in known:
        raise ValueError(f"{name}={path}: expected a set among {', '.join(known)}")
    if name is None and len(known) != 1:
        raise ValueError(
            f"{path}: of which set are these scores? Choose one set, or write SET={path}, where SET is one of "
            f"{', '.join(known)}"
        )
    return name or known[0]


def _scores(metrics: Sequence[OwnMetric], one: TestSet, rows: Rows) -> Scores:
    """The metrics' scores by title; a title that is also that of a trivial baseline gets the suffix `(yours)`.

    Raises:
        ValueError: two metrics have the same title (names both origins).
    """
    found: Scores = {}
    origins: dict[str, str] = {}
    for metric in metrics:
        for name, values in metric.score(one, rows).items():
            title = f"{name} (yours)" if name in TRIVIAL_BASELINES else name
            if title in found:
                raise ValueError(
                    f"{one.title}: expected metrics of different names, got {title!r} twice, of {origins[title]} and of "
                    f"{metric.origin}: name the column or function after its metric"
                )
            found[title], origins[title] = values, metric.origin
    return found


def _autos(one: TestSet, rows: Rows, own: Mapping[str, Sequence[float]], how: Sampling) -> dict[str, Any]:
    """Every aspect of a part of AUTOS, for the user's metrics and trivial baselines; means as on the leaderboard."""
    stories = check_rows(rows)
    trivial = {title: list(s) for title, s in trivial_scores([row["story"] for row in rows]).items()}
    table: dict[str, Any] = {"title": one.title, "corpus": one.corpus, "n": len(rows), "rows": {}}
    for kind, by_title in {"own": own, "trivial": trivial}.items():
        for title, values in by_title.items():
            cells = aspect_tables(np.array(values), stories, how.draws, np.random.default_rng(how.seed))
            aspects = {
                f"{aspect} ({origin})" if len(origins) > 1 else aspect: {
                    key: cell.get(key) for key in ("pearson", "pair_wins", "auc", "n")
                }
                | {"interval": (cell.get("intervals") or {}).get("pearson")}
                for aspect, origins in cells["aspects"].items()
                for origin, cell in origins.items()
            }
            firsts = {aspect: next(iter(origins.values())) for aspect, origins in cells["aspects"].items()}
            table["rows"][title] = {"kind": kind, "aspects": aspects, **aspect_means(firsts)}
    return table
