"""When the difference between two metrics is clear: two tests, corrected for all comparisons, have to find it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openmeva.metrics.openmeva.comparison import correct_p_values

UNCLEAR = "no clear difference"


def least_draws(metrics: int) -> int:
    """Bootstrap samples with which a difference between one of these metrics and the others can be clear.

    The least p-value is 2 / (draws + 1). After Holm's correction for all comparisons it is then .033.

    >>> least_draws(2), least_draws(60)
    (60, 3540)
    """
    return 60 * (metrics - 1)


def add_verdicts(tests: Mapping[str, dict[str, Any]], coefficient: str) -> None:
    """Adds Holm's correction and a verdict to the tests of one metric against others.

    PERM-BOTH, which exchanges the scores of whole prompts, and the bootstrap over prompts both have to find it.

    Args:
        tests: by the other metric, of `paired_tests`, with `permutation` and its two-sided `p_value`. `holm` is added to
            `permutation` and to the coefficient's `bootstrap`, and `verdict`: `better`, `worse` or `UNCLEAR`.
        coefficient: of the difference.
    """
    permuted = correct_p_values({name: test["permutation"]["p_value"] for name, test in tests.items()})
    resampled = correct_p_values(
        {name: _or_one(test["bootstrap"][coefficient]["p_value"]) for name, test in tests.items()}
    )
    for name, test in tests.items():
        test["permutation"]["holm"] = permuted[name]["holm"]
        test["bootstrap"][coefficient]["holm"] = resampled[name]["holm"]
        clear = permuted[name]["significant"] and resampled[name]["significant"]
        better = test["difference"][coefficient] > 0
        test["verdict"] = ("better" if better else "worse") if clear else UNCLEAR


def _or_one(p_value: float | None) -> float:
    """The p-value; 1 if it is undefined, as for stories of one prompt."""
    return 1.0 if p_value is None else float(p_value)
