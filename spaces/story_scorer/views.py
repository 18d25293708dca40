"""HTML of the story scorer's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.metrics.core.repetition import repetition_note
from openmeva.metrics.core.text_warnings import summarize_warnings
from openmeva.metrics.core.writing import csv_text
from openmeva.spaces.catalogue import CatalogueEntry
from openmeva.spaces.distributions import percent
from openmeva.spaces.drawing import histogram
from openmeva.spaces.markup import (
    escape,
    format_change,
    format_number,
    hint,
    missing_score_notes,
    with_tooltip,
)
from openmeva.spaces.scorer import Score
from openmeva.spaces.story_scorer.file_scores import KEPT_COLUMNS, FileScores
from openmeva.spaces.story_scorer.markup import (
    headline,
    legend,
    likely_errors,
    metric_row,
    metric_rows,
    shaded_sentences,
)
from openmeva.spaces.story_scorer.reliability import Reliability, ReliabilityTable
from openmeva.spaces.story_scorer.service import Answer
from openmeva.spaces.story_scorer.systems import Comparison
from openmeva.spaces.tables import data_link, to_jsonl
from openmeva.spaces.verdicts import Verdict, human_percentile_rank, verdict_between
from openmeva.training.benchmark.tables.number_format import few_prompts_note, format_p_value

COSTS = "What each sentence costs"
BLANK = (
    '<div class="om om-card om-blank"><h2>The verdict will appear here</h2><p>Paste a story and press “Score”, or take '
    "an example. You get a verdict, the percentile of the score among human stories, the sentences that lower a doubtful "
    "score, and the scores of all metrics on request.</p></div>"
)
BLANK_PAIR = (
    '<div class="om om-card om-blank"><h2>Two stories side by side</h2><p>Which of two stories is better, is the '
    "difference more than noise, and where does each of them lose points?</p></div>"
)
BLANK_FILE = (
    '<div class="om om-card om-blank"><h2>Scores for a whole file</h2><p>CSV or TSV with a header, JSON lines or Parquet: a '
    "column <code>story</code>, and optionally <code>context</code>, <code>reference</code> and <code>story_id</code>; or "
    "text with one story per line. At most 500 rows and 2 MB.</p></div>"
)
BLANK_SYSTEMS = (
    '<div class="om om-card om-blank"><h2>Two systems on the same prompts</h2><p>Give one file of stories per system. Rows are '
    "matched by <code>story_id</code>, else by <code>context</code>, else by position. Which system’s stories are better, "
    "how certain is the difference, and where is it largest? Stories with the same <code>context</code> count as one "
    "prompt.</p></div>"
)


def verdict(found: Answer, catalogue: Mapping[str, CatalogueEntry], reliabilities: ReliabilityTable) -> str:
    """The verdict on a story, and the recommended metric's row."""
    main = found.verdict.score
    if main is None:
        return headline(found.verdict)
    entry = catalogue[main.metric]
    return headline(
        found.verdict, metric_row(entry, main, reliabilities.of(entry, main.number, found.corpus))
    )


def all_metrics(
    scores: Sequence[Score],
    corpus: str,
    catalogue: Mapping[str, CatalogueEntry],
    reliabilities: ReliabilityTable,
) -> str:
    """Every metric's number for a story."""

    def reliability(score: Score) -> Reliability | None:
        return reliabilities.of(catalogue[score.metric], score.number, corpus)

    return (
        '<section class="om" aria-label="All metrics"><p class="om-note">The metrics disagree, and none is certain. For '
        f"each, see what it measures and how far to trust it.</p>{metric_rows(catalogue, scores, reliability)}</section>"
    )


def _folded(title: str, inside: str) -> str:
    return (
        f'<details class="om om-card om-folded"><summary><h2>{title}</h2></summary><section aria-label="{title}">'
        f"{inside}</section></details>"
    )


