"""`openmeva benchmark` and `openmeva compare`: metrics beside human judgments."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from openmeva.training.cli.running import bars_to_stderr, is_terminal, names
from openmeva.training.cli.stories import Seed

Data = Annotated[Path | None, typer.Option(help="folder of the papers' data: mans/, union/, plot_guided/")]
Corpus = Annotated[str, typer.Option(help="roc or wp: configurations that score files of yours")]
Draws = Annotated[int, typer.Option(min=100, help="of the bootstrap over prompts")]


def benchmark(
    judged: Annotated[
        list[Path] | None,
        typer.Option(help="judged stories of yours ('story' with 'ratings' or 'score'); may be repeated"),
    ] = None,
    autos: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="AUTOS of your stories, as `openmeva autos` builds it; may be repeated"
        ),
    ] = None,
    data: Data = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SET=]FILE",
            help="scores of a metric of yours, by story_id (or id), by story, or with neither in order; may be repeated, a set each",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="a metric of yours: MODULE:FUNCTION (list of stories to list of scores), or a module of evaluate; or one of "
            "this project by name, for weights of yours",
        ),
    ] = None,
    metric_options: Annotated[
        str | None, typer.Option(metavar="JSON", help="arguments of that module's compute, and config_name")
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="of your scores, with commas or repeated; or all"),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="of this project, with commas or repeated, or all (not beside yours); unless given, those that take no "
            "longer than minutes; beside yours: none",
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES", help="test sets, with commas or repeated; unless given, all that are there"
        ),
    ] = None,
    corpus: Corpus = "roc",
    out: Annotated[Path, typer.Option(help="folder of the report")] = Path("benchmark"),
    draws: Draws = 10_000,
    seed: Seed = 0,
    batch_size: Annotated[int | None, typer.Option(min=1)] = None,
    autos_stories: Annotated[int, typer.Option(min=0, help="of each part of AUTOS; 0 for all")] = 100,
    pairs: Annotated[int, typer.Option(min=0, help="of each set of preferences; 0 for all")] = 500,
    all_tables: Annotated[bool, typer.Option("--all-tables", help="not the main ones alone")] = False,
    processes: Annotated[
        int | None, typer.Option(min=1, help="metrics that score at once; a core each unless given")
    ] = None,
) -> None:
    """Judge metrics on the papers' test sets, AUTOS and judged files of yours, and write a report.

    With --scores or --metric: a metric of yours beside others, as a page, Markdown, LaTeX and JSON.
    """
    bars_to_stderr()
    if scores or metric:
        _check_given(batch_size=batch_size, processes=processes, all_tables=all_tables or None)
        if metric_options is not None and not metric:
            raise ValueError("--metric-options: expected with --metric, a module of evaluate")
        from openmeva.metrics.core.files import check_folder
        from openmeva.training.benchmark.own.judging import judge

        check_folder(out)
        report = judge(
            _asked(metric or (), metric_options),
            names(datasets),
            scores=scores or (),
            judged=judged or (),
            autos=autos or (),
            data=data,
            corpus=corpus,
            lower_is_better=names(lower_is_better) or (),
            compare_with=names(metrics) or (),
            draws=draws,
            seed=seed,
            autos_stories=autos_stories,
            pairs=pairs,
            say=lambda line: typer.echo(line, err=True),
        )
        written = report.write(out)  # first of all: what is shown may fail
        for words in report.parts[0].words:
            typer.echo(words)
        typer.echo(f"report: {written}", err=True)
        return
    if lower_is_better or metric_options:
        raise ValueError("--lower-is-better and --metric-options want --scores or --metric beside them")
    from openmeva.training.benchmark.command import Asked
    from openmeva.training.benchmark.command import benchmark as run

    asked = Asked(
        data=data,
        metrics=names(metrics),
        datasets=names(datasets),
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
    run(asked)


def _check_given(**options: Any) -> None:
    """Refuses options that say nothing to a metric of the user's own."""
    idle = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is not None]
    if idle:
        raise ValueError(f"{', '.join(idle)}: expected without --scores and --metric")


def _asked(given: Sequence[str], options: str | None) -> list[Any]:
    """The metrics as `judge` takes them; a module of evaluate with its options."""
    from openmeva.training.benchmark.own.metric import evaluate_module

    if options is None:
        return list(given)
    try:
        arguments = json.loads(options)
    except ValueError as error:
        raise ValueError(f"--metric-options: expected a JSON object, got {options!r:.60}") from error
    if not isinstance(arguments, dict) or any(":" in name for name in given):
        raise ValueError("--metric-options: expected a JSON object, for a module of evaluate")
    return [evaluate_module(name, arguments) for name in given]


def compare(
    compared: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …", help="two or more: files of scores (as `score` writes them), or metrics by name"
        ),
    ],
    judgments: Annotated[
        Path | None,
        typer.Option(help="judged stories ('story' with 'ratings' or 'score'); the first file unless given"),
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="or a test set of the benchmark, as mans_roc")] = None,
    data: Data = None,
    corpus: Corpus = "roc",
    draws: Draws = 10_000,
    seed: Seed = 0,
) -> None:
    """Say whether one metric is closer to people than another on the same stories.

    Correlations with intervals, and paired tests against the best: bootstrap over prompts, and Williams', with
    Holm's correction. JSON into a pipe.
    """
    bars_to_stderr()
    from openmeva.training.benchmark.paired import Comparison, compare_metrics
    from openmeva.training.files import json_line

    found = compare_metrics(Comparison(compared, judgments, dataset, data, corpus, draws, seed))
    if not is_terminal():
        typer.echo(json_line(found), nl=False)
        return
    from openmeva.training.cli.comparison import show_comparison

    show_comparison(found)
