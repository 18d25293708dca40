"""The tables besides those of the judged sets: dataset drift, AUTOS, and explanations against error types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.training.benchmark.results.autos import aspect_columns, mean_known
from openmeva.training.benchmark.results.titles import printed_title
from openmeva.training.benchmark.tables.number_format import format_number, format_with_interval
from openmeva.training.benchmark.tables.render import Table


def dataset_drift_table(
    drift: Mapping[str, Any], printed: Mapping[str, Any], weights: Mapping[str, Mapping[str, str]]
) -> Table:
    """Metrics with weights for one corpus, tested on both, and the training corpora of the weights; may be empty.

    Args:
        drift: of a run, by metric.
        printed: the paper's results, with columns `CORPUS on SET`.
        weights: by metric and corpus, which weights were used and what they were trained on.
    """
    cells = [(train, test) for train, _, test in (column.partition(" on ") for column in printed["columns"])]
    paper = printed["note"].partition(",")[0]
    table = Table(
        f"Dataset drift: weights for one corpus, tested on both ({paper}'s sets)",
        ["", "ROC on ROC", "ROC on WP", "WP on ROC", "WP on WP", "weights"],
        note="Pearson [95 %]. Weights for WP that were also trained on ROC do not answer the paper’s question. `wp_only` trains "
        "weights without ROC, which are used if they are in runs/drift. The shared encoder of all weights was trained on "
        f"both corpora. In italics: {printed['note']}.",
    )
    for title, runs in drift.items():
        if not any(test in runs.get(train, {}) for train, test in cells):
            continue
        table.add(
            title,
            *(format_with_interval(runs.get(train, {}).get(test, {}), "pearson") for train, test in cells),
            "; ".join(weights.get(title, {}).values()),
        )
    for title, figures in printed["rows"].items() if table.rows else ():
        table.add(f"{title} (paper)", *map(format_number, figures), "", faint=True)
    return table


def autos_tables(autos: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[Table]:
    """Correlation with the label, and share of pairs won, on AUTOS by aspect (OpenMEVA, Tables 6 and 7)."""
    for result in autos.values():
        test = result["test"]
        printed = published[test]
        columns, by_row = aspect_columns(result, printed["columns"])
        good = "high is good" if test == "discrimination" else "near 0 is good"
        goals = {"pearson": 0.0, "pair_wins": 0.5} if test == "invariance" else {}
        won = "1 is perfect, .5 is chance" if test == "discrimination" else ".5 is perfect"
        means = {"pearson": "average", "pair_wins": "average"}
        if goals:
            means = {"pearson": "average size", "pair_wins": "average distance from .5"}
        for measure, label in (("pearson", f"Pearson with the label, {good}"), ("pair_wins", "pairs won")):
            table = Table(
                f"{result['title']}: {label}",
                ["", *(column.replace("_", " ") for column in columns), means[measure]],
                note=f"In italics: {printed['note']}, on the papers' own test sets; their averages are computed here, the paper "
                "prints none."
                if measure == "pearson"
                else f"The share of pairs in which the intact story has the higher score; ties count half. {won}.",
            )
            for title, cells in by_row.items():
                values = [cells.get(column, {}).get(measure) for column in columns]
                table.add(
                    printed_title(title, result["rows"][title]["kind"]),
                    *map(format_number, values),
                    format_number(mean_known(values, goals.get(measure))),
                )
            for title, figures in printed[result["corpus"]].items() if measure == "pearson" else ():
                by_column = dict(zip(printed["columns"], figures, strict=True))
                table.add(
                    f"{title} (paper)",
                    *(format_number(by_column.get(column)) for column in columns),
                    format_number(mean_known(figures, goals.get(measure))),
                    faint=True,
                )
            yield table


def explained_tables(explained: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[Table]:
    """Edits and sentence gains against human judgments and error types."""
    for title, by_set in explained.items():
        for name, result in by_set.items():
            printed = published["edits"].get(name)
            types = result.get("types", {})
            table = Table(
                f"{title}: edits and sentence blame against human judgments ({name})",
                ["", "overall", *types],
                note=f"Spearman, signed so that positive is good; {format_number(result['edited'], 2)} of the "
                f"stories are edited. By type: faulty stories against reasonable ones. Sentence blame: the largest gain "
                f"in score when one sentence is removed."
                + (f" In italics: {printed['note']}." if printed else ""),
            )
            for key, label in (
                ("unedited", "left unedited (0/1)"),
                ("few_edits", "few edits"),
                ("low_gain", "low sentence blame"),
            ):
                by_type = [format_number(one["spearman"][key]) for one in types.values()]
                cells = [format_number(result["spearman"][key]), *by_type]
                table.add(label, *cells)
                if key == "unedited" and printed:
                    figures = [format_number(printed["types"].get(one)) for one in types]
                    table.add(
                        "left unedited (paper)", format_number(printed["overall"]), *figures, faint=True
                    )
            table.add("AUC of the largest gain", "", *(format_number(one["auc"]) for one in types.values()))
            votes = [format_number(one["votes"]) for one in types.values()]
            table.add("largest gain, votes for the type", "", *votes)
            yield table
