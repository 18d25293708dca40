"""The parts of a report on a user's scores, as `openmeva benchmark --scores` writes it; nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from openmeva.spaces.leaderboard.own_metric import DRAWS, SEED, JudgedScores, join_judgments
from openmeva.spaces.markup import escape
from openmeva.training.benchmark.data.released import released_scores
from openmeva.training.benchmark.data.sets import test_set
from openmeva.training.benchmark.own.judged_parts import (
    Section,
    agreement_section,
    comparison_section,
    disagreement_section,
    system_section,
)
from openmeva.training.benchmark.own.measure import Sampling, judge_set
from openmeva.training.benchmark.own.report import sections_html
from openmeva.training.benchmark.tables.sections import read_published

MAX_TESTED_SCORES = (
    4000  # scores (stories times columns): permutation tests with more would delay other users
)


def report(name: str, rows: Sequence[Mapping[str, Any]], data: Path | None, digest: str | None) -> str:
    """Cards of a judged set: three levels, comparisons where other scores are available, systems, error types, examples.

    Arguments and errors as `place`. Empty for AUTOS, whose table is complete. With more than
    `MAX_TESTED_SCORES` scores in all columns together, a single card says that the other parts are not computed.
    """
    if not test_set(name).judged:
        return ""
    user_scores = join_judgments(name, rows, data, digest)
    stories, columns = len(rows), len(user_scores.scores)
    if stories * columns > MAX_TESTED_SCORES:
        reason = (
            f"Expected at most {MAX_TESTED_SCORES:,} scores (stories times columns) for the other parts of the report, got "
            f"{stories * columns:,} ({stories:,} times {columns})"
        )
        return _card(
            "Report",
            f"<p>{reason}; <code>openmeva benchmark --judged RATED --scores FILE</code> takes any number.</p>",
        )
    parts = _parts(name, user_scores, data)
    titles = list(user_scores.scores)
    return "".join(
        _card(part.title, html) for part, html in zip(parts, sections_html(parts, titles), strict=True)
    )


def _card(title: str, html: str) -> str:
    return (
        f'<section class="om om-card om-report" aria-label="{escape(title)}"><h2>{escape(title)}</h2>{html}'
        "</section>"
    )


def _parts(name: str, user_scores: JudgedScores, data: Path | None) -> list[Section]:
    entry = test_set(name)
    if not user_scores.from_server:
        entry = replace(entry, configuration="judgments")  # on the scale in which they were given
    if not user_scores.same:
        entry = replace(entry, title="Your judgments")
    others = released_scores(name, user_scores.stories, data) if user_scores.from_server else {}
    result = judge_set(entry, user_scores.stories, user_scores.scores, others, Sampling(DRAWS, SEED))
    printed = read_published()["correlations"].get(name, {}) if user_scores.same else {}
    parts = [agreement_section(name, result, printed), system_section(name, result)]
    if others or len(user_scores.scores) > 1:
        parts.insert(1, comparison_section(result))
    if user_scores.from_server:
        parts.append(disagreement_section(result, []))
    return parts
