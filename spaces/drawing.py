"""SVG charts: a score among those of reference stories, histograms, and intervals."""

from __future__ import annotations

import html
from collections.abc import Sequence
from math import ceil, floor

import numpy as np

from openmeva.spaces.distributions import PercentileRank, percent
from openmeva.training.benchmark.results.titles import OURS

_WIDTH, _HEIGHT, _TOP, _BASE = 320, 66, 8, 48
_POINTS = 72
_BINS = 20


def ridges(
    value: float, percentile_ranks: Sequence[PercentileRank], low: float | None, high: float | None
) -> str:
    """Densities of the reference groups on one axis, with a line at the value."""
    if not percentile_ranks:
        return ""
    values = [value, *(q for rank in percentile_ranks for q in (rank.quantiles[1], rank.quantiles[-2]))]
    least, most = min(values), max(values)
    left = least if low is None else low
    right = most if high is None else high
    if most - least < 0.5 * (right - left):  # the values use little of the range: zoom in
        margin = 0.15 * (most - least)
        left, right = max(left, least - margin), min(right, most + margin)
    span = (right - left) or 1.0

    def x(at: float) -> float:
        return 8 + (_WIDTH - 16) * min(1.0, max(0.0, (at - left) / span))

    grid = np.linspace(left, right, _POINTS)
    parts = []
    for rank in percentile_ranks:
        density = _density(np.array(rank.quantiles), grid, span)
        peak = density.max() or 1.0
        heights = _BASE - (_BASE - _TOP - 4) * density / peak
        line = " ".join(f"{x(a):.1f},{b:.1f}" for a, b in zip(grid, heights, strict=True))
        colour = f"var(--om-{rank.colour})"
        parts.append(
            f'<polygon points="{x(left):.1f},{_BASE} {line} {x(right):.1f},{_BASE}" fill="{colour}" '
            f'fill-opacity=".22" stroke="{colour}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
    at = x(value)
    parts.append(
        f'<line x1="8" x2="{_WIDTH - 8}" y1="{_BASE}" y2="{_BASE}" stroke="var(--om-soft)" stroke-width="1"/>'
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="2" y2="{_BASE}" stroke="var(--om-ink)" stroke-width="2.5"/>'
        f'<circle cx="{at:.1f}" cy="{_BASE}" r="4.5" fill="var(--om-ink)"/>'
        f'<g font-size="13" fill="var(--om-soft)"><text x="8" y="63">{_mark(left)}</text>'
        f'<text x="{_WIDTH - 8}" y="63" text-anchor="end">{_mark(right)}</text></g>'
    )
    if 8 + _label_width(_mark(left)) < at - _label_width("this story") / 2 and (
        at + _label_width("this story") / 2 < _WIDTH - 8 - _label_width(_mark(right))
    ):
        parts.append(
            f'<text x="{at:.1f}" y="63" font-size="13" font-weight="600" text-anchor="middle" '
            'fill="var(--om-ink)">this story</text>'
        )
    description = "; ".join(
        f"better than {percent(rank.better_than)} of {rank.label}" for rank in percentile_ranks
    )
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(description)}">{"".join(parts)}</svg>'


def histogram(values: Sequence[float], rank: PercentileRank, low: float | None, high: float | None) -> str:
    """A histogram of values in twenty bins, with the density of a reference group as a line."""
    quantiles = np.array(rank.quantiles)
    left = min(*values, quantiles[1]) if low is None else low
    right = max(*values, quantiles[-2]) if high is None else high
    span = (right - left) or 1.0
    counts, _ = np.histogram(np.clip(values, left, left + span), bins=_BINS, range=(left, left + span))
    bars = counts / len(values)
    grid = np.linspace(left, left + span, _POINTS)
    density = _density(quantiles, grid, span)
    line = density / (density.mean() * _BINS)  # as the share of a bin of this width
    most = max(bars.max(), line.max())
    bar_width = (_WIDTH - 16) / _BINS

    def y(share: float) -> float:
        return float(_BASE - (_BASE - _TOP) * share / most)

    parts = [
        f'<rect x="{8 + index * bar_width + 1:.1f}" y="{y(bar):.1f}" width="{bar_width - 2:.1f}" height="{_BASE - y(bar):.1f}" '
        'fill="var(--om-generated)" fill-opacity=".55"/>'
        for index, bar in enumerate(bars)
        if bar
    ]
    points = " ".join(
        f"{8 + (_WIDTH - 16) * (at - left) / span:.1f},{y(share):.1f}"
        for at, share in zip(grid, line, strict=True)
    )
    middle = np.percentile(values, [25, 75])
    description = (
        f"half of these stories score between {_mark(middle[0])} and {_mark(middle[1])}, half of {rank.label} between "
        f"{_mark(quantiles[25])} and {_mark(quantiles[75])}"
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(description)}">{"".join(parts)}'
        f'<polyline points="{points}" fill="none" stroke="var(--om-{rank.colour})" stroke-width="1.5"/>'
        f'<line x1="8" x2="{_WIDTH - 8}" y1="{_BASE}" y2="{_BASE}" stroke="var(--om-soft)" stroke-width="1"/>'
        f'<g font-size="13" fill="var(--om-soft)"><text x="8" y="63">{_mark(left)}</text>'
        f'<text x="{_WIDTH - 8}" y="63" text-anchor="end">{_mark(left + span)}</text></g></svg>'
    )