def reasons(answer: Answer, title: str) -> str:
    """The story, its sentences shaded by their costs, and its likely errors, as far as they have been computed."""
    main = answer.verdict.score
    plain = f'<p class="om-story">{escape(answer.text.whole(answer.corpus))}</p>'
    errors = likely_errors(answer.diagnosis, main.number.title if main else "the score")
    coming = f'<p class="om-note" role="status">Looking for {answer.pending} …</p>' if answer.pending else ""
    return (
        f'<section class="om om-card" aria-label="{escape(title)}" aria-busy="{str(bool(coming)).lower()}">'
        f"<h2>{escape(title)}</h2>{_story_with_costs(answer) or plain}{errors}{coming}</section>"
    )


def costs(answer: Answer) -> str:
    """Only the cost of each sentence of a story."""
    lacking = '<p class="om-note">No available metric can tell which sentences matter.</p>'
    return f'<section class="om" aria-label="{COSTS}">{_story_with_costs(answer) or lacking}</section>'


def _story_with_costs(answer: Answer) -> str:
    """The story with its shaded sentences; blank where their costs were not computed."""
    if not answer.sentences:
        return ""
    edited = any(word.suggestion is not None for sentence in answer.sentences for word in sentence.words)
    note = repetition_note(answer.repetition)
    return (
        shaded_sentences(answer.sentences)
        + legend(answer.explained_by, edited)
        + (f'<p class="om-note">{escape(note)}</p>' if note else "")
    )


def two_stories(first: Answer, second: Answer) -> str:
    """Which of two stories is better, both side by side, and, folded, which of them each metric prefers."""
    rows = []
    lacking: dict[str, list[str]] = {}
    for a, b in zip(first.scores, second.scores, strict=True):
        name = with_tooltip(a.number.title, hint(a.number))
        if a.value is None or b.value is None:
            lacking.setdefault(a.note or b.note, []).append(name)
            continue
        gap = (a.value - b.value) * (1 if a.number.higher else -1)
        words = (
            "about equal" if abs(a.value - b.value) < 0.005 else "first story" if gap > 0 else "second story"
        )
        marks = ("om-better", "") if gap > 0 else ("", "om-better")
        marks = ("", "") if words == "about equal" else marks
        rows.append(
            f'<tr><th scope="row">{name}</th><td class="om-n {marks[0]}">{format_number(a.value)}</td>'
            f'<td class="om-n {marks[1]}">{format_number(b.value)}</td><td>{words}</td></tr>'
        )
    between = verdict_between(first.scores, second.scores, [first.warning, second.warning])
    return (
        f"{headline(between)}"
        f'<div class="om om-two">{reasons(first, "First story")}{reasons(second, "Second story")}</div>'
        + _folded(
            "All metrics",
            '<div class="om-scroll" tabindex="0" role="region" aria-label="Comparison"><table><thead><tr>'
            '<th scope="col">metric</th><th scope="col" class="om-n">first</th><th scope="col" class="om-n">second</th>'
            f'<th scope="col">prefers</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
            f"{missing_score_notes(lacking)}",
        )
    )


def file_table(scored: FileScores, name: str = "") -> str:
    """The scores of the file `name`: means, a histogram, and the rows, also as downloads."""
    rows = scored.rows
    names = [key for key in rows[0] if key not in (*KEPT_COLUMNS, "warning")]
    flagged = summarize_warnings([row.get("warning") for row in rows])
    heads = "".join(
        f'<th scope="col" class="om-n" aria-sort="none"><button type="button">{escape(name)}</button></th>'
        for name in names
    )
    body = "".join(
        f'<tr><td class="om-n" data-value="{number}">{number}</td><td class="om-text" data-text="{escape(str(row["story"]))}">{escape(_short(str(row["story"])))}'
        f"{_flag(row.get('warning'))}</td>" + "".join(_cell(row[name]) for name in names) + "</tr>"
        for number, row in enumerate(rows, 1)
    )
    means = ", ".join(f"{escape(name)} {format_number(_mean(rows, name))}" for name in names)
    of = f'<p class="om-note">from {escape(name)}</p>' if name else ""
    flagged = f"<p><b>{escape(flagged)}.</b></p>" if flagged else ""
    return (
        f'<section class="om om-card" aria-label="Scores of the file"><h2>{len(rows)} stories scored</h2>{of}'
        f'<p class="om-note">Means: {means or "no metric could score these rows"}. Press a heading to sort.</p>'
        f'{flagged}{_human_histogram(scored.main)}<div class="om-buttons" style="margin:6px 0 14px">'
        f'<a class="om-button" download="scores.csv" href="{data_link(csv_text(rows), "csv")}">Download CSV</a>'
        f'<a class="om-button" download="scores.jsonl" href="{data_link(to_jsonl(rows), "jsonl")}">Download JSONL</a>'
        '</div><p class="om-filter"><label>Show the rows with <input type="search" placeholder="a word of the story or warning">'
        '</label> <output></output></p><div class="om-scroll" tabindex="0" role="region" aria-label="Table of scores">'
        "<table><thead><tr>"
        '<th scope="col" class="om-n" aria-sort="ascending"><button type="button">row</button></th>'
        f'<th scope="col">story</th>{heads}</tr></thead><tbody>{body}</tbody></table></div></section>'
    )


