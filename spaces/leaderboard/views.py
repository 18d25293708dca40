"""How the leaderboard shows its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.spaces.drawing import Axis, axis_over, interval, scale
from openmeva.spaces.markup import escape, tip
from openmeva.training.benchmark.cells import number

KINDS = {
    "ours": ("this project", "Metrics of this project, run by `make benchmark`."),
    "released": ("released", "Scores that the authors of papers or others released for the same stories."),
    "trivial": (
        "trivial",
        "Counts such as length or repeated word pairs, with the sign that suits them best.",
    ),
    "paper": ("in the paper", "Printed in the paper, on its whole test set: not the same stories."),
    "you": ("yours", "Your scores, not stored."),
}
COEFFICIENTS = {
    "pearson": ("Pearson", "Linear correlation with the mean human judgment, −1 to 1. Higher is better."),
    "spearman": ("Spearman", "Correlation of the ranks, −1 to 1. Higher is better."),
    "kendall": ("Kendall", "Share of story pairs ordered as humans do minus the rest, −1 to 1 (tau-b)."),
}


def judged_table(found: Mapping[str, Any], coefficient: str, mine: Mapping[str, Any] | None = None) -> str:
    """One judged set: a row a metric, the chosen coefficient with its interval drawn; sortable."""
    rows = [*found["rows"], *([mine] if mine else [])]
    rows = sorted(rows, key=lambda row: -(row[coefficient] if row[coefficient] is not None else -9.0))
    ceiling = found["ceiling"].get(coefficient)
    title, hint = COEFFICIENTS[coefficient]
    others = [name for name in COEFFICIENTS if name != coefficient]
    axis = _axis(rows, coefficient)
    body = "".join(_judged_row(row, coefficient, others, axis) for row in rows)
    heads = (
        _head("metric", "none")
        + _head(title, "descending", True)
        + '<th scope="col" class="om-bar">95 % interval'
        + scale(axis)
        + "</th>"
        + "".join(_head(COEFFICIENTS[name][0], "none", True) for name in others)
        + _head("from", "none")
    )
    note = f"{found['n']} stories of {found['prompts']} prompts. {tip(title, hint)}"
    if ceiling is not None:
        note += f"; {tip('noise ceiling', 'What a perfect metric could reach, given how far raters agree.')} {number(ceiling, 2)}"
    paper = f" “In the paper”: {escape(found['paper_note'])}." if found.get("paper_note") else ""
    return _card(found["title"], f"{note}.{paper} Press a heading to sort.", heads, body)


def _axis(rows: Sequence[Mapping[str, Any]], coefficient: str) -> Axis:
    """One axis for all intervals of a table."""
    ends = [end for row in rows for end in (row.get("intervals") or {}).get(coefficient) or ()]
    return axis_over([*ends, *(row[coefficient] for row in rows if row[coefficient] is not None)])


def _judged_row(row: Mapping[str, Any], coefficient: str, others: list[str], axis: Axis) -> str:
    kind, hint = KINDS[row["kind"]]
    ends = (row.get("intervals") or {}).get(coefficient)
    value = row[coefficient]
    said = f"{number(ends[0], 2)} to {number(ends[1], 2)}" if ends else "no interval"
    bar = interval(value, ends, row["kind"], axis) if value is not None else ""
    name = escape(row["title"].replace("_", "-"))
    if row.get("beats_trivial") is False:
        name += " " + tip(
            "†", "Does not beat the strongest trivial row: the interval of the difference reaches 0."
        )
    return (
        f'<tr{_mark(row["kind"])}><th scope="row">{name}</th>{_number(value)}'
        f'<td class="om-bar">{bar}<span class="om-hidden">{said}</span></td>'
        + "".join(_number(row[other]) for other in others)
        + f'<td><span class="om-kind" title="{escape(hint)}">{kind}</span></td></tr>'
    )


def autos_table(found: Mapping[str, Any], measure: str, mine: Mapping[str, Any] | None = None) -> str:
    """One part of AUTOS: a row a metric, a column an aspect."""
    rows = [*found["rows"], *([mine] if mine else [])]
    goal = 0.0 if measure == "pearson" else 0.5
    aspects = list(dict.fromkeys(name for row in rows for name in row["aspects"]))
    invariance = "invariance" in found["title"]
    body = []
    means = [_mean(row, measure) for row in rows]
    order = [9.0 if m is None else abs(m - goal) if invariance else -m for m in means]
    for row in [rows[place] for place in sorted(range(len(rows)), key=order.__getitem__)]:
        cells = [row["aspects"].get(name, {}) for name in aspects]
        mean = _mean(row, measure)
        kind, hint = KINDS[row["kind"]]
        body.append(
            f'<tr{_mark(row["kind"])}><th scope="row">{escape(row["title"].replace("_", "-"))}</th>{_number(mean)}'
            f"{''.join(_shaded(cell, measure, invariance) for cell in cells)}"
            f'<td><span class="om-kind" title="{escape(hint)}">{kind}</span></td></tr>'
        )
    heads = (
        _head("metric", "none")
        + _head("mean", "none" if invariance else "descending", True)
        + "".join(_head(name.replace("_", " "), "none", True) for name in aspects)
        + _head("from", "none")
    )
    if measure == "pearson":
        hint = "Correlation of the score with the label: 1 for an original, 0 for a perturbed story."
        aim = "near 0 is good" if invariance else "high is good"
        note = f"{tip('Pearson with the label', hint)}: {aim}"
    else:
        hint = "Share of perturbed stories that score below their own original, ties counting half."
        aim = "near .5 is good" if invariance else "high is good"
        note = f"{tip('Pairs won', hint)}: {aim}"
    note += "; the darker a cell, the " + (
        "more a harmless change moves the score" if invariance else "better"
    )
    return _card(
        found["title"],
        f"{found['n']:,} rows. {note}. Press a heading to sort.",
        heads,
        "".join(body),
        "om-tight",
    )


def placed(mine: Mapping[str, Any], found: Mapping[str, Any] | None) -> str:
    """A sentence on where a user's metric stands."""
    if "pearson" in mine:
        ends = mine["intervals"]["pearson"]
        value = f"Pearson {number(mine['pearson'])}" + (
            f" [{number(ends[0], 2)}, {number(ends[1], 2)}]" if ends else ""
        )
        same = [row for row in found["rows"] if row["kind"] in ("ours", "released")] if found else []
        better = sum(row["pearson"] > mine["pearson"] for row in same)
        rank = (
            f", place {better + 1} of {len(same) + 1} among metrics run on the same stories" if same else ""
        )
        text = f"{value}{rank}."
    else:
        text = f"Mean Pearson with the label {number(mine['average'])} over {len(mine['aspects'])} aspects."
    return f'<section class="om om-card" role="status"><h2>Your metric</h2><p>{text} It stands in the table below.</p></section>'


