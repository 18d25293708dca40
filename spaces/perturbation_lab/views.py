"""HTML of the perturbation lab's cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from openmeva.metrics.core.writing import csv_text
from openmeva.spaces import shell
from openmeva.spaces.catalogue import Number
from openmeva.spaces.markup import (
    escape,
    format_change,
    format_number,
    hint,
    missing_score_notes,
    with_tooltip,
)
from openmeva.spaces.perturbation_lab.lab import LOOKS_FOR, Case, case_rows
from openmeva.spaces.scorer import Score
from openmeva.spaces.tables import data_link, to_jsonl
from openmeva.spaces.verdicts import human_percentile_rank, noise_bound
from openmeva.training.perturbations import ASPECTS, Perturbed

BLANK = (
    '<div class="om om-card om-blank"><h2>The changed story will appear here</h2><p>Choose an aspect, paste a story or '
    "take the example, and press “Perturb”. Changes are marked, and each metric's scores are compared.</p></div>"
)
_SMALL = 0.005  # a smaller change counts as none where no scores of human stories are available
_NOISE_SHARE = 0.2  # a change counts if this share of pairs of human stories differ by less
_NOISE = "A change counts if at least one in five pairs of human stories differ by less; a smaller change is noise."


def marked_changes(original: str, perturbed: Perturbed) -> str:
    """The perturbed story, with deletions struck through and insertions highlighted."""
    parts = []
    at = 0
    for span in perturbed.spans:
        parts.append(escape(original[at : span.original_start]))
        old = original[span.original_start : span.original_end]
        new = perturbed.story[span.start : span.end]
        if old.strip():
            parts.append(f"<del>{escape(old)}</del>")
        parts.append(f"<ins>{escape(new)}</ins>" if new.strip() else escape(new))
        at = span.original_end
    return f'<p class="om-story">{"".join(parts)}{escape(original[at:])}</p>'


def case(found: Case) -> str:
    """One case: the story with its changes, scores before and after, and links."""
    aspect = ASPECTS[found.aspect]
    if found.perturbed is None:
        return (
            f'<section class="om om-card" role="status"><h2>{escape(aspect.title)}: nothing to change</h2>'
            f"<p>{escape(aspect.meaning)} It looks for {escape(LOOKS_FOR[found.aspect])}, and found nothing here that it can "
            f"change. Try another aspect or seed, or another story.</p></section>"
        )
    technique = found.perturbed.technique.replace("_", " ")
    aim = (
        with_tooltip("should become worse", "A good metric gives the changed story a worse score.")
        if found.should_worsen
        else with_tooltip(
            "should stay as good", "A robust metric gives the changed story about the same score."
        )
    )
    lacking: dict[str, list[str]] = {}
    rows = ""
    for a, b in zip(found.before, found.after, strict=True):
        if a.value is None or b.value is None:
            lacking.setdefault(a.note or b.note, []).append(with_tooltip(a.number.title, hint(a.number)))
        else:
            rows += _score_row(a, b, found.should_worsen)
    address = f"{shell.space_url('story_scorer')}/#{urlencode({'kind': found.corpus, 'story': found.perturbed.story})}"
    files = case_rows([found])
    return (
        f'<section class="om om-card" aria-label="Changed story"><h2>{escape(aspect.title)}: {escape(technique)}</h2>'
        f'{marked_changes(found.text.story, found.perturbed)}<p class="om-legend"><span><del>deleted</del></span>'
        f"<span><ins>inserted</ins></span><span>The story {aim}.</span></p>"
        f'<div class="om-buttons"><a class="om-button" href="{escape(address)}" {shell.NEW_TAB}>Open in the story scorer</a>'
        f'<a class="om-button" download="case.jsonl" href="{data_link(to_jsonl(files), "jsonl")}">Download the case</a>'
        '</div></section><section class="om om-card" aria-label="Scores"><h2>Scores of the metrics</h2>'
        '<div class="om-scroll" tabindex="0" role="region" aria-label="Scores before and after"><table><thead><tr>'
        '<th scope="col">metric</th><th scope="col" class="om-n">before</th><th scope="col" class="om-n">after</th>'
        f'<th scope="col" class="om-n">{with_tooltip("better (+) or worse (−)", "The same direction for all metrics: a minus is worse, also for perplexity.")}'
        f'</th><th scope="col">{with_tooltip("verdict", _NOISE)}</th></tr></thead><tbody>{rows}</tbody></table></div>'
        f"{missing_score_notes(lacking)}</section>"
    )


def improvement(before: Score, after: Score) -> float | None:
    """How much better a metric scores the second story, positive for better whatever the metric's direction; `None` unless
    both have scores."""
    if before.value is None or after.value is None:
        return None
    return (after.value - before.value) * (1 if before.number.higher else -1)


def is_worse(before: Score, after: Score) -> bool:
    """Whether a metric scores the second story worse by more than noise."""
    change, rank = improvement(before, after), human_percentile_rank(before)
    bound = noise_bound(rank.quantiles, _NOISE_SHARE) if rank else _SMALL
    return change is not None and change < -max(bound, _SMALL)


def _score_row(before: Score, after: Score, should_worsen: bool) -> str:
    number, worse, change = before.number, is_worse(before, after), improvement(before, after)
    assert before.value is not None
    assert after.value is not None
    assert change is not None
    if should_worsen:
        verdict = (
            '<span class="om-better">noticed</span>' if worse else '<span class="om-worse">missed</span>'
        )
    else:
        verdict = "marked down" if worse else "marked up" if is_worse(after, before) else "unmoved"
    return (
        f'<tr><th scope="row">{with_tooltip(number.title, hint(number))}</th><td class="om-n">{format_number(before.value)}</td>'
        f'<td class="om-n">{format_number(after.value)}</td><td class="om-n">{format_change(change)}</td><td>{verdict}</td></tr>'
    )


def all_aspects(cases: Sequence[Case], lacking: Mapping[str, str]) -> str:
    """All aspects in a table: the changed story, and the change of each metric's score."""
    first: dict[str, Number] = {}  # number of each metric
    for score in cases[0].before if cases else ():
        if score.value is not None:
            first.setdefault(score.metric, score.number)
    numbers = list(first.values())
    heads = "".join(
        f'<th scope="col" class="om-n" aria-sort="none"><button type="button">{escape(n.title)}</button></th>'
        for n in numbers
    )
    body = []
    for found in cases:
        aspect = ASPECTS[found.aspect]
        name = (
            f"{with_tooltip(aspect.title, aspect.meaning)} "
            f'<span class="om-kind">{"should hurt" if found.should_worsen else "should not hurt"}</span>'
        )
        if found.perturbed is None:
            why = f'<p class="om-note">nothing to change: the aspect looks for {escape(LOOKS_FOR[found.aspect])}</p>'
            body.append(_aspect_row(name, why, _blank(len(numbers))))
            continue
        shown = marked_changes(found.text.story, found.perturbed).replace(
            'class="om-story"', 'class="om-note"'
        )
        shown = f"<details><summary>changed story</summary>{shown}</details>"
        changes = {a.number.title: improvement(a, b) for a, b in zip(found.before, found.after, strict=True)}
        cells = "".join(_change(changes.get(n.title)) for n in numbers)
        body.append(_aspect_row(name, shown, cells))
    body += [
        _aspect_row(
            escape(ASPECTS[name].title), f'<p class="om-note">{escape(why)}</p>', _blank(len(numbers))
        )
        for name, why in lacking.items()
    ]
    rows = case_rows(cases)
    links = (
        f'<a class="om-button" download="cases.csv" href="{data_link(csv_text(rows), "csv")}">Download CSV</a>'
        f'<a class="om-button" download="cases.jsonl" href="{data_link(to_jsonl(rows), "jsonl")}">Download JSONL</a>'
    )
    return (
        '<section class="om om-card" aria-label="All aspects"><h2>All aspects</h2><p class="om-note">Numbers show how '
        "much better (+) or worse (−) the changed story scores. Press a heading to sort.</p>"
        f'<div class="om-buttons" style="margin:6px 0 14px">{links if rows else ""}</div>'
        '<div class="om-scroll" tabindex="0" role="region" aria-label="All aspects"><table class="om-tight"><thead><tr>'
        f'<th scope="col">aspect and changed story</th>{heads}</tr></thead><tbody>{"".join(body)}</tbody>'
        "</table></div></section>"
    )


def _aspect_row(name: str, story: str, cells: str) -> str:
    return f'<tr><th scope="row" class="om-case">{name}{story}</th>{cells}</tr>'


def _blank(count: int) -> str:
    return '<td class="om-n" data-value="">–</td>' * count


def _change(value: float | None) -> str:
    if value is None:
        return _blank(1)
    return f'<td class="om-n" data-value="{value!r}">{format_change(value)}</td>'
