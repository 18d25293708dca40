"""`openmeva score` and `openmeva explain`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.training.cli.running import is_terminal, output_path, split_names
from openmeva.training.cli.scaling import (
    DEFAULTS,
    Actors,
    Address,
    Bad,
    Cpus,
    Engine,
    EngineOptions,
    Gpus,
    PartRows,
    check_engine,
    run_engine,
)

if TYPE_CHECKING:
    from openmeva.metrics.core.rows import Row
    from openmeva.training.scoring.results import MetricResult

_STORIES = (
    "JSONL, CSV, TSV or Parquet with 'story' (and {}), or text, one story per line; - for standard input"
)
Stories = Annotated[
    str,
    typer.Argument(
        metavar="IN", help=_STORIES.format("'context' or 'prompt', 'reference', as the metric needs")
    ),
]
PlainStories = Annotated[str, typer.Argument(metavar="IN", help=_STORIES.format("'context' or 'prompt'"))]
Out = Annotated[
    str | None,
    typer.Argument(
        metavar="[OUT]",
        help="one row per story, in order, with the columns of IN; the extension sets the format (none: JSONL), - is "
        "standard output",
    ),
]
OutOption = Annotated[str | None, typer.Option("--out", "-o", help="OUT, as an option")]
Kind = Annotated[
    str | None,
    typer.Option(
        "--format", help="format of IN, if it has no known extension: jsonl, csv, tsv, parquet, txt"
    ),
]
Config = Annotated[str | None, typer.Option(help="a configuration of the metric, a folder or a Hub id")]
InStory = Annotated[
    bool,
    typer.Option(
        "--context-in-story", help="'story' includes the context; detected if the stories begin with it"
    ),
]
BatchSize = Annotated[int | None, typer.Option(min=1)]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, …; default: chosen automatically")]


def metric_completion(incomplete: str) -> list[str]:
    """Metrics whose names begin with the typed text."""
    from openmeva.training.scoring.loading import metric_names

    return [name for name in metric_names() if name.startswith(incomplete)]


Metric = Annotated[str, typer.Option(help="a metric by name", autocompletion=metric_completion)]


def score(
    stories: Stories,
    out: Out = None,
    out_option: OutOption = None,
    metric: Annotated[
        str | None,
        typer.Option(help=f"a metric by name; default: {DEFAULT_METRIC}", autocompletion=metric_completion),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES", help="several metrics, comma-separated or repeated: union,plot_coherence"
        ),
    ] = None,
    config: Config = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="add the metric's explanation to each row")
    ] = False,
    context_in_story: InStory = False,
    batch_size: BatchSize = None,
    device: Device = None,
    dtype: Annotated[str | None, typer.Option(help="precision: auto, float32 or bfloat16")] = None,
    kind: Kind = None,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = DEFAULTS.cpus,
    gpus: Gpus = DEFAULTS.gpus,
    bad: Bad = DEFAULTS.bad,
    part_rows: PartRows = DEFAULTS.part_rows,
) -> None:
    """Score stories, as a table on a terminal, as JSONL into a pipe, or to a file.

    The default metric is plot coherence, 0 to 1, higher is better. With --engine, the output is a folder of Parquet
    files, for a corpus of any size.
    """
    from openmeva.metrics.core.writing import write_rows
    from openmeva.training.cli.tables import show_reasons, show_scores
    from openmeva.training.scoring.results import result_rows, score_column, text_column

    out = output_path(out, out_option)
    if metric and metrics:
        raise ValueError("--metric, --metrics: expected one of them, got both")
    chosen = split_names(metrics) or [metric or DEFAULT_METRIC]
    if config is not None and len(chosen) > 1:
        raise ValueError("--config belongs to one metric: expected a single metric with it")
    options: dict[str, Any] = {"batch_size": batch_size, "device": device, "dtype": dtype}
    scale = EngineOptions(address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale)
    if engine is not None:
        from openmeva.training.scale.scoring import Scoring

        work = Scoring(chosen, config, explain, context_in_story or None, options)
        typer.echo(run_engine(work, stories, out, engine, scale, kind), err=True)
        return
    _check_out(out or "-", stories, text_column(chosen, explain))
    options["explain"] = explain or None
    rows, results = _scored(stories, kind, chosen, config, context_in_story or None, options)
    if out is None and is_terminal():
        show_scores(rows, results)
        for result in results if explain else ():
            show_reasons(rows, result)
        return
    output_rows: list[dict[str, Any]] = rows
    for result in results:
        output_rows = result_rows(output_rows, result, always_named=len(results) > 1)
    write_rows(out or "-", output_rows, column=score_column(rows, chosen[0]) if len(results) == 1 else "")
    if out not in (None, "-"):
        for result in results:
            mean = f", mean {result.score:.4f}" if result.score is not None else ""
            typer.echo(f"{len(rows)} rows{mean} -> {out}  [{result.signature}]", err=True)


def explain(
    stories: Stories,
    out: Out = None,
    out_option: OutOption = None,
    metric: Metric = DEFAULT_METRIC,
    config: Config = None,
    context_in_story: InStory = False,
    batch_size: BatchSize = None,
    device: Device = None,
    kind: Kind = None,
) -> None:
    """Show which sentences lower each story's score, and by how much; JSONL into a pipe, or to a file.

    For plot_coherence, union and discriminator; for ppl, the mean loss of each sentence. [FEMALE] and [MALE] are names, as the metric reads them.
    """
    from openmeva.metrics.core.writing import write_rows
    from openmeva.training.cli.tables import show_reasons
    from openmeva.training.scoring.results import result_rows, score_column, text_column

    out = output_path(out, out_option)
    _check_out(out or "-", stories, text_column([metric], explain=True))
    options: dict[str, Any] = {"batch_size": batch_size, "device": device, "explain": True}
    rows, (result,) = _scored(stories, kind, [metric], config, context_in_story or None, options)
    if out is None and is_terminal():
        show_reasons(rows, result)
    else:
        write_rows(out or "-", result_rows(rows, result), column=score_column(rows, metric))


def _scored(
    path: str,
    kind: str | None,
    metrics: Sequence[str],
    config: str | None,
    in_story: bool | None,
    options: dict[str, Any],
) -> tuple[list[dict[str, Any]], "list[MetricResult]"]:
    """The rows of a file, and each metric's result on them; prints warnings."""
    from openmeva.training.scoring.columns import read_stories, rows_named
    from openmeva.training.scoring.loading import check_settings
    from openmeva.training.scoring.results import score

    check_settings(metrics, config, options, here=True)
    rows = read_stories(path, kind)
    columns = checked_inputs(path, rows, metrics, in_story)
    with rows_named(rows):
        results = [score(name, columns[name], config, **options) for name in metrics]
    for result in results:
        if result.warning_summary:
            typer.echo(result.warning_summary, err=True)
    return [row.values for row in rows], results


def _check_out(out: str, stories: str, column: str | None) -> None:
    """Checks that the scores can be written. A table may replace its stories, which it repeats; a text file may not."""
    from openmeva.metrics.core.rows import kind_of
    from openmeva.metrics.core.writing import check_output

    check_output(out, column=column, sources=[stories] if kind_of(out) == "txt" else ())


def checked_inputs(
    path: str, rows: "Sequence[Row]", metrics: Sequence[str], in_story: bool | None
) -> dict[str, dict[str, list[Any]]]:
    """The columns for each metric, all of them checked before the first metric is loaded."""
    from openmeva.metrics.core.files import display_name
    from openmeva.training.scoring.columns import check_rows, metric_inputs, rows_named
    from openmeva.training.scoring.loading import check_columns

    check_rows(rows, metrics, display_name(path))
    values = [row.values for row in rows]
    columns = {name: metric_inputs(values, name, in_story) for name in metrics}
    with rows_named(rows):
        for name in metrics:
            check_columns(name, columns[name])
    return columns
