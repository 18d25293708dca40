"""How the story scorer shows its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.spaces.catalogue import CatalogueEntry
from openmeva.spaces.markup import (
    escape,
    hint,
    lacking_lines,
    legend,
    metric_rows,
    number,
    shaded,
    tip,
    verdict,
)
from openmeva.spaces.story_scorer.service import Answer
from openmeva.spaces.tables import data_link, to_csv, to_jsonl

_SHOWN_ROWS = 100
BLANK = (
    '<div class="om om-card om-blank"><h2>Scores will stand here</h2><p>Paste a story and press “Score”, or take '
    "an example. Each number comes with where it falls among human and machine-made stories, and the sentences that "
    "cost it are shaded.</p></div>"
)
BLANK_PAIR = (
    '<div class="om om-card om-blank"><h2>Two stories side by side</h2><p>Which of two stories does each metric '
    "prefer, and where does each of them lose points?</p></div>"
)
BLANK_FILE = (
    '<div class="om om-card om-blank"><h2>Scores for a whole file</h2><p>A CSV with a heading, or JSON lines: a '
    "column <code>story</code>, and <code>context</code>, <code>reference</code> and <code>story_id</code> where you "
    "have them. At most 500 rows and 2 MB.</p></div>"
)


def one_story(found: Answer, catalogue: Mapping[str, CatalogueEntry]) -> str:
    """Everything about one story."""
    return reasons(found, "Your story") + (
        '<section class="om om-card" aria-label="Scores"><h2>Scores</h2>'
        + metric_rows(catalogue, found.scores)
        + "</section>"
    )


def reasons(found: Answer, title: str) -> str:
    """The story with its shaded sentences and its likely error."""
    if not found.sentences:
        return (
            f'<section class="om om-card"><h2>{escape(title)}</h2><p class="om-story">{escape(found.text.story)}</p>'
            '<p class="om-note">No metric here can say which sentences matter.</p></section>'
        )
    return (
        f'<section class="om om-card" aria-label="{escape(title)}"><h2>{escape(title)}</h2>'
        f"{shaded(found.sentences)}{legend(found.explained_by)}{verdict(found.diagnosis, len(found.sentences))}"
        "</section>"
    )


def two_stories(first: Answer, second: Answer) -> str:
    """Two stories beside each other, and which of them each metric prefers."""
    rows = []
    lacking: dict[str, list[str]] = {}
    for a, b in zip(first.scores, second.scores, strict=True):
        name = tip(a.number.title, hint(a.number))
        if a.value is None or b.value is None:
            lacking.setdefault(a.note or b.note, []).append(name)
            continue
        gap = (a.value - b.value) * (1 if a.number.higher else -1)
        words = (
            "about alike" if abs(a.value - b.value) < 0.005 else "first story" if gap > 0 else "second story"
        )
        marks = ("om-better", "") if gap > 0 else ("", "om-better")
        marks = ("", "") if words == "about alike" else marks
        rows.append(
            f'<tr><th scope="row">{name}</th><td class="om-n {marks[0]}">{number(a.value)}</td>'
            f'<td class="om-n {marks[1]}">{number(b.value)}</td><td>{words}</td></tr>'
        )
    return (
        f'<div class="om om-two">{reasons(first, "First story")}{reasons(second, "Second story")}</div>'
        '<section class="om om-card" style="margin-top:14px" aria-label="Comparison"><h2>Which does each metric '
        'prefer?</h2><div class="om-scroll" tabindex="0" role="region" aria-label="Comparison"><table><thead><tr>'
        '<th scope="col">metric</th><th scope="col" class="om-n">first</th><th scope="col" class="om-n">second</th>'
        f'<th scope="col">prefers</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>{lacking_lines(lacking)}</section>'
    )


def file_table(rows: Sequence[Mapping[str, Any]], signatures: Sequence[str] = ()) -> str:
    """A file's scores: means, the first rows, and the whole as downloads."""
    names = [name for name in rows[0] if name not in ("story_id", "story", "context", "reference")]
    heads = "".join(
        f'<th scope="col" class="om-n" aria-sort="none"><button type="button">{escape(name)}</button></th>'
        for name in names
    )
    body = "".join(
        f'<tr><td class="om-n" data-value="{place}">{place}</td><td class="om-text">{escape(_short(str(row["story"])))}</td>'
        + "".join(_cell(row[name]) for name in names)
        + "</tr>"
        for place, row in enumerate(rows[:_SHOWN_ROWS], 1)
    )
    means = ", ".join(f"{escape(name)} {number(_mean(rows, name))}" for name in names)
    more = f" The first {_SHOWN_ROWS} are shown." if len(rows) > _SHOWN_ROWS else ""
    return (
        f'<section class="om om-card" aria-label="Scores of the file"><h2>{len(rows)} stories scored</h2>'
        f'<p class="om-note">Means: {means or "no metric could score these rows"}.{more} Press a heading to sort.</p>'
        '<div class="om-buttons" style="margin:6px 0 14px">'
        f'<a class="om-button" download="scores.csv" href="{data_link(to_csv(rows), "csv")}">Download CSV</a>'
        f'<a class="om-button" download="scores.jsonl" href="{data_link(to_jsonl(rows), "jsonl")}">Download JSONL</a>'
        '</div><div class="om-scroll" tabindex="0" role="region" aria-label="Table of scores"><table><thead><tr>'
        '<th scope="col" class="om-n" aria-sort="ascending"><button type="button">row</button></th>'
        f'<th scope="col">story</th>{heads}</tr></thead><tbody>{body}</tbody></table></div></section>'
    )


def _cell(value: Any) -> str:
    if value is None:
        return '<td class="om-n" data-value="">–</td>'
    return f'<td class="om-n" data-value="{float(value)!r}">{number(float(value))}</td>'


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    values = [row[name] for row in rows if row[name] is not None]
    return sum(values) / len(values)


def _short(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:157].rstrip()} …"
