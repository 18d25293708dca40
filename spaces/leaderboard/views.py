"""HTML of the leaderboard's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.spaces.drawing import Axis, axis_over, axis_scale, interval_chart
from openmeva.spaces.markup import escape, with_tooltip
from openmeva.training.benchmark.data.sets import test_set
from openmeva.training.benchmark.results.autos import mean_known
from openmeva.training.benchmark.results.titles import OURS, RELEASED, TRIVIAL, metric_of, printed_title
from openmeva.training.benchmark.tables.number_format import (
    format_interval,
    format_number,
    own_references_note,
    row_title,
)

KINDS = {
    OURS: ("this project", "Metrics of this project, run by `make benchmark`."),
    RELEASED: ("released", "Scores that the authors of papers or others released for the same stories."),
    TRIVIAL: (
        "trivial",
        "Trivial baselines such as length or distinct-2, with their signs; † compares with their absolute values.",
    ),
    "paper": ("in the paper", "Printed in the paper, for its complete test set: not the same stories."),
    "you": ("yours", "Your scores, not stored."),
}
COEFFICIENTS = {
    "pearson": ("Pearson", "Linear correlation with the mean human judgment, −1 to 1. Higher is better."),
    "spearman": ("Spearman", "Correlation of the ranks, −1 to 1. Higher is better."),
    "kendall": ("Kendall", "Share of story pairs ordered as humans do minus the rest, −1 to 1 (tau-b)."),
}


def judged_table(result: Mapping[str, Any], coefficient: str, mine: Sequence[Mapping[str, Any]] = ()) -> str:
    """One judged set: the metrics that ran on its stories, and in a separate table the papers' results; sortable.

    One row per metric, with the chosen coefficient, a chart of its interval, and the number of stories. Rows of `mine`
    that were measured on other stories are in a third table.
    """
    printed = [row for row in result["rows"] if row["kind"] == "paper" and row[coefficient] is not None]
    same = [row for row in result["rows"] if row["kind"] != "paper"]
    same += [row for row in mine if row["same_stories"]]
    on_other_stories = [row for row in mine if not row["same_stories"]]
    title, hint = COEFFICIENTS[coefficient]
    level = with_tooltip(
        "over all stories together",
        "Not the mean over prompts or the correlation of systems, which are other levels.",
    )
    note = f"Measured on the same {result['n']} stories of {result['prompts']} prompts. {with_tooltip(title, hint)}, {level}"
    ceiling = result["ceiling"].get(coefficient)
    if ceiling is not None:
        note += f"; {with_tooltip('noise ceiling', 'What a perfect metric could reach, given how well raters agree.')} {format_number(ceiling, 2)}"
    if own := own_references_note(result):
        note += f". {own}"
    parts = [_table(result["title"], f"{note}. Press a heading to sort.", same, coefficient, result["n"])]
    if on_other_stories:
        note = (
            f"Measured on other stories than {escape(result['title'])}: not comparable with the table above."
        )
        parts.append(_table(f"{result['title']}: your judgments", note, on_other_stories, coefficient, None))
    if printed:
        count = result.get("paper_stories")
        on = f"{count:,} stories" if count else "the paper’s complete test set"
        if count and count != result["n"]:
            on += f", of which the {result['n']} above are a part"
        note = (
            f"{escape(result['paper_note'])}, over all stories together: on {on}. Printed without intervals."
        )
        parts.append(_table(f"{result['title']}, as printed", note, printed, coefficient, count))
    return "".join(parts)


def _table(
    title: str, note: str, rows: Sequence[Mapping[str, Any]], coefficient: str, stories: int | None
) -> str:
    rows = sorted(rows, key=lambda row: -(row[coefficient] if row[coefficient] is not None else -9.0))
    others = [name for name in COEFFICIENTS if name != coefficient]
    intervals = any((row.get("intervals") or {}).get(coefficient) for row in rows)
    axis = _axis(rows, coefficient)
    heads = (
        _head("metric", "none")
        + _head(COEFFICIENTS[coefficient][0], "descending", True)
        + (f'<th scope="col" class="om-bar">95 % interval{axis_scale(axis)}</th>' if intervals else "")
        + "".join(_head(COEFFICIENTS[name][0], "none", True) for name in others)
        + _head("stories", "none", True)
    )
    body = "".join(
        _judged_row(row, coefficient, others, axis if intervals else None, stories) for row in rows
    )
    return _card(title, note, heads, body)


def _axis(rows: Sequence[Mapping[str, Any]], coefficient: str) -> Axis:
    """One axis for all intervals of a table."""
    ends = [end for row in rows for end in (row.get("intervals") or {}).get(coefficient) or ()]
    return axis_over([*ends, *(row[coefficient] for row in rows if row[coefficient] is not None)])


def _judged_row(
    row: Mapping[str, Any], coefficient: str, others: list[str], axis: Axis | None, stories: int | None
) -> str:
    """A row of results; with an axis, the interval is drawn on it."""
    ends = (row.get("intervals") or {}).get(coefficient)
    value = row[coefficient]
    bar = ""
    if axis is not None:
        interval_text = (
            f"{format_number(ends[0], 2)} to {format_number(ends[1], 2)}" if ends else "no interval"
        )
        chart = interval_chart(value, ends, row["kind"], axis) if value is not None else ""
        bar = f'<td class="om-bar">{chart}<span class="om-hidden">{interval_text}</span></td>'
    count = row.get("n", stories)
    return (
        f"<tr{_mark(row['kind'])}>{_name(row)}{_number(value)}{bar}"
        + "".join(_number(row[other]) for other in others)
        + f'<td class="om-n" data-value="{count or ""}">{f"{count:,}" if count else "–"}</td></tr>'
    )


def _name(row: Mapping[str, Any]) -> str:
    """A row's header: the metric, and below it the source of the results."""
    kind, hint = KINDS[row["kind"]]
    title = metric_of(row["title"])
    name = escape(printed_title(title, row["kind"]))
    if row.get("beats_trivial") is False:
        name += " " + with_tooltip(
            "†",
            "Not significantly better than every trivial baseline by Pearson: the interval of a difference is not wholly above 0.",
        )
    return f'<th scope="row">{name}<span class="om-origin om-origin-{row["kind"]}" title="{escape(hint)}">{kind}</span></th>'


