"""`openmeva perturb`, `negatives` and `autos`: stories derived from other stories."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from openmeva.training.cli.running import output_path
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
    absolute_path,
    check_engine,
    run_engine,
)
from openmeva.training.cli.score import OutOption, PlainStories
from openmeva.training.processes import progress_to_stderr

Out = Annotated[
    str | None,
    typer.Argument(
        metavar="[OUT]",
        help="a file; the extension sets the format (none: JSONL), and - is standard output as JSONL",
    ),
]
Seed = Annotated[int, typer.Option(min=0)]
Processes = Annotated[
    int, typer.Option(min=1, help="number of parallel processes; the output does not depend on it")
]
Context = Annotated[str, typer.Option(help="context of stories without one: first_sentence or none")]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad",
        help="skip rows without a story, with one sentence or with a repeated id, and report them",
    ),
]
Pool = Annotated[
    str | None,
    typer.Option(help="with --engine: a file of other stories, from which sentences and words are sampled"),
]
Paraphrases = Annotated[
    str,
    typer.Option(
        help="for paraphrase and semantic_repetition: rules, a .json file of back-translations, a model, or two: THERE+BACK"
    ),
]


def aspect_completion(incomplete: str) -> list[str]:
    """Aspects whose names begin with the typed text."""
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
        list[str] | None, typer.Option(help="a technique of the aspect; may be repeated; default: all")
    ] = None,
    context: Context = "first_sentence",
    keep: Annotated[
        int | None, typer.Option(min=0, max=1, help="leading sentences that stay unchanged")
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(help="other stories, for relatedness; default: IN; with --engine: required")
    ] = None,
    paraphrases: Paraphrases = "rules",
    skip_bad: SkipBad = False,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = DEFAULTS.cpus,
    gpus: Gpus = DEFAULTS.gpus,
    bad: Bad = DEFAULTS.bad,
    part_rows: PartRows = DEFAULTS.part_rows,
) -> None:
    """Perturb stories in one aspect; stories that do not qualify are skipped and counted.

    The result depends on the seed and on the story's `story_id` or `id` (`perturbed_from` in OUT); without an id, the row
    number in IN is used, from 000001.

    With --engine, the output is a folder of Parquet files, for a corpus of any size. `perturbed` is null for stories
    that do not qualify.
    """
    progress_to_stderr()
    from openmeva.training.perturbations.file import PerturbationConfig, describe, perturb_file

    settings = PerturbationConfig(aspect, seed, technique, context, keep, corpus, paraphrases, skip_bad)
    scale = EngineOptions(address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale, skip_bad=skip_bad)
    if engine is not None:
        from openmeva.training.scale.perturbing import Perturbation

        other_stories = None if corpus is None else absolute_path(corpus)
        work = Perturbation(replace(settings, corpus=other_stories, paraphrases=absolute_path(paraphrases)))
        typer.echo(run_engine(work, stories, output_path(out, out_option), engine, scale), err=True)
        return
    target = output_path(out, out_option) or "-"
    report = perturb_file(stories, target, settings)
    for message in report.bad:
        typer.echo(f"skipped: {message}", err=True)
    typer.echo(describe(report, settings, "standard output" if target == "-" else target), err=True)


def negatives(
    stories: PlainStories,
    out: Out = None,
    out_option: OutOption = None,
    seed: Seed = 0,
    epoch: Annotated[int, typer.Option(min=0, help="epoch; another epoch gives other samples")] = 0,
    keep: Annotated[int, typer.Option(min=0, help="leading sentences that stay unchanged (ROC 1, WP 0)")] = 1,
    technique: Annotated[
        list[str] | None, typer.Option(help="repetition, substitution, reordering, negation; may be repeated")
    ] = None,
    recipe: Annotated[
        str, typer.Option(help="paper, or released: as in the paper's released code")
    ] = "paper",
    lexicon: Annotated[
        str, typer.Option(help="wordnet, or conceptnet: keywords as in the paper")
    ] = "wordnet",
    names: Annotated[
        Path | None, typer.Option(help="names.json of an encoder, to delexicalise names")
    ] = None,
    processes: Processes = 1,
    pool: Pool = None,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = DEFAULTS.cpus,
    gpus: Gpus = DEFAULTS.gpus,
    bad: Bad = DEFAULTS.bad,
    part_rows: PartRows = DEFAULTS.part_rows,
) -> None:
    """Write one negative sample per story, as UNION is trained on.

    With --engine, the output is a folder of Parquet files, for a corpus of any size.
    """
    progress_to_stderr()
    from openmeva.training.negatives.file import NegativeSamplingConfig, write_samples
    from openmeva.training.negatives.sampling import TECHNIQUES

    settings = NegativeSamplingConfig(
        seed,
        epoch,
        keep,
        technique or tuple(TECHNIQUES),
        names,
        processes=processes,
        recipe=recipe,
        lexicon=lexicon,
    )
    scale = EngineOptions(address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale, pool=pool, processes=processes > 1)
    if engine is not None:
        from openmeva.training.scale.negatives import Sampling

        if pool is None:
            raise ValueError("--engine: expected a file of other stories as --pool, got none")
        if names is not None:
            settings = replace(settings, names=names.resolve())
        work = Sampling(settings, absolute_path(pool))
        typer.echo(run_engine(work, stories, output_path(out, out_option), engine, scale), err=True)
        return
    target = output_path(out, out_option) or "-"
    sample_count, missing_count = write_samples(stories, target, settings)
    typer.echo(f"{sample_count} negative samples, {missing_count} stories without one: {target}", err=True)


def autos(
    stories: Annotated[
        str | None, typer.Option(help="a file of stories, for one --config; or --data")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="folder of the corpora: their held-out stories are used")
    ] = None,
    config: Annotated[
        list[str] | None, typer.Option(help="roc or wp, may be repeated; with --stories and --out any name")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="output folder of the configurations; default: datasets/autos"),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="replace an existing build with other settings")
    ] = False,
    context: Context = "first_sentence",
    paraphrases: Paraphrases = "rules",
    grammar: Annotated[
        str, typer.Option(help="grammaticality filter: default, a checkpoint's folder, or none")
    ] = "default",
    skip_bad: SkipBad = False,
    limit: Annotated[int | None, typer.Option(min=1, help="maximum number of stories; default: all")] = None,
    share: Annotated[
        float | None,
        typer.Option(
            help="share of stories to use of a corpus without validation file; above .05, they overlap with training data"
        ),
    ] = None,
    processes: Processes = 1,
    seed: Seed = 0,
    pool: Pool = None,
    engine: Engine = None,
    address: Address = None,
    actors: Actors = None,
    cpus: Cpus = DEFAULTS.cpus,
    gpus: Gpus = DEFAULTS.gpus,
    bad: Bad = DEFAULTS.bad,
    part_rows: PartRows = DEFAULTS.part_rows,
) -> None:
    """Build AUTOS, OpenMEVA's discrimination and invariance tests; an interrupted build resumes.

    With --engine, the rows of both tests, for any number of --stories, are written to --out, a folder of Parquet files.
    """
    progress_to_stderr()
    scale = EngineOptions(address, actors, cpus, gpus, bad, part_rows)
    check_engine(engine, scale, pool=pool, processes=processes > 1)
    if engine is not None:
        from openmeva.training.scale.autos import AutosTests

        if stories is None or pool is None or data or config or limit or share or skip_bad or replace:
            raise ValueError(
                "--engine: expected --stories, --pool and --out, none of --data, --config, --limit, --share and --replace, "
                "and --bad keep in place of --skip-bad"
            )
        tests = AutosTests(
            absolute_path(pool), context, absolute_path(paraphrases), absolute_path(grammar), seed
        )
        typer.echo(run_engine(tests, stories, None if out is None else str(out), engine, scale), err=True)
        return
    from openmeva.training.autos.command import AutosBuildOptions, build_autos

    settings = AutosBuildOptions(
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
    build_autos(settings)
