"""Compares two systems on the same prompts: mean difference of the recommended metric's score, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.inputs import field_of
from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS, warnings_of
from openmeva.spaces.scorer import Patience, Score, Scorer
from openmeva.spaces.story_scorer.file_scores import chunks, file_texts
from openmeva.spaces.texts import Text
from openmeva.spaces.verdicts import recommended_score

MIN_PROMPTS = 5  # prompts, or pairs where prompts are not known: with fewer, an interval says nothing
SHOWN_PAIRS = 3  # number of pairs with the greatest difference that are shown
_DRAWS, _SEED = 2000, 0
Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Pair:
    """One story per system for the same prompt (blank where not known), and the score of each story."""

    prompt: str
    stories: tuple[str, str]
    scores: tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    """The comparison of two files.

    Attributes:
        title: title of the metric's number.
        pairs: in the first file's order.
        difference: mean score of the first system minus that of the second, positive where the first is better.
        interval: its 95 % interval, by bootstrap over prompts, or over pairs where prompts are not known.
        won: share of pairs whose first story has the better score, ties counting half, 0 to 1.
        warnings: one per story, those of the first file before those of the second.
        unscored: number of pairs in which a story has no score.
        prompts: number of prompts, each of which may have several pairs; `None` where a pair's prompt is not known.
    """

    title: str
    pairs: list[Pair]
    difference: float
    interval: tuple[float, float]
    won: float
    warnings: list[str | None]
    unscored: int
    prompts: int | None

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.interval[0] > 0 or self.interval[1] < 0

    @property
    def most_different(self) -> list[Pair]:
        """The pairs that differ most."""
        return sorted(self.pairs, key=lambda pair: -abs(pair.scores[0] - pair.scores[1]))[:SHOWN_PAIRS]


def compare(scorer: Scorer, first: Rows, second: Rows, corpus: str) -> Iterator[tuple[int, int] | Comparison]:
    """Compares the stories of two files: yields how many stories are scored and of how many, and finally the comparison.

    Raises:
        ValueError: rows that do not belong together, fewer than `MIN_PROMPTS` prompts (or pairs), or what `file_texts` raises.
    """
    for name, rows in (("First file", first), ("Second file", second)):
        try:
            file_texts(rows, corpus)  # messages name rows by their place in the file, not in the pairs
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    pairs = match_rows(first, second)
    texts_by_file = [file_texts([pair[index] for pair in pairs], corpus) for index in (0, 1)]
    scores: list[list[Score | None]] = []
    yield 0, 2 * len(pairs)
    for texts in texts_by_file:
        done: list[Score | None] = []
        scores.append(done)
        for chunk in chunks(texts):
            due = Patience.FILE.since()
            done += map(recommended_score, scorer.score(chunk, corpus, [DEFAULT_METRIC], due))
            yield sum(map(len, scores)), 2 * len(pairs)
    yield _comparison(texts_by_file, scores, corpus)


def _comparison(
    texts_by_file: Sequence[Sequence[Text]], scores: Sequence[Sequence[Score | None]], corpus: str
) -> Comparison:
    """The comparison of two files of matched stories and their scores."""
    scored_pairs = [
        Pair(a.context or b.context, (a.story, b.story), (x.value, y.value))
        for a, b, x, y in zip(*texts_by_file, *scores, strict=True)
        if x is not None and y is not None and x.value is not None and y.value is not None
    ]
    has_prompts = all(pair.prompt for pair in scored_pairs)
    names = [pair.prompt if has_prompts else str(index) for index, pair in enumerate(scored_pairs)]
    groups = {name: group for group, name in enumerate(dict.fromkeys(names))}
    if len(groups) < MIN_PROMPTS:
        unit = "prompts" if has_prompts else "pairs"
        raise ValueError(
            f"Expected at least {MIN_PROMPTS} {unit} with a score for both stories, got {len(groups)}."
        )
    main = next(score for score in scores[0] if score is not None)
    sign = 1.0 if main.number.higher else -1.0
    gaps = sign * np.array([pair.scores[0] - pair.scores[1] for pair in scored_pairs])
    low, high = interval_of_mean(gaps, np.array([groups[name] for name in names]))
    return Comparison(
        main.number.title,
        scored_pairs,
        float(gaps.mean()),
        (low, high),
        float(((gaps > 0) + 0.5 * (gaps == 0)).mean()),
        warnings_of(
            [text.whole(corpus) for texts in texts_by_file for text in texts], *USUAL_WORD_COUNTS[corpus]
        ),
        len(texts_by_file[0]) - len(scored_pairs),
        len(groups) if has_prompts else None,
    )


def interval_of_mean(values: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean of `(n,)` values, by bootstrap over their groups: `(n,)` integers from 0.

    >>> interval_of_mean(np.ones(9), np.arange(9))
    (1.0, 1.0)
    """
    sums, sizes = np.bincount(groups, values), np.bincount(groups)
    samples = np.random.default_rng(_SEED).integers(0, len(sizes), (_DRAWS, len(sizes)))
    low, high = np.percentile(sums[samples].sum(1) / sizes[samples].sum(1), [2.5, 97.5])
    return float(low), float(high)


def match_rows(first: Rows, second: Rows) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of rows of two files: matched by `story_id`, else by `context` (or `prompt`), else by position.

    Raises:
        ValueError: an id or a prompt that occurs twice or in only one of the files, or files of different lengths.
    """
    key = next(
        (
            name
            for name in ("story_id", "context")
            if all(field_of(row, name) not in (None, "") for row in [*first, *second])
        ),
        None,
    )
    if key is None:
        if len(first) != len(second):
            raise ValueError(
                f"The files have {len(first)} and {len(second)} rows. To match rows of different files, give 'story_id' or "
                "'context' in every row."
            )
        return list(zip(first, second, strict=True))
    tables = [_by_key(rows, key, name) for rows, name in ((first, "first"), (second, "second"))]
    alone = next(iter(tables[0].keys() ^ tables[1].keys()), None)
    if alone is not None:
        raise ValueError(f"The {key} {alone[:60]!r} is in only one of the files.")
    return [(row, tables[1][name]) for name, row in tables[0].items()]


def _by_key(rows: Rows, key: str, file: str) -> Mapping[str, dict[str, Any]]:
    rows_by_key: dict[str, dict[str, Any]] = {}
    for row in rows:
        value = str(field_of(row, key))
        if value in rows_by_key:
            raise ValueError(f"The {key} {value[:60]!r} occurs twice in the {file} file.")
        rows_by_key[value] = row
    return rows_by_key