def autos_table(result: Mapping[str, Any], measure: str, mine: Sequence[Mapping[str, Any]] = ()) -> str:
    """One part of AUTOS: one row per metric, one column per aspect."""
    rows = [*result["rows"], *mine]
    goal = 0.0 if measure == "pearson" else 0.5
    aspects = list(dict.fromkeys(name for row in rows for name in row["aspects"]))
    invariance = result["test"] == "invariance"
    body = []
    means = [_mean(row, measure, goal if invariance else None) for row in rows]
    order = [9.0 if m is None else m if invariance else -m for m in means]
    for index in sorted(range(len(rows)), key=order.__getitem__):
        row, mean = rows[index], means[index]
        cells = [row["aspects"].get(name, {}) for name in aspects]
        body.append(
            f"<tr{_mark(row['kind'])}>{_name({**row, 'title': row_title(row, result['n'])})}{_number(mean)}"
            f"{''.join(_shaded(cell, measure, invariance) for cell in cells)}</tr>"
        )
    heads = (
        _head("metric", "none")
        + _head("mean distance" if invariance else "mean", "ascending" if invariance else "descending", True)
        + "".join(_head(name.replace("_", " "), "none", True) for name in aspects)
    )
    if measure == "pearson":
        hint = "Correlation of the score with the label: 1 for an original, 0 for a perturbed story."
        aim = "near 0 is good" if invariance else "high is good"
        note = f"{with_tooltip('Pearson with the label', hint)}: {aim}"
    else:
        hint = "Share of perturbed stories that score below their own original, ties counting half."
        aim = "near .5 is good" if invariance else "high is good"
        note = f"{with_tooltip('Pairs won', hint)}: {aim}"
    if any("by_origin" in cell for row in rows for cell in row["aspects"].values()):
        note += "; for human originals, not for incoherent ones"
    if invariance:
        note += f"; the mean is over the cells’ distances from {'0' if measure == 'pearson' else '.5'}"
    note += "; a stronger colour is " + (
        "worse: a harmless change moves the score more" if invariance else "better"
    )
    return _card(
        result["title"],
        f"{result['n']:,} rows. {note}. Press a heading to sort.",
        heads,
        "".join(body),
        "om-tight",
    )


