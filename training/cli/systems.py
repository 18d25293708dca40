"""`openmeva systems`: the stories of two or more systems on the same prompts, compared by a metric."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.training.cli.score import BatchSize, Config, Device, InStory, Metric, checked_inputs

if TYPE_CHECKING:
    from openmeva.metrics.core.description import Output
    from openmeva.metrics.core.file_scoring import MetricResult
    from openmeva.training.files import Row


def systems(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="a file of stories of each system, as `score` reads them; rows are matched by 'story_id', else by 'context' "
            "or 'prompt', else by their order",
        ),
    ],
    metric: Metric = DEFAULT_METRIC,
    config: Config = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="one row per pair, with both stories and scores")
    ] = None,
    context_in_story: InStory = False,
    batch_size: BatchSize = None,
    device: Device = None,
) -> None:
    """Compare systems: how much better, by a metric, are the first one's stories than those of each other one?

    The 95 % interval of the difference is by bootstrap over prompts. It says how sure the difference in the metric is, not whether people would agree.
    """
    from openmeva.metrics.core.file_scoring import load, read_stories, score_with
    from openmeva.metrics.core.writing import check_output, write_rows
    from openmeva.training.scale.columns import rows_named
    from openmeva.training.scale.scorer import check_settings
    from openmeva.training.statistics.systems import match_systems

    if len(files) < 2:
        raise ValueError(f"expected the files of two systems or more, got {len(files)}")
    if repeated := next((file for index, file in enumerate(files) if file in files[:index]), None):
        raise ValueError(f"expected the files of different systems, got {repeated} twice")
    if out is not None:
        check_output(out, column=None, sources=files)
    options: dict[str, Any] = {"batch_size": batch_size, "device": device}
    check_settings([metric], config, options, here=True)
    rows = [read_stories(file) for file in files]
    inputs = [
        checked_inputs(file, own_rows, [metric], context_in_story or None)[metric]
        for file, own_rows in zip(files, rows, strict=True)
    ]
    matched = []
    for file, others in zip(files[1:], rows[1:], strict=True):
        try:
            matched.append(match_systems([row.values for row in rows[0]], [row.values for row in others]))
        except ValueError as error:
            raise ValueError(f"{files[0]}, {file}: {error}") from error
    module = load(metric, config)
    results = []
    for own_rows, columns in zip(rows, inputs, strict=True):
        with rows_named(own_rows):
            results.append(score_with(module, metric, columns, **options))
        if results[-1].warning_summary:
            typer.echo(results[-1].warning_summary, err=True)
    _show(metric, files, rows, results, matched)
    if out is not None:
        count = write_rows(out, _pairs(metric, files, rows, results, matched))
        typer.echo(f"{count} pairs -> {out}", err=True)


def _show(
    metric: str,
    files: list[str],
    rows: "list[list[Row]]",
    results: "list[MetricResult]",
    matched: list[list[tuple[int, int]]],
) -> None:
    from rich.console import Console

    console = Console()
    for key, output in _outputs(metric).items():
        for line in _table(key, output, files, rows, results, matched):
            console.print(line)
    console.print(results[0].signature, style="dim", soft_wrap=True, markup=False)


def _table(
    key: str,
    output: "Output",
    files: list[str],
    rows: "list[list[Row]]",
    results: "list[MetricResult]",
    matched: list[list[tuple[int, int]]],
) -> list[Any]:
    """The table of one output of the metric, and a sentence for each of the other systems."""
    from rich.markup import escape
    from rich.table import Table

    from openmeva.metrics.core.inputs import field_of
    from openmeva.training.benchmark.tables.number_format import format_interval, format_number
    from openmeva.training.statistics.systems import compare_systems

    names = _names(files)
    table = Table(title=escape(f"{output.title}, {output.better} is better"), title_justify="left")
    for heading in ("", "mean", f"how much better {names[0]} is [95 %]", f"{names[0]} wins", "pairs"):
        table.add_column(escape(heading), overflow="fold")
    scores = [result.lists[key] for result in results]
    table.add_row(escape(names[0]), _mean(scores[0]), "", "", "")
    lines: list[Any] = [table]
    for number, (name, others, pairs) in enumerate(zip(names[1:], scores[1:], matched, strict=True), 1):
        prompts = [
            str(field_of(rows[0][a].values, "context") or field_of(rows[number][b].values, "context") or "")
            for a, b in pairs
        ]
        try:
            found = compare_systems(
                [(scores[0][a], others[b]) for a, b in pairs], prompts, output.better == "higher"
            )
        except ValueError as error:
            raise ValueError(f"{names[0]}, {name}: {error}") from error
        difference = f"{format_number(found.difference)} {format_interval(found.interval)}"
        table.add_row(
            escape(name),
            _mean(others),
            escape(difference),
            f"{100 * found.won:.0f} %",
            str(len(pairs) - found.unscored),
        )
        if not found.is_clear:
            verdict = f"No clear difference between {names[0]} and {name}: the interval contains 0."
        else:
            verdict = f"{names[0]} is {'better' if found.difference > 0 else 'worse'} than {name}."
        if found.unscored:
            verdict += f" {found.unscored} pairs are left out: a story has no score."
        lines.append(escape(verdict))
    if len(files) > 2:
        lines.append("Note: each interval is for one comparison; with many, some exclude 0 by chance.")
    return lines


def _mean(scores: list[float | None]) -> str:
    from openmeva.training.benchmark.tables.number_format import format_number

    values = [score for score in scores if score is not None]
    return format_number(sum(values) / len(values) if values else None)


def _outputs(metric: str) -> "dict[str, Output]":
    """The metric's displayed outputs, by their key in a `MetricResult`."""
    from openmeva.metrics.core.description import read_metrics

    return {
        "score" if key == "scores" else key: output for key, output in read_metrics()[metric].outputs.items()
    }


def _names(files: list[str]) -> list[str]:
    """The files' names, with their folders if some are equal."""
    names = [Path(file).name for file in files]
    return names if len(set(names)) == len(names) else files


def _pairs(
    metric: str,
    files: list[str],
    rows: "list[list[Row]]",
    results: "list[MetricResult]",
    matched: list[list[tuple[int, int]]],
) -> list[dict[str, Any]]:
    """A row for each pair."""
    from openmeva.metrics.core.inputs import field_of

    names = _names(files)
    keys = list(_outputs(metric))
    return [
        {
            "first": names[0],
            "second": name,
            **{
                field: value
                for field in ("story_id", "context")
                if (value := field_of(rows[0][a].values, field)) is not None
            },
            "first_story": rows[0][a].values["story"],
            "second_story": rows[other][b].values["story"],
            **{
                f"{side}_{key}": results[number].lists[key][index]
                for key in keys
                for side, number, index in (("first", 0, a), ("second", other, b))
            },
        }
        for other, (name, pairs) in enumerate(zip(names[1:], matched, strict=True), 1)
        for a, b in pairs
    ]
