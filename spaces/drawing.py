"""Pictures of numbers as SVG: where a score falls among reference stories, and intervals."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from spaces.distributions import Placement

_WIDTH, _HEIGHT, _TOP, _BASE = 320, 66, 8, 48
_POINTS = 72


def ridges(value: float, placements: Sequence[Placement], low: float | None, high: float | None) -> str:
    """Densities of the reference groups over one axis, and a line at the value."""
    if not placements:
        return ""
    shown = [value, *(q for one in placements for q in (one.quantiles[1], one.quantiles[-2]))]
    least, most = min(shown), max(shown)
    left = least if low is None else low
    right = most if high is None else high
    if most - least < 0.5 * (right - left):  # a wide range of which little is used: show what is used
        margin = 0.15 * (most - least)
        left, right = max(left, least - margin), min(right, most + margin)
    span = (right - left) or 1.0

    def x(at: float) -> float:
        return 8 + (_WIDTH - 16) * min(1.0, max(0.0, (at - left) / span))

    grid = np.linspace(left, right, _POINTS)
    parts = []
    for one in placements:
        density = _density(np.array(one.quantiles), grid, span)
        peak = density.max() or 1.0
        heights = _BASE - (_BASE - _TOP - 4) * density / peak
        line = " ".join(f"{x(a):.1f},{b:.1f}" for a, b in zip(grid, heights, strict=True))
        colour = f"var(--om-{one.group if one.group in ('human', 'generated') else 'generated'})"
        parts.append(
            f'<polygon points="{x(left):.1f},{_BASE} {line} {x(right):.1f},{_BASE}" fill="{colour}" '
            f'fill-opacity=".22" stroke="{colour}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
    at = x(value)
    anchor = "start" if at < 24 else "end" if at > _WIDTH - 24 else "middle"
    parts.append(
        f'<line x1="8" x2="{_WIDTH - 8}" y1="{_BASE}" y2="{_BASE}" stroke="var(--om-soft)" stroke-width="1"/>'
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="2" y2="{_BASE}" stroke="var(--om-ink)" stroke-width="2.5"/>'
        f'<circle cx="{at:.1f}" cy="{_BASE}" r="4.5" fill="var(--om-ink)"/>'
        f'<g font-size="13" fill="var(--om-soft)"><text x="8" y="63">{left:.3g}</text>'
        f'<text x="{_WIDTH - 8}" y="63" text-anchor="end">{right:.3g}</text></g>'
    )
    if 0.16 < at / _WIDTH < 0.84:
        parts.append(
            f'<text x="{at:.1f}" y="63" font-size="13" font-weight="600" text-anchor="{anchor}" '
            'fill="var(--om-ink)">this story</text>'
        )
    said = "; ".join(f"better than {one.better_than:.0f} % of {one.label}" for one in placements)
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{html.escape(said)}">{"".join(parts)}</svg>'


def _density(points: np.ndarray, grid: np.ndarray, span: float) -> np.ndarray:
    """A smooth density (Gaussian kernels) of a distribution given by its quantiles."""
    width = max(0.9 * min(points.std(), (points[75] - points[25]) / 1.34) * len(points) ** -0.2, span / 45)
    return np.exp(-0.5 * ((grid[:, None] - points[None]) / width) ** 2).mean(axis=1)


def interval(
    value: float, ends: Sequence[float] | None, kind: str, low: float = -0.4, high: float = 1.0
) -> str:
    """A point with its interval on an axis with a line at 0."""

    def x(at: float) -> float:
        return 4 + 192 * min(1.0, max(0.0, (at - low) / (high - low)))

    colour = {"ours": "var(--om-human)", "you": "var(--om-cost-ink)"}.get(kind, "var(--om-soft)")
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
