"""Evaluate a user's own metric against human judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.training.benchmark.command import BenchmarkOptions, requested_sets
from openmeva.training.benchmark.data.registry import ALL, read_registry, select_entries
from openmeva.training.benchmark.data.released import released_scores
from openmeva.training.benchmark.data.sampling import sample_stories
from openmeva.training.benchmark.data.score_files import negate, split_column
from openmeva.training.benchmark.data.sets import TestSet, read_set
from openmeva.training.benchmark.own.measure import Sampling, judge_set
from openmeva.training.benchmark.own.metric import (
    OwnMetric,
    metric_from_file,
    metric_from_function,
    metric_from_function_name,
    metric_from_module,
)
from openmeva.training.benchmark.own.outputs import Scores
from openmeva.training.benchmark.own.report import Report
from openmeva.training.benchmark.own.scored import ScoredSet
from openmeva.training.benchmark.paired import metric_scores
from openmeva.training.benchmark.results.autos import autos_table
from openmeva.training.benchmark.results.preferences import preference_table
from openmeva.training.benchmark.results.titles import OWN, own_title, released_title
from openmeva.training.benchmark.scoring.scores import SCORES_CACHE, check_cache
from openmeva.training.benchmark.tables.sections import read_published
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
        scores: files of scores of any name: `mine.csv`; `mine.csv:column` for one of its columns; `mans_roc=mine.csv` if
            there are several sets (`rated.jsonl=mine.csv` for those of `judged`).
        judged: files of your own judged stories: `story` with `ratings` or `score`.
        autos: folders of AUTOS of your own stories, as built by `openmeva autos`.
        data: folder of the papers' data (`mans/`, `union/`, …).
        corpus: `roc` or `wp`: selects the configurations of `compare_with` that score `judged`.
        lower_is_better: titles of scores where lower is better, or `all`.
        compare_with: metrics of this project to score on the same stories, such as `union`; only on sets of rated
            stories, not on AUTOS or pairs.
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
    metric_sources, tables, files, folders, negated, compared = map(
        _as_list, (metric, scores, judged, autos, lower_is_better, compare_with)
    )
    if ALL in compared:
        raise ValueError(f"expected names of metrics to compare with, got {ALL}")
    select_entries(compared or None, read_registry())
    if compared:
        check_cache(SCORES_CACHE)
    folder = None if data is None else Path(data)
    if folder is not None and not folder.is_dir():
        raise ValueError(f"expected the folder of the data, found none: {folder}")
    options = BenchmarkOptions(
        data=folder,
        datasets=None if sets is None else _as_list(sets),
        judged=[*map(Path, files)],
        autos=[*map(Path, folders)],
        corpus=corpus,
        draws=draws,
        seed=seed,
        autos_stories=autos_stories,
        pairs=pairs,
        say=say or (lambda line: None),
    )
    chosen = requested_sets(options)
    metrics = [
        *(_file_of(str(file), chosen, options.say) for file in tables),
        *(_assigned(source, chosen, options.say) for source in metric_sources),
    ]
    skipped: dict[str, str] = {}
    scored, origins = _score_sets(metrics, chosen, options, skipped)
    if not scored:
        raise ValueError(
            "nothing to judge on: give the folder of the data, a file of judged stories, or build AUTOS"
        )
    results: dict[str, Any] = {
        "judged": {}, "preferences": {}, "autos": {}, "skipped": skipped, "origins": origins,
        "unscored": [line for scored_set in scored for line in scored_set.unscored],
        "settings": {"draws": draws, "seed": seed},
        "lower_is_better": negate([scored_set.scores for scored_set in scored], negated),
    }  # fmt: skip
    for scored_set in scored:
        _add_table(results, scored_set, compared, options)
    return Report(results, read_published())


def _score_sets(
    metrics: Sequence[tuple[OwnMetric, str | None]],
    sets: Sequence[TestSet],
    options: BenchmarkOptions,
    skipped: dict[str, str],
) -> tuple[list[ScoredSet], list[str]]:
    """The sets with their scores, and the origin of each metric with its signature; adds unavailable sets to `skipped`."""
    scored: list[ScoredSet] = []
    signatures: list[list[str]] = [[] for _ in metrics]
    for test_set in sets:
        indices = [index for index, (_, target) in enumerate(metrics) if target in (None, test_set.name)]
        has_file = any(target == test_set.name for _, target in metrics)
        if not indices:
            continue
        rows = read_set(test_set, options.data, is_named=bool(options.datasets) or has_file)
        if rows is None:
            skipped[test_set.title] = f"needs {test_set.needs}"
            continue
        if not has_file:
            maximum = options.pairs if test_set.preferences else options.autos_stories
            test_set, rows = sample_stories(test_set, rows, maximum, options.seed)
        options.say(f"{test_set.title}: {len(rows)} stories")
        sources = [metrics[index][0] for index in indices]
        scored.append(ScoredSet.of(test_set, rows, _scores(sources, test_set, rows)))
        for index, source in zip(indices, sources, strict=True):
            signatures[index].append(source.signature())
    origins = []
    for (source, _), of_source in zip(metrics, signatures, strict=True):
        signature = " and ".join(dict.fromkeys(filter(None, of_source)))
        origins.append(f"{source.origin}, signature {signature}" if signature else source.origin)
    return scored, origins


def _add_table(
    results: dict[str, Any], scored: ScoredSet, compared: Sequence[str], options: BenchmarkOptions
) -> None:
    """Adds a set's table to its section of the results."""
    test_set, rows, own = scored.test_set, scored.rows, scored.scores
    sampling = Sampling(options.draws, options.seed)
    if compared and not test_set.rated:
        results["skipped"][f"{', '.join(compared)} on {test_set.title}"] = (
            "(metrics are compared on rated stories only)"
        )
    if test_set.preferences:
        table = preference_table(rows, own, options.draws, np.random.default_rng(options.seed), OWN)
        results["preferences"][test_set.name] = {"title": test_set.title, **table}
    elif test_set.judged:
        others = _others(scored, compared, options.data)
        results["judged"][test_set.name] = judge_set(
            test_set, rows, own, others, sampling, results["lower_is_better"]
        )
    else:
        results["autos"][test_set.name] = autos_table(test_set, rows, own, sampling.draws, sampling.seed, OWN)