def _label_width(text: str) -> float:
    """Width of an axis label, with a gap on either side."""
    return 7.2 * len(text) + 8


def _mark(at: float) -> str:
    """Label of an end of an axis, with two decimals for values below 10.

    >>> _mark(0.0113), _mark(97.81), _mark(1.0)
    ('0.01', '98', '1')
    """
    text = f"{at:.0f}" if abs(at) >= 10 else f"{at:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def _density(points: np.ndarray, grid: np.ndarray, span: float) -> np.ndarray:
    """A smooth density (Gaussian kernels) of a distribution given by its quantiles."""
    width = max(0.9 * min(points.std(), (points[75] - points[25]) / 1.34) * len(points) ** -0.2, span / 45)
    return np.exp(-0.5 * ((grid[:, None] - points[None]) / width) ** 2).mean(axis=1)


Axis = tuple[float, float]


def axis_over(values: Sequence[float]) -> Axis:
    """The ends, in steps of .1, of an axis that covers all values and 0.

    >>> axis_over([-0.14, 0.44])
    (-0.2, 0.5)
    >>> axis_over([])
    (0.0, 0.1)
    """
    low, high = min([0.0, *values]), max([0.0, *values])
    return floor(10 * low) / 10, max(ceil(10 * high) / 10, floor(10 * low) / 10 + 0.1)


def _position(at: float, axis: Axis) -> float:
    return 8 + 184 * min(1.0, max(0.0, (at - axis[0]) / (axis[1] - axis[0])))


def axis_scale(axis: Axis) -> str:
    """The labels of an axis, for the header of a table."""
    marks = sorted({axis[0], 0.0, axis[1]})
    texts = "".join(
        f'<text x="{_position(mark, axis):.1f}" y="11" font-size="12" text-anchor="{_anchor(mark, axis)}" '
        f'fill="var(--om-soft)">{f"{mark:.1f}".replace("0.", ".").replace("-", "−") if mark else "0"}</text>'
        for mark in marks
    )
    return f'<svg viewBox="0 0 200 14" aria-hidden="true">{texts}</svg>'


def _anchor(mark: float, axis: Axis) -> str:
    if mark == 0 and 0.1 < (mark - axis[0]) / (axis[1] - axis[0]) < 0.9:
        return "middle"
    return "start" if mark == axis[0] else "end" if mark == axis[1] else "middle"


def interval_chart(value: float, ends: Sequence[float] | None, kind: str, axis: Axis) -> str:
    """A point with its interval on an axis with a line at 0."""

    def x(at: float) -> float:
        return _position(at, axis)

    colour = {OURS: "var(--om-human)", "you": "var(--om-cost-ink)"}.get(kind, "var(--om-soft)")
    bar = ""
    if ends:
        bar = (
            f'<line x1="{x(ends[0]):.1f}" x2="{x(ends[1]):.1f}" y1="10" y2="10" stroke="{colour}" '
            'stroke-width="3" stroke-linecap="round" stroke-opacity=".55"/>'
        )
    return (
        '<svg viewBox="0 0 200 20" aria-hidden="true">'
        f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="20" stroke="var(--om-line)" stroke-width="1.5"/>{bar}'
        f'<circle cx="{x(value):.1f}" cy="10" r="4.5" fill="{colour}"/></svg>'
    )