def _mark(kind: str) -> str:
    return {"you": ' class="om-you"', "ours": ' class="om-ours"'}.get(kind, "")


def _mean(row: Mapping[str, Any], measure: str) -> float | None:
    known = [cell[measure] for cell in row["aspects"].values() if cell.get(measure) is not None]
    return sum(known) / len(known) if known else None


def _shaded(cell: Mapping[str, Any], measure: str, invariance: bool) -> str:
    """A cell of an aspect, the darker the better where damage is to be noticed, and the worse where it is not.

    The interval of a correlation stands in the hover text.
    """
    value = cell.get(measure)
    if value is None:
        return _number(None)
    off = value if measure == "pearson" else 2 * (value - 0.5)
    share = min(1.0, abs(off) if invariance else max(0.0, off))
    colour = "--om-cost" if invariance else "--om-good-cell"
    ends = cell.get("interval") if measure == "pearson" else None
    said = f' title="95 % interval: {number(ends[0], 2)} to {number(ends[1], 2)}"' if ends else ""
    shade = f'<td style="background:rgba(var({colour}),{0.5 * share:.2f})"{said} '
    return _number(value).replace("<td ", shade, 1)


def _head(text: str, order: str, right: bool = False) -> str:
    side = ' class="om-n"' if right else ""
    return f'<th scope="col"{side} aria-sort="{order}"><button type="button">{escape(text)}</button></th>'


def _number(value: float | None) -> str:
    raw = "" if value is None else repr(value)
    return f'<td class="om-n" data-value="{raw}">{number(value)}</td>'


def _card(title: str, note: str, heads: str, body: str, kind: str = "") -> str:
    return (
        f'<section class="om om-card" aria-label="{escape(title)}"><h2>{escape(title)}</h2><p class="om-note">{note}</p>'
        f'<div class="om-scroll" tabindex="0" role="region" aria-label="Table: {escape(title)}"><table class="om-fixed {kind}"><thead><tr>{heads}'
        f"</tr></thead><tbody>{body}</tbody></table></div></section>"
    )
