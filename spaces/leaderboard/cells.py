"""Values as the leaderboard's results have them: with six decimals, and one cell for each aspect of AUTOS."""

from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.training.benchmark.results.autos import mean_known


def aspect_cells(table: Mapping[str, Any]) -> dict[str, Any]:
    """`aspects` of a metric's table on a part of AUTOS, without techniques, and means of their Pearson correlations.

    An aspect's values are those of its human-written originals; with several origins, `by_origin` has the Pearson
    correlation of each. For the discrimination test, `average` is the mean of the correlations. For the invariance
    test, `average_size` is the mean of their absolute values, since correlations of either sign are errors. Both are over
    human-written originals, too.
    """
    aspects = {aspect: _cell(origins) for aspect, origins in table["aspects"].items() if origins}
    values = [cell["pearson"] for cell in aspects.values()]
    return {
        "average": rounded(mean_known(values)),
        "average_size": rounded(mean_known(values, 0.0)),
        "aspects": aspects,
    }


def _cell(origins: Mapping[str, Any]) -> dict[str, Any]:
    chosen = origins.get("human") or next(iter(origins.values()))
    values: dict[str, Any] = {
        **{key: rounded(chosen.get(key)) for key in ("pearson", "pair_wins")},
        "interval": rounded_ends((chosen.get("intervals") or {}).get("pearson")),
    }
    if len(origins) > 1:
        values["by_origin"] = {origin: rounded(cell.get("pearson")) for origin, cell in origins.items()}
    return values


def rounded(value: float | None) -> float | None:
    """A value with six decimals; pages round it to three."""
    return None if value is None else round(value, 6)


def rounded_ends(ends: Sequence[float] | None) -> list[float] | None:
    """An interval with six decimals; pages round it to two."""
    return None if ends is None else [round(end, 6) for end in ends]
