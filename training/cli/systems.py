"""`openmeva systems`: the stories of two or more systems for the same prompts, compared by a metric."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.training.cli.running import is_terminal
from openmeva.training.cli.score import BatchSize, Config, Device, InStory, Metric, checked_inputs

if TYPE_CHECKING:
    from openmeva.metrics.core.description import Output
    from openmeva.training.files import Row


@dataclass(frozen=True)
class System:
    """A system's file.

    Attributes:
        name: as shown.
        rows: its stories.
        pairs: row numbers, from 0, of the first system and of this one, of stories that belong together.
        scores: by key of a `MetricResult`, one per story; None where a story has none.
    """

    name: str
    rows: "list[Row]"
    pairs: list[tuple[int, int]]
    scores: Mapping[str, Sequence[float | None]]

    def prompts(self, first: "System") -> list[str]:
        """The prompt of each pair; blank where it is not known."""
        return _prompts(first.rows, self.rows, self.pairs)


def systems(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="a file of stories of each system, as `score` reads them; rows are matched by 'story_id' or 'id', else by "
            "'prompt' or 'context', else by their order",
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

    As tables on a terminal, as JSON into a pipe. The 95 % interval of the difference is by bootstrap over prompts, the p-value by exchanging the systems in random prompts. They say how sure the difference in the metric is, not whether people would agree.
    """
    from openmeva.metrics.core.writing import check_output, write_rows
    from openmeva.training.scoring.columns import read_stories, rows_named
    from openmeva.training.scoring.loading import check_settings, load
    from openmeva.training.scoring.results import score_with
    from openmeva.training.statistics.systems import check_prompts

    if len(files) < 2:
        raise ValueError(f"expected the files of two systems or more, got {len(files)}")
    if repeated := next((pair for pair in combinations(files, 2) if _is_one_file(*pair)), None):
        got = " and ".join(repeated) + ", one file" if len(set(repeated)) > 1 else f"{repeated[0]} twice"
        raise ValueError(f"expected the files of different systems, got {got}")
    if out is not None:
        check_output(out, column=None, sources=files)
    options: dict[str, Any] = {"batch_size": batch_size, "device": device}
    check_settings([metric], config, options, here=True)
    rows = [read_stories(file) for file in files]
    inputs = [
        checked_inputs(file, own_rows, [metric], context_in_story or None)[metric]
        for file, own_rows in zip(files, rows, strict=True)
    ]
    names = _names(files)
    pairs = [_matched(files[0], rows[0], file, own_rows) for file, own_rows in zip(files, rows, strict=True)]
    for name, own_rows, own_pairs in zip(names[1:], rows[1:], pairs[1:], strict=True):
        with _named(names[0], name):  # before the stories are scored
            check_prompts(_prompts(rows[0], own_rows, own_pairs))
    module = load(metric, config)
    found, signature = [], ""
    for name, own_rows, own_pairs, columns in zip(names, rows, pairs, inputs, strict=True):
        with rows_named(own_rows):
            result = score_with(module, metric, columns, **options)
        if result.warning_summary:
            typer.echo(result.warning_summary, err=True)
        signature = result.signature
        found.append(System(name, own_rows, own_pairs, result.lists))
    first, *others = found
    outputs = _outputs(metric)
    if out is not None:  # first, because comparing or printing may fail
        count = write_rows(out, [row for other in others for row in _pair_rows(outputs, first, other)])
        typer.echo(f"{count} pairs -> {out}", err=True)
    comparison = {key: _compared(key, output, first, others) for key, output in outputs.items()}
    if is_terminal():
        _show(first.name, comparison, signature)
    else:
        typer.echo(json.dumps({"metric": metric, "signature": signature, "outputs": comparison}, indent=2))


def _is_one_file(first: str, other: str) -> bool:
    return first == other or (
        Path(first).exists() and Path(other).exists() and os.path.samefile(first, other)
    )


def _matched(first_file: str, first: "list[Row]", file: str, rows: "list[Row]") -> list[tuple[int, int]]:
    from openmeva.training.statistics.systems import match_systems

    with _named(first_file, file):
        return match_systems([row.values for row in first], [row.values for row in rows])


