"""HTML of a story's verdict, its reasons and its scores, the parts of the story scorer's answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from openmeva.spaces import shell
from openmeva.spaces.catalogue import CatalogueEntry, Number
from openmeva.spaces.distributions import percent
from openmeva.spaces.drawing import ridges
from openmeva.spaces.markup import escape, format_number, hint, missing_score_notes, with_tooltip
from openmeva.spaces.scorer import Score
from openmeva.spaces.story_scorer.alignment import ExplainedSentence
from openmeva.spaces.story_scorer.diagnosis import ERROR_TYPES, Diagnosis, StoryError
from openmeva.spaces.story_scorer.reliability import Reliability
from openmeva.spaces.verdicts import Verdict

# Cost of a sentence from which the shading has its full colour.
FULL_COST = 0.5
# Cost below which a sentence is not shaded: dropping any sentence changes the score slightly.
MIN_COST = 0.02


def shaded_sentences(sentences: Sequence[ExplainedSentence]) -> str:
    """The story, its sentences shaded by their costs, with the words marked that UNION would change."""
    parts = []
    for sentence in sentences:
        inside = "".join(
            escape(word.text)
            if word.suggestion is None
            else f'<span class="om-tip om-edit" tabindex="0">{escape(word.text)}<span role="note">'
            + (f"suggested: “{escape(word.suggestion)}”" if word.suggestion else "suggested: delete")
            + "</span></span>"
            for word in sentence.words
        )
        if sentence.gain >= MIN_COST:
            share = 0.12 + 0.5 * min(1.0, sentence.gain / FULL_COST)
            inside = (
                f'<mark style="--share:{share:.2f}" title="Without this sentence the score is {sentence.gain:.2f} '
                f'higher">{inside}</mark><span class="om-hidden"> (costs {sentence.gain:.2f})</span>'
            )
        parts.append(inside)
    return f'<p class="om-story">{" ".join(parts)}</p>'


def legend(title: str, edited: bool) -> str:
    """The legend of the shading, by the metric `title`, and, where words are `edited`, of the marks."""
    words = (
        '<span><span class="om-story om-edit" style="line-height:1;font-size:1em">word</span> '
        + with_tooltip(
            "UNION would change it",
            "UNION's reconstruction head predicts the undamaged word. Hover or focus a word.",
        )
        + "</span>"
    )
    return (
        '<p class="om-legend"><span><i style="background:rgba(var(--om-cost),.2)"></i>'
        '<i style="background:rgba(var(--om-cost),.6)"></i>'
        + with_tooltip(
            f"costs the story ({title})",
            "The metric's score without the sentence minus the score with it; darker means more.",
        )
        + f"</span>{words if edited else ''}</p>"
    )


def headline(found: Verdict, more: str = "") -> str:
    """The verdict as a headline; `more` is HTML shown below it."""
    return (
        f'<section class="om om-card om-headline om-tone-{found.tone}" role="status" aria-label="Verdict">'
        f"<h2>{escape(found.words)}</h2><p>{escape(found.why)}</p>{more}</section>"
    )


def likely_errors(diagnosis: Diagnosis | None, title: str) -> str:
    """The likely errors, their sentences, and the score of the metric `title` after repair."""
    if diagnosis is None:
        return ""
    why = (
        f"A guess, made only where a story scores lower than nearly all human stories or repeats a sentence. Repairs of "
        f"each error type are tried, and those after which {title} rises are reported as errors."
    )
    if not diagnosis.errors:
        tried = diagnosis.untried or "None of the repairs tried raises the score much."
        return (
            f'<p class="om-verdict"><span class="om-tag">{with_tooltip("unknown error", why)}</span><span>Something is wrong, but '
            f"we cannot tell what. {escape(tried)}</span></p>"
        )
    items = "".join(f"<li>{escape(_error_sentence(error))}</li>" for error in diagnosis.errors)
    gain = diagnosis.after - diagnosis.before
    effect = (
        f"Fixing this would raise {title} from {format_number(diagnosis.before)} to {format_number(diagnosis.after)}."
        if gain >= MIN_COST
        else f"Fixing this would not raise {title}."
    )
    plural = "s" if len(diagnosis.errors) > 1 else ""
    return (
        f'<div class="om-verdict"><span class="om-tag">{with_tooltip(f"likely error{plural}", why)}</span><div>'
        f'<ul class="om-faults">{items}</ul><p>{escape(effect)}</p></div></div>'
    )


def _error_sentence(error: StoryError) -> str:
    numbers = " and ".join(str(index + 1) for index in error.sentences)
    return f"{ERROR_TYPES[error.error_type]}: sentence{'s' if len(error.sentences) > 1 else ''} {numbers}."


def metric_name(entry: CatalogueEntry, number: Number) -> str:
    """A metric's name with its meaning as a tooltip, and links to its card and paper."""
    return (
        f"<h3>{with_tooltip(number.title, hint(number))}</h3>"
        f'<p class="om-note"><a href="{escape(shell.card_url(entry.name))}" {shell.NEW_TAB} '
        f'aria-label="Card of {escape(entry.title)}">card</a> · <a href="{escape(entry.paper_url)}" {shell.NEW_TAB} '
        f'aria-label="Paper: {escape(entry.paper_title)}">paper</a></p>'
    )


def metric_rows(
    catalogue: Mapping[str, CatalogueEntry],
    scores: Sequence[Score],
    reliability: Callable[[Score], Reliability | None],
) -> str:
    """Every number with its percentiles and how far to trust it; numbers without a score are grouped by the reason."""
    rows = [
        metric_row(catalogue[score.metric], score, reliability(score))
        for score in scores
        if score.value is not None
    ]
    lacking: dict[str, list[str]] = {}
    for score in scores:
        if score.value is None:
            lacking.setdefault(score.note, []).append(with_tooltip(score.number.title, hint(score.number)))
    return "".join(rows) + missing_score_notes(lacking)


def metric_row(entry: CatalogueEntry, score: Score, reliability: Reliability | None) -> str:
    """One number of one metric that has a value: its percentiles, what it measures, and how far to trust it."""
    number = score.number
    assert score.value is not None
    name = metric_name(entry, number)
    percentiles = "".join(
        f'<p class="om-where"><span class="om-dot om-{p.colour}"></span>better '
        f"than <b>{percent(p.better_than)}</b> of {with_tooltip(p.label, f'{p.count:,} stories, none from a judged set.')}</p>"
        for p in score.percentile_ranks
    )
    chart = ridges(score.value, score.percentile_ranks, number.low, number.high)
    percentiles = percentiles or '<p class="om-note">No reference scores for these weights yet.</p>'
    scale = f"{number.low:g} to {number.high:g}" if number.low is not None and number.high is not None else ""
    direction = "higher is better" if number.higher else "lower is better"
    return (
        f'<div class="om-metric"><div>{name}</div>'
        f'<div class="om-value">{format_number(score.value)}<small>{scale or direction}</small></div>'
        f'<div>{chart}{percentiles}</div><p class="om-note om-about">{escape(metric_description(entry, number, reliability))}</p></div>'
    )


def metric_description(entry: CatalogueEntry, number: Number, reliability: Reliability | None) -> str:
    """What a number measures, what it is blind to, and how far to trust it, one sentence each."""
    return " ".join(
        part for part in (number.meaning, entry.blind, reliability.sentence if reliability else "") if part
    )
