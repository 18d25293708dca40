"""`openmeva perturb`, `negatives` and `autos`: stories made of stories."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from openmeva.training.cli.running import bars_to_stderr, one_of
from openmeva.training.cli.scaling import (
    Actors,
    Address,
    Bad,
    Cpus,
    Engine,
    Gpus,
    PartRows,
    check_engine,
    report_of,
    whole,
)
from openmeva.training.cli.score import OutOption, PlainStories

Out = Annotated[
    str | None,
    typer.Argument(
        metavar="[OUT]",
        help="a file; its ending says the format (none: JSONL), and - is standard output as JSONL",
    ),
]
Seed = Annotated[int, typer.Option(min=0)]
Processes = Annotated[int, typer.Option(min=1, help="that work at the same time; they change no row")]
Context = Annotated[str, typer.Option(help="of stories without one: first_sentence or none")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="leave rows without a story out, and say which")]
Pool = Annotated[
    str | None, typer.Option(help="with --engine: a file of other stories to draw sentences and words from")
]
Paraphrases = Annotated[
    str,
    typer.Option(
        help="for paraphrase and semantic_repetition: rules, a .json file of back-translations, a model, or two: THERE+BACK"
    ),
]


def aspect_completion(incomplete: str) -> list[str]:
    """Aspects that begin with what was typed."""
    from openmeva.training.perturbations.aspects.registry import ASPECTS

    return [name for name in ASPECTS if name.startswith(incomplete)]


def perturb(
    stories: PlainStories,
    aspect: Annotated[
        str,
        typer.Option(help="one of OpenMEVA's 13; a wrong name lists them", autocompletion=aspect_completion),
    ],
    out: Out = None,
    out_option: OutOption = None,
    seed: Seed = 0,
    technique: Annotated[
        list[str] | None, typer.Option(help="of the aspect; may be repeated; all unless given")
    ] = None,
    context: Context = "first_sentence",
    keep: Annotated[int | None, typer.Option(min=0, max=1, help="leading sentences that stay")] = None,
    corpus: Annotated[
        str | None, typer.Option(help="other stories, for relatedness; IN unless given")
    ] = None,
    paraphrases: Paraphrases = "rules",
    skip_bad: SkipBad = False,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = 1,
    gpus: Gpus = 0.0,
    bad: Bad = "stop",
    part_rows: PartRows = 2000,
) -> None:
    """Perturb stories in one aspect; those that do not qualify are left out and counted.

    What becomes of a story depends on the seed and its `story_id` or `id` (`perturbed_from` in OUT); one without an id is called
    by its place among the rows of IN, from 000001.

    With --engine a corpus of any size is perturbed into a folder of Parquet files, where those that do not qualify
    have a null in `perturbed`.
    """
    bars_to_stderr()
    from openmeva.training.perturbations.file import Perturbing, describe, perturb_file

    how = Perturbing(aspect, seed, technique, context, keep, corpus, paraphrases, skip_bad)
    scale = (address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale, skip_bad=skip_bad)
    if engine is not None:
        from openmeva.training.scale.perturbing import Perturbation

        others = None if corpus is None else whole(corpus)
        work = Perturbation(replace(how, corpus=others, paraphrases=whole(paraphrases)))
        typer.echo(report_of(work, stories, one_of(out, out_option), engine, *scale), err=True)
        return
    target = one_of(out, out_option) or "-"
    report = perturb_file(stories, target, how)
    for message in report.bad:
        typer.echo(f"skipped: {message}", err=True)
    typer.echo(describe(report, how, "standard output" if target == "-" else target), err=True)


def negatives(
    stories: PlainStories,
    out: Out = None,
    out_option: OutOption = None,
    seed: Seed = 0,
    epoch: Annotated[int, typer.Option(min=0, help="another epoch, other samples")] = 0,
    keep: Annotated[int, typer.Option(min=0, help="leading sentences that stay (ROC 1, WP 0)")] = 1,
    technique: Annotated[
        list[str] | None, typer.Option(help="repetition, substitution, reordering, negation; may be repeated")
    ] = None,
    recipe: Annotated[str, typer.Option(help="paper, or released: as its released code does")] = "paper",
    lexicon: Annotated[
        str, typer.Option(help="wordnet, or conceptnet: keywords as in the paper")
    ] = "wordnet",
    names: Annotated[Path | None, typer.Option(help="names.json of an encoder, to delexicalise with")] = None,
    processes: Processes = 1,
    pool: Pool = None,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = 1,
    gpus: Gpus = 0.0,
    bad: Bad = "stop",
    part_rows: PartRows = 2000,
) -> None:
    """Write a negative sample of each story, as UNION is trained on.

    With --engine those of a corpus of any size go into a folder of Parquet files.
    """
    bars_to_stderr()
    from openmeva.training.negatives.file import Drawing, write_samples
    from openmeva.training.negatives.sampling import TECHNIQUES

    how = Drawing(
        seed,
        epoch,
        keep,
        technique or tuple(TECHNIQUES),
        names,
        processes=processes,
        recipe=recipe,
        lexicon=lexicon,
    )
    scale = (address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale, pool=pool, processes=processes > 1)
    if engine is not None:
        from openmeva.training.scale.negatives import Sampling

        if pool is None:
            raise ValueError("--engine: expected a file of other stories as --pool, got none")
        if names is not None:
            how = replace(how, names=names.resolve())
        work = Sampling(how, whole(pool))
        typer.echo(report_of(work, stories, one_of(out, out_option), engine, *scale), err=True)
        return
    target = one_of(out, out_option) or "-"
    made, without = write_samples(stories, target, how)
    typer.echo(f"{made} negative samples, {without} stories without one: {target}", err=True)


def autos(
    stories: Annotated[str | None, typer.Option(help="a file of stories, for one --config; or")] = None,
    data: Annotated[
        Path | None, typer.Option(help="folder of the corpora: held-out stories are taken")
    ] = None,
    config: Annotated[
        list[str] | None, typer.Option(help="roc or wp, may be repeated; with --stories and --out any name")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="folder of the configurations; datasets/autos unless given"),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="replace a build with other settings that lies there")
    ] = False,
    context: Context = "first_sentence",
    paraphrases: Paraphrases = "rules",
    grammar: Annotated[str, typer.Option(help="filter: default, a checkpoint's folder, or none")] = "default",
    skip_bad: SkipBad = False,
    limit: Annotated[int | None, typer.Option(min=1, help="stories to take, all unless given")] = None,
    share: Annotated[
        float | None,
        typer.Option(help="of a corpus without validation file; above .05: read by trainings, too"),
    ] = None,
    processes: Processes = 1,
    seed: Seed = 0,
    pool: Pool = None,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = 1,
    gpus: Gpus = 0.0,
    bad: Bad = "stop",
    part_rows: PartRows = 2000,
) -> None:
    """Build AUTOS, OpenMEVA's discrimination and invariance tests; an interrupted build goes on.

    With --engine the rows of both tests for --stories of any number go into a folder of Parquet files, --out.
    """
    bars_to_stderr()
    scale = (address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale, pool=pool, processes=processes > 1)
    if engine is not None:
        from openmeva.training.scale.autos import AutosTests

        if stories is None or pool is None or data or config or limit or share or skip_bad or replace:
            raise ValueError(
                "--engine: expected --stories, --pool and --out, none of --data, --config, --limit, --share and --replace, "
                "and --bad keep in place of --skip-bad"
            )
        tests = AutosTests(whole(pool), context, whole(paraphrases), whole(grammar), seed)
        typer.echo(report_of(tests, stories, None if out is None else str(out), engine, *scale), err=True)
        return
    from openmeva.training.autos.command import Building, build_autos

    how = Building(
        configs=config or (),
        stories=stories,
        data=data,
        context=context,
        paraphrases=paraphrases,
        grammar=grammar,
        skip_bad=skip_bad,
        limit=limit,
        share=share,
        processes=processes,
        seed=seed,
        out=out,
        replace=replace,
    )
    build_autos(how)