def _others(scored: ScoredSet, compared: Sequence[str], data: Path | None) -> dict[str, list[float]]:
    """Released scores, and those of the metrics `compared`, by titles that none of the user's metrics has."""
    others = released_scores(scored.test_set.name, scored.all_rows, data)
    for name in compared:
        own_scores = metric_scores(name, scored.test_set, scored.all_rows)
        others = {released_title(title, own_scores): s for title, s in others.items()}
        others |= {
            f"{title} (openmeva)" if title in scored.scores else title: s for title, s in own_scores.items()
        }
    return {title: scored.select(values) for title, values in others.items()}


def _as_list(value: Any) -> list[Any]:
    """One argument or several, as a list; a string, a path or a function is one argument.

    >>> _as_list("union"), _as_list(("union", "ppl")), _as_list(len)
    (['union'], ['union', 'ppl'], [<built-in function len>])
    """
    is_single = isinstance(value, str | Path) or callable(value) or not isinstance(value, Iterable)
    return [value] if is_single else list(value)


def _assigned(
    source: MetricSource, sets: Sequence[TestSet], say: Callable[[str], None]
) -> tuple[OwnMetric, str | None]:
    """The metric and, if it is a file of scores, the set of these scores."""
    if isinstance(source, OwnMetric):
        return source, None
    if callable(source) and not isinstance(source, str | Path):
        return metric_from_function(source), None
    text = str(source)
    path = split_column(_named(text)[1])[0]
    if Path(path).is_file() or kind_of(path) is not None:
        return _file_of(text, sets, say)
    if ":" in text:
        return metric_from_function_name(text), None
    try:
        return metric_from_module(text), None
    except ValueError as error:
        raise ValueError(
            f"{text}: expected a metric or a file of scores, found no such file, and {error}"
        ) from error


def _named(text: str) -> tuple[str | None, str]:
    """The set, if given, and the rest of `FILE` or `SET=FILE`."""
    name, separator, file = text.partition("=")
    return (name, file) if separator and not Path(text).exists() else (None, text)


def _file_of(text: str, sets: Sequence[TestSet], say: Callable[[str], None]) -> tuple[OwnMetric, str]:
    """The scores in a file, and their set."""
    name, file = _named(text)
    path, column = split_column(file)
    return metric_from_file(Path(path), column, say), _set_of(path, name, sets)


def _set_of(path: str, name: str | None, sets: Sequence[TestSet]) -> str:
    """The name of the set, which may be given by its title, too: that of a judged file is the file's name."""
    names = [test_set.name for test_set in sets]
    accepted = {test_set.title: test_set.name for test_set in sets} | {known: known for known in names}
    if name is not None and name not in accepted:
        raise ValueError(f"{name}={path}: expected a set among {', '.join(names)}")
    if name is None and len(names) != 1:
        raise ValueError(
            f"{path}: of which set are these scores? Choose one set, or write SET={path}, where SET is one of "
            f"{', '.join(names)}"
        )
    return names[0] if name is None else accepted[name]


def _scores(metrics: Sequence[OwnMetric], test_set: TestSet, rows: Rows) -> Scores:
    """The metrics' scores by title; a title that is also that of a trivial baseline gets the suffix `(yours)`.

    Raises:
        ValueError: two metrics have the same title (names both origins).
    """
    scores: Scores = {}
    origins: dict[str, str] = {}
    for metric in metrics:
        for name, values in metric.score(test_set, rows).items():
            title = own_title(name)
            if title in scores:
                raise ValueError(
                    f"{test_set.title}: expected metrics of different names, got {title!r} twice, of {origins[title]} and of "
                    f"{metric.origin}: name the column or function after its metric"
                )
            scores[title], origins[title] = values, metric.origin
    return scores