@contextmanager
def _named(first: str, other: str) -> Iterator[None]:
    """Puts the names of two systems before the message of a ValueError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{first}, {other}: {error}") from error


def _prompts(first: "list[Row]", rows: "list[Row]", pairs: Sequence[tuple[int, int]]) -> list[str]:
    """The prompt of each pair of row numbers; blank where it is not known."""
    from openmeva.training.common.fields import prompt_of

    return [prompt_of(first[a].values) or prompt_of(rows[b].values) or "" for a, b in pairs]


def _names(files: list[str]) -> list[str]:
    """The files' names, with their folders if some are equal."""
    names = [Path(file).name for file in files]
    return names if len(set(names)) == len(names) else files


def _outputs(metric: str) -> "dict[str, Output]":
    """The metric's displayed outputs, by their key in a `MetricResult`."""
    from openmeva.metrics.core.description import read_metrics

    described = read_metrics()[metric].outputs
    return {"score" if key == "scores" else key: output for key, output in described.items()}


def _compared(key: str, output: "Output", first: System, others: Sequence[System]) -> dict[str, Any]:
    """An output of the metric: the mean of each system, and the first one against each other one.

    Raises:
        ValueError: too few prompts have stories of both systems with a score.
    """
    from openmeva.training.statistics.systems import compare_systems

    against = {}
    for other in others:
        scores = [(first.scores[key][a], other.scores[key][b]) for a, b in other.pairs]
        with _named(first.name, other.name):
            found = compare_systems(scores, other.prompts(first), output.better == "higher")
        against[other.name] = {
            **asdict(found),
            "pairs": len(scores) - found.unscored,
            "is_clear": found.is_clear,
        }
    return {
        "title": output.title,
        "better": output.better,
        "means": {system.name: _mean(system.scores[key]) for system in (first, *others)},
        "against": against,
    }


def _mean(scores: Sequence[float | None]) -> float | None:
    values = [score for score in scores if score is not None]
    return sum(values) / len(values) if values else None


def _pair_rows(outputs: "Mapping[str, Output]", first: System, other: System) -> list[dict[str, Any]]:
    """A row for each pair."""
    from openmeva.training.common.fields import field_of

    rows = []
    for (a, b), prompt in zip(other.pairs, other.prompts(first), strict=True):
        known = {"story_id": field_of(first.rows[a].values, "story_id"), "context": prompt or None}
        rows.append(
            {
                "first": first.name,
                "second": other.name,
                **{field: value for field, value in known.items() if value is not None},
                "first_story": first.rows[a].values["story"],
                "second_story": other.rows[b].values["story"],
                **{f"first_{key}": first.scores[key][a] for key in outputs},
                **{f"second_{key}": other.scores[key][b] for key in outputs},
            }
        )
    return rows


def _show(first: str, comparison: Mapping[str, Mapping[str, Any]], signature: str) -> None:
    """Prints a table for each output, and a sentence for each of the other systems."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from openmeva.training.benchmark.tables.number_format import (
        few_prompts_note,
        format_interval,
        format_number,
        format_p_value,
    )

    console = Console()
    for output in comparison.values():
        table = Table(title=escape(f"{output['title']}, {output['better']} is better"), title_justify="left")
        for heading in ("", "mean", f"how much better {first} is [95 %]", f"{first} wins", "pairs"):
            table.add_column(escape(heading), overflow="fold")
        table.add_row(escape(first), format_number(output["means"][first]), "", "", "")
        for name, found in output["against"].items():
            difference = f"{format_number(found['difference'])} {format_interval(found['interval'])}"
            cells = (format_number(output["means"][name]), difference, f"{100 * found['won']:.0f} %")
            table.add_row(*map(escape, (name, *cells, str(found["pairs"]))))
        console.print(table)
        for name, found in output["against"].items():
            better = "better" if found["difference"] > 0 else "worse"
            p_value = f"p {format_p_value(found['p_value'])}"
            verdict = f"{first} has {better} scores than {name}: the interval excludes 0, {p_value}."
            if not found["is_clear"]:
                low, high = found["interval"]
                why = "the interval contains 0" if low <= 0 <= high else f"{p_value} is not below .05"
                verdict = f"No clear difference between {first} and {name}: {why}."
            if found["unscored"]:
                verdict += f" {found['unscored']} pairs are left out: a story has no score."
            console.print(escape(verdict), highlight=False)
        counts = [found["prompts"] or found["pairs"] for found in output["against"].values()]
        if few := few_prompts_note(min(counts)):
            console.print(f"Note: {few}.", highlight=False)
        if len(output["against"]) > 1:
            note = "Note: each interval is for one comparison; with many, some exclude 0 by chance."
            console.print(note, highlight=False)
    console.print(signature, style="dim", soft_wrap=True, markup=False, highlight=False)
