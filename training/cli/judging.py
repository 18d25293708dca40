"""`openmeva benchmark` and `openmeva compare`: metrics beside human judgments."""

import json
from pathlib import Path
from typing import Annotated

import typer

from openmeva.training.cli.running import bars_to_stderr, is_terminal, names

Data = Annotated[Path | None, typer.Option(help="folder of the papers' data: mans/, union/, plot_guided/")]
Corpus = Annotated[str, typer.Option(help="roc or wp: configurations that score files of yours")]
Draws = Annotated[int, typer.Option(min=100, help="of the bootstrap over prompts")]


def benchmark(
    judged: Annotated[
        list[Path] | None,
        typer.Option(help="judged stories of yours ('story' with 'ratings' or 'score'); may be repeated"),
    ] = None,
    data: Data = None,
    metrics: Annotated[str | None, typer.Option(help="names, with commas; all unless given")] = None,
    datasets: Annotated[str | None, typer.Option(help="test sets, with commas; all that are there")] = None,
    corpus: Corpus = "roc",
    out: Annotated[Path, typer.Option(help="folder of the report")] = Path("benchmark"),
    draws: Draws = 10_000,
    seed: int = 0,
    batch_size: Annotated[int | None, typer.Option(min=1)] = None,
    autos_stories: Annotated[int, typer.Option(min=0, help="of each part of AUTOS; 0 for all")] = 1000,
    all_tables: Annotated[bool, typer.Option("--all-tables", help="not the main ones alone")] = False,
) -> None:
    """Judge metrics on the papers' test sets, AUTOS and judged files of yours, and write a report."""
    bars_to_stderr()
    from openmeva.training.benchmark.command import Asked
    from openmeva.training.benchmark.command import benchmark as run

    asked = Asked(
        data=data,
        metrics=names(metrics),
        datasets=names(datasets),
        judged=judged or (),
        corpus=corpus,
        out=out,
        draws=draws,
        seed=seed,
        batch_size=batch_size,
        autos_stories=autos_stories,
        all_tables=all_tables,
    )
    run(asked)


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
    seed: int = 0,
) -> None:
    """Say whether one metric is closer to people than another on the same stories.

    Correlations with intervals, and paired tests against the best: bootstrap over prompts, and Williams', with
    Holm's correction. JSON into a pipe.
    """
    bars_to_stderr()
    from openmeva.training.benchmark.paired import Comparison, compare_metrics

    found = compare_metrics(Comparison(compared, judgments, dataset, data, corpus, draws, seed))
    if not is_terminal():
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    from openmeva.training.cli.comparison import show_comparison

    show_comparison(found)