def _human_histogram(scores: Sequence[Score]) -> str:
    """A histogram of the recommended metric's scores, with the density of human stories."""
    rank = human_percentile_rank(scores[0]) if scores else None
    if rank is None:
        return ""
    number = scores[0].number
    chart = histogram(
        [score.value for score in scores if score.value is not None], rank, number.low, number.high
    )
    return (
        f'<figure class="om-histogram">{chart}<figcaption class="om-note">{escape(number.title)} of these stories (bars) and '
        f"of {rank.count:,} human ones (line)</figcaption></figure>"
    )


def _flag(warning: str | None) -> str:
    return f'<p class="om-note om-flag">{escape(warning)}</p>' if warning else ""


def two_systems(comparison: Comparison) -> str:
    """Which of two systems is better, with the interval, and the pairs of stories that differ most."""
    low, high = comparison.interval
    better = "first" if comparison.difference > 0 else "second"
    words = (
        f"The {better} system’s stories hold together better"
        if comparison.is_clear
        else "No clear difference"
    )
    count = len(comparison.pairs)
    each = "prompts" if comparison.prompts == count else "pairs"
    over = f"{count} {each}" + (
        f" of {comparison.prompts} prompts" if comparison.prompts not in (None, count) else ""
    )
    why = (
        f"{comparison.title}, first minus second: {format_change(comparison.difference)} on average over {over}, 95 % "
        f"interval {format_change(low)} to {format_change(high)}, p {format_p_value(comparison.p_value)}. The first has the better story for {_share(comparison.won)} of {each}; ties count "
        "half."
    )
    if comparison.unscored:
        why += f" {comparison.unscored} {each} are excluded: a story has no score."
    if few := few_prompts_note(comparison.prompts or count):
        why += f" Note: {few}."
    flagged = summarize_warnings(comparison.warnings)
    more = f"<p><b>{escape(flagged)}.</b></p>" if flagged else ""
    examples = "".join(
        f'<h3 class="om-prompt">{escape(pair.prompt) or "The same prompt"}</h3><div class="om-two">'
        + "".join(
            f'<div><p class="om-note">{name} system, {format_number(score)}</p>'
            f'<p class="om-story">{escape(_short(story, 600))}</p></div>'
            for name, story, score in zip(("First", "Second"), pair.stories, pair.scores, strict=True)
        )
        + "</div>"
        for pair in comparison.most_different
    )
    return (
        headline(Verdict(words, why, "good" if comparison.is_clear else "none"), more)
        + '<section class="om om-card" aria-label="Greatest differences"><h2>Where they differ most</h2>'
        f"{examples}</section>"
    )


def _share(value: float) -> str:
    """An exact share as a percentage: `100 %` only for all, and `0 %` only for none."""
    return f"{100 * value:.0f} %" if value in (0.0, 1.0) else percent(100 * value)


def _cell(value: Any) -> str:
    if value is None:
        return '<td class="om-n" data-value="">–</td>'
    return f'<td class="om-n" data-value="{float(value)!r}">{format_number(float(value))}</td>'


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    values = [row[name] for row in rows if row[name] is not None]
    return sum(values) / len(values)


def _short(text: str, most: int = 160) -> str:
    return text if len(text) <= most else f"{text[: most - 3].rstrip()} …"
