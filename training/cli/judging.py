"""`openmeva benchmark` and `openmeva compare`: metrics compared with human judgments."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from openmeva.training.cli.running import is_terminal, split_names
from openmeva.training.cli.stories import Seed
from openmeva.training.processes import progress_to_stderr

Data = Annotated[Path | None, typer.Option(help="folder of the papers' data: mans/, union/, plot_guided/")]
Coefficient = Literal["pearson", "spearman", "kendall"]
Corpus = Annotated[str, typer.Option(help="roc or wp: configurations that score your own files")]
Draws = Annotated[int, typer.Option(min=100, help="resamples of the bootstrap over prompts")]


def benchmark(
    judged: Annotated[
        list[Path] | None,
        typer.Option(
            help="your own stories with human judgments ('story' with 'ratings' or 'score'); may be repeated"
        ),
    ] = None,
    autos: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="AUTOS of your own stories, built by `openmeva autos`; may be repeated"
        ),
    ] = None,
    data: Data = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SET=]FILE[:COLUMN]",
            help="scores of your own metric, matched by story_id (or id), by story, or else in order; may be repeated, one per "
            "set (SET: its name, or that of your file of judgments)",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="your own metric: MODULE:FUNCTION (list of stories to list of scores), or a module of evaluate; or one of "
            "this project by name, for your own weights",
        ),
    ] = None,
    metric_options: Annotated[
        str | None, typer.Option(metavar="JSON", help="arguments for compute of that module, and config_name")
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES", help="your scores for which lower is better, comma-separated or repeated; or all"
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="metrics of this project, comma-separated or repeated, or all (not with your own metric); default: those that "
            "take at most minutes; with your own metric: none",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="test sets, comma-separated or repeated; default: all available, or none with --judged or --autos",
        ),
    ] = None,
    corpus: Corpus = "roc",
    out: Annotated[Path, typer.Option(help="folder of the report")] = Path("benchmark"),
    draws: Draws = 10_000,
    seed: Seed = 0,
    batch_size: Annotated[int | None, typer.Option(min=1)] = None,
    autos_stories: Annotated[int, typer.Option(min=0, help="stories of each part of AUTOS; 0 for all")] = 100,
    pairs: Annotated[int, typer.Option(min=0, help="pairs of each set of preferences; 0 for all")] = 500,
    all_tables: Annotated[
        bool, typer.Option("--all-tables", help="print all tables, not only the main ones")
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="number of metrics that run in parallel; default: one per core, up to 8"),
    ] = None,
) -> None:
    """Evaluate metrics on the papers' test sets, AUTOS and your own judged files, and write a report.

    With --scores or --metric, your own metric is compared with others; the report is a page, Markdown, LaTeX and JSON.
    """
    progress_to_stderr()
    if scores or metric:
        _check_given(batch_size=batch_size, processes=processes, all_tables=all_tables or None)
        if metric_options is not None and not metric:
            raise ValueError("--metric-options: expected with --metric, a module of evaluate")
        from openmeva.metrics.core.files import check_folder
        from openmeva.training.benchmark.own.judging import judge

        check_folder(out)
        report = judge(
            _metrics_to_judge(metric or (), metric_options),
            split_names(datasets),
            scores=scores or (),
            judged=judged or (),
            autos=autos or (),
            data=data,
            corpus=corpus,
            lower_is_better=split_names(lower_is_better) or (),
            compare_with=split_names(metrics) or (),
            draws=draws,
            seed=seed,
            autos_stories=autos_stories,
            pairs=pairs,
            say=lambda line: typer.echo(line, err=True),
        )
        written = report.write(out)  # first, because printing may fail
        for words in report.parts[0].paragraphs:
            typer.echo(words)
        typer.echo(f"report: {written}", err=True)
        return
    if lower_is_better or metric_options:
        raise ValueError("--lower-is-better and --metric-options: expected with --scores or --metric")
    from openmeva.training.benchmark.command import BenchmarkOptions
    from openmeva.training.benchmark.command import run_benchmark as run

    benchmark_options = BenchmarkOptions(
        data=data,
        metrics=split_names(metrics),
        datasets=split_names(datasets),
        judged=judged or (),
        autos=autos or (),
        corpus=corpus,
        out=out,
        draws=draws,
        seed=seed,
        batch_size=batch_size,
        autos_stories=autos_stories,
        pairs=pairs,
        all_tables=all_tables,
        processes=processes,
    )
    run(benchmark_options)


def _check_given(**options: Any) -> None:
    """Refuses options that have no effect on the user's own metric."""
    idle = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is not None]
    if idle:
        raise ValueError(f"{', '.join(idle)}: expected without --scores and --metric")


def _metrics_to_judge(given: Sequence[str], options: str | None) -> list[Any]:
    """The metrics in the form that `judge` takes; a module of evaluate with its options."""
    from openmeva.training.benchmark.own.metric import metric_from_module

    if options is None:
        return list(given)
    try:
        arguments = json.loads(options)
    except ValueError as error:
        raise ValueError(f"--metric-options: expected a JSON object, got {options!r:.60}") from error
    if not isinstance(arguments, dict) or any(":" in name for name in given):
        raise ValueError("--metric-options: expected a JSON object, for a module of evaluate")
    return [metric_from_module(name, arguments) for name in given]


def compare(
    compared: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …", help="two or more: files of scores (as `score` writes them), or metrics by name"
        ),
    ],
    judgments: Annotated[
        Path | None,
        typer.Option(
            help="stories with human judgments ('story' with 'ratings' or 'score'); default: the first file"
        ),
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="or a test set of the benchmark, e.g. mans_roc")] = None,
    data: Data = None,
    corpus: Corpus = "roc",
    draws: Draws = 10_000,
    seed: Seed = 0,
    coefficient: Annotated[
        Coefficient, typer.Option(help="what the tests compare, and the best metric is chosen by")
    ] = "pearson",
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="scores for which lower is better, by their title in the tables; comma-separated or repeated; or all",
        ),
    ] = None,
) -> None:
    """Test whether one metric agrees better with human judgments than another on the same stories.

    Prints correlations with intervals, and paired tests against the best metric: bootstrap over prompts, PERM-BOTH, and
    for Pearson Williams' test; Holm's correction. Writes JSON into a pipe.
    """
    progress_to_stderr()
    from openmeva.training.benchmark.paired import Comparison, compare_metrics
    from openmeva.training.files import json_line

    lower = split_names(lower_is_better) or ()
    comparison = compare_metrics(
        Comparison(compared, judgments, dataset, data, corpus, draws, seed, coefficient, lower)
    )
    if not is_terminal():
        typer.echo(json_line(comparison), nl=False)
        return
    from openmeva.training.cli.comparison import show_comparison

    show_comparison(comparison)
