"""Two systems compared by a metric's scores of their stories on the same prompts: the difference, and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.ties import tie_merged_differences
from openmeva.training.common.fields import field_of, prompt_of, story_id_of

MIN_PROMPTS = 5  # prompts, or pairs where prompts are not known: with fewer, an interval says nothing
_DRAWS, _FLIPS, _SEED = 2000, 9999, 0
_SIGNIFICANCE = 0.05
_AT_ONCE = 10**7  # random numbers in memory; all of 20,000 prompts would take 12 GB
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class SystemDifference:
    """How much better the stories of one system are than those of another.

    Attributes:
        difference: mean score of the first system minus that of the second, positive where the first is better.
        interval: its 95 % interval, by bootstrap over prompts, or over pairs where prompts are not known.
        p_value: two-sided, of a difference this large if the systems were equally good, by exchanging the systems in
            random prompts (or pairs); exact for up to 13 of them.
        won: share of pairs whose first story has the better score, ties counting half, 0 to 1.
        prompts: number of prompts, each of which may have several pairs; None where no pair's prompt is known. A pair whose
            prompt is not known has one of its own.
        unscored: number of pairs that are left out, since a story has no score.
    """

    difference: float
    interval: tuple[float, float]
    p_value: float
    won: float
    prompts: int | None
    unscored: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0, and the p-value is below .05.

        With few prompts, bootstrap intervals are too narrow: with 5, those of equal systems exclude 0 in 16 % of cases.
        """
        return self.p_value < _SIGNIFICANCE and (self.interval[0] > 0 or self.interval[1] < 0)


def compare_systems(
    scores: Sequence[tuple[float | None, float | None]], prompts: Sequence[str], higher_is_better: bool = True
) -> SystemDifference:
    """The difference of two systems.

    Args:
        scores: of the first and the second system's story, by pair; None where a story has none.
        prompts: of each pair; blank where it is not known.
        higher_is_better: whether a higher score is better.

    Raises:
        ValueError: fewer than `MIN_PROMPTS` prompts (or pairs) with both scores.
    """
    sign = 1.0 if higher_is_better else -1.0
    scored = [
        (first, second, prompt)
        for (first, second), prompt in zip(scores, prompts, strict=True)
        if first is not None and second is not None
    ]
    kept_prompts = [prompt for _, _, prompt in scored]
    check_prompts(kept_prompts)
    gaps = sign * tie_merged_differences(
        np.array([first for first, _, _ in scored], dtype=float),
        np.array([second for _, second, _ in scored], dtype=float),
    )
    codes = _prompt_numbers(kept_prompts)
    return SystemDifference(
        difference=float(gaps.mean()),
        interval=interval_of_mean(gaps, codes),
        p_value=exchange_test(np.bincount(codes, gaps)),
        won=float(((gaps > 0) + 0.5 * (gaps == 0)).mean()),
        prompts=int(codes.max()) + 1 if any(kept_prompts) else None,
        unscored=len(scores) - len(scored),
    )


def check_prompts(prompts: Sequence[str]) -> None:
    """Raises a ValueError for pairs of fewer than `MIN_PROMPTS` prompts, or for fewer pairs if no prompt is known."""
    count, unit = len(set(_prompt_numbers(prompts))), "prompts" if any(prompts) else "pairs"
    if count < MIN_PROMPTS:
        raise ValueError(f"expected at least {MIN_PROMPTS} {unit} with a score for both stories, got {count}")


def _prompt_numbers(prompts: Sequence[str]) -> np.ndarray:
    """The prompt of each pair as a number from 0; a blank prompt is no other pair's.

    >>> _prompt_numbers(["Run.", "", "Fall.", "Run.", ""]).tolist()
    [0, 1, 2, 0, 3]
    """
    names = [prompt or index for index, prompt in enumerate(prompts)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=int)


def interval_of_mean(values: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean of `(n,)` values, by bootstrap over their groups: `(n,)` integers from 0.

    >>> interval_of_mean(np.ones(9), np.arange(9))
    (1.0, 1.0)
    """
    sums, sizes = np.bincount(groups, values), np.bincount(groups)
    rng, at_once, means = np.random.default_rng(_SEED), _draws_at_once(len(sizes)), []
    for begin in range(0, _DRAWS, at_once):
        samples = rng.integers(0, len(sizes), (min(at_once, _DRAWS - begin), len(sizes)))
        means.append(sums[samples].sum(1) / sizes[samples].sum(1))
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def exchange_test(sums: np.ndarray) -> float:
    """Two-sided p-value of the sum of `(n,)` differences against sums with random signs.

    >>> exchange_test(np.ones(5)), exchange_test(np.zeros(5))
    (0.0625, 1.0)
    """
    test = stats.permutation_test(
        (sums,),
        lambda values, axis: values.sum(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=_FLIPS,
        batch=_draws_at_once(len(sums)),
        rng=np.random.default_rng(_SEED),
    )
    return float(test.pvalue)


def _draws_at_once(size: int) -> int:
    """How many draws of `size` random numbers to hold in memory."""
    return max(1, _AT_ONCE // size)


def match_systems(first: Rows, second: Rows) -> list[tuple[int, int]]:
    """Pairs of row numbers, from 0: rows are matched by `story_id` (or `id`), else by `prompt` (or `context`), else by position.

    Ids of which the files share none, as each system's stories may have their own, are not used if all rows have prompts.

    Raises:
        ValueError: an id or a prompt that occurs twice or in only one of the files, files of different lengths, or two
            matched rows with different contexts.
    """
    pairs = _matched_places(first, second)
    for a, b in pairs:
        contexts = [" ".join(str(field_of(row, "context") or "").split()) for row in (first[a], second[b])]
        if all(contexts) and contexts[0] != contexts[1]:
            raise ValueError(
                f"row {a + 1} of the first file and row {b + 1} of the second belong together, but have different contexts, "
                f"{contexts[0][:40]!r} and {contexts[1][:40]!r}"
            )
    return pairs


def _matched_places(first: Rows, second: Rows) -> list[tuple[int, int]]:
    every = {
        name: [[key_of(row) or "" for row in rows] for rows in (first, second)]
        for name, key_of in (("story_id", story_id_of), ("prompt", prompt_of))
    }
    found = [(name, keys) for name, keys in every.items() if all(map(all, keys))]
    if len(found) > 1 and not set(found[0][1][0]) & set(found[0][1][1]):
        del found[0]
    if not found:
        if len(first) != len(second):
            raise ValueError(
                f"the files have {len(first)} and {len(second)} rows; to match rows of different files, give 'story_id' or "
                "'prompt' in every row"
            )
        return [(index, index) for index in range(len(first))]
    name, keys = found[0]
    places = [_places(of_file, name, file) for of_file, file in zip(keys, ("first", "second"), strict=True)]
    alone = next(iter(places[0].keys() ^ places[1].keys()), None)
    if alone is not None:
        raise ValueError(f"the {name} {alone[:60]!r} is in only one of the files")
    return [(index, places[1][key]) for key, index in places[0].items()]


def _places(keys: Sequence[str], name: str, file: str) -> dict[str, int]:
    """The row number of each key of a file."""
    places: dict[str, int] = {}
    for index, key in enumerate(keys):
        if key in places:
            raise ValueError(f"the {name} {key[:60]!r} occurs twice in the {file} file")
        places[key] = index
    return places