def placed(mine: Sequence[Mapping[str, Any]], result: Mapping[str, Any] | None) -> str:
    """The rank of each of a user's metrics, as a sentence; only among metrics run on the same stories."""
    sentences = "".join(f"<p>{_standing(row, result, mine)}</p>" for row in mine)
    return f'<section class="om om-card" role="status"><h2>Your metric</h2>{sentences}</section>'


def _standing(
    row: Mapping[str, Any], result: Mapping[str, Any] | None, mine: Sequence[Mapping[str, Any]]
) -> str:
    name = f"{escape(row['title'])}: " if len(mine) > 1 else ""
    if "pearson" not in row:
        invariance = test_set(row["set"]).test == "invariance"
        mean, size = (
            _mean(row, "pearson", 0.0 if invariance else None),
            " without its sign," if invariance else "",
        )
        aspect_count = sum(cell["pearson"] is not None for cell in row["aspects"].values())
        return f"{name}mean Pearson with the label,{size} {format_number(mean)} over {aspect_count} aspects."
    ends = row["intervals"]["pearson"]
    value = f"{name}Pearson {format_number(row['pearson'])}"
    value += f" {format_interval(ends)}".rstrip()
    value += f" on {row['n']:,} stories"
    if result is None:
        return f"{value}."
    if not row["same_stories"]:
        return (
            f"{value}. No rank is given: these are not the {result['n']:,} judgments of {escape(result['title'])}, so "
            "no other metric was run on the same stories."
        )
    ranked = [*(other for other in result["rows"] if other["kind"] in (OURS, RELEASED)), *mine]
    better = sum(other["pearson"] > row["pearson"] for other in ranked)
    return f"{value}: rank {better + 1} of {len(ranked)} among metrics run on the same stories, in the table below."


def _mark(kind: str) -> str:
    return {"you": ' class="om-you"', OURS: ' class="om-ours"'}.get(kind, "")


def _mean(row: Mapping[str, Any], measure: str, goal: float | None) -> float | None:
    """Mean over the aspects; with a goal, mean distance from it, so that errors of opposite sign do not cancel."""
    return mean_known((cell.get(measure) for cell in row["aspects"].values()), goal)


def _shaded(cell: Mapping[str, Any], measure: str, invariance: bool) -> str:
    """A cell of an aspect; darker is better in the discrimination test and worse in the invariance test.

    The interval of a correlation is in the tooltip.
    """
    value = cell.get(measure)
    if value is None:
        return _number(None)
    off = value if measure == "pearson" else 2 * (value - 0.5)
    share = min(1.0, abs(off) if invariance else max(0.0, off))
    colour = "--om-cost" if invariance else "--om-good-cell"
    ends = cell.get("interval") if measure == "pearson" else None
    tooltip = (
        f' title="95 % interval: {format_number(ends[0], 2)} to {format_number(ends[1], 2)}"' if ends else ""
    )
    shade = f'<td style="background:rgba(var({colour}),{0.5 * share:.2f})"{tooltip} '
    return _number(value).replace("<td ", shade, 1)


def _head(text: str, order: str, right: bool = False) -> str:
    side = ' class="om-n"' if right else ""
    return f'<th scope="col"{side} aria-sort="{order}"><button type="button">{escape(text)}</button></th>'


def _number(value: float | None) -> str:
    raw = "" if value is None else repr(value)
    return f'<td class="om-n" data-value="{raw}">{format_number(value)}</td>'


def _card(title: str, note: str, heads: str, body: str, kind: str = "") -> str:
    return (
        f'<section class="om om-card" aria-label="{escape(title)}"><h2>{escape(title)}</h2><p class="om-note">{note}</p>'
        f'<div class="om-scroll" tabindex="0" role="region" aria-label="Table: {escape(title)}"><table class="om-fixed {kind}"><thead><tr>{heads}'
        f"</tr></thead><tbody>{body}</tbody></table></div></section>"
    )
