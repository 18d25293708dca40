"""The parts of a report on a user's scores, as `openmeva benchmark --scores` writes it; nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from openmeva.spaces.leaderboard.placing import DRAWS, SEED, Scored, scored
from openmeva.spaces.markup import escape
from openmeva.training.benchmark.own.judged_parts import Part, against, agreement, by_system, differing
from openmeva.training.benchmark.own.measure import Sampling, judge_set
from openmeva.training.benchmark.own.report import fragment
from openmeva.training.benchmark.released import released_scores
from openmeva.training.benchmark.sets import test_set
from openmeva.training.benchmark.tables import read_published

MOST = 4000  # scores (stories times columns): permutation tests with more would delay other users


def report(name: str, rows: Sequence[Mapping[str, Any]], data: Path | None, digest: str | None) -> str:
    """Cards of a judged set: three levels, comparisons where other scores are available, systems, error types, examples.

    Arguments and errors as `place`. Empty for AUTOS, whose table is complete. With more than `MOST` scores in all columns
    together, a single card says that the other parts are not computed.
    """
    if not test_set(name).judged:
        return ""
    given = scored(name, rows, data, digest)
    stories, columns = len(rows), len(given.scores)
    if stories * columns > MOST:
        why = (
            f"Expected at most {MOST:,} scores (stories times columns) for the other parts of the report, got "
            f"{stories * columns:,} ({stories:,} times {columns})"
        )
        return _card(
            "Report",
            f"<p>{why}; <code>openmeva benchmark --judged RATED --scores FILE</code> takes any number.</p>",
        )
    parts = _parts(name, given, data)
    own = list(given.scores)
    return "".join(_card(part.title, html) for part, html in zip(parts, fragment(parts, own), strict=True))


def _card(title: str, html: str) -> str:
    return (
        f'<section class="om om-card om-report" aria-label="{escape(title)}"><h2>{escape(title)}</h2>{html}'
        "</section>"
    )


def _parts(name: str, given: Scored, data: Path | None) -> list[Part]:
    one = test_set(name)
    if not given.from_server:
        one = replace(one, configuration="judgments")  # on the scale in which they were given
    if not given.same:
        one = replace(one, title="Your judgments")
    others = released_scores(name, given.stories, data) if given.from_server else {}
    found = judge_set(one, given.stories, given.scores, others, Sampling(DRAWS, SEED))
    printed = read_published()["correlations"].get(name, {}) if given.same else {}
    parts = [agreement(name, found, printed), by_system(name, found)]
    if others or len(given.scores) > 1:
        parts.insert(1, against(found))
    if given.from_server:
        parts.append(differing(found, []))
    return parts
