"""Options for corpora of any size: `--engine` and the options that belong to it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:  # loads libraries that --help does not need
    from openmeva.training.scale.worker import Work

Engine = Annotated[
    str | None,
    typer.Option(
        metavar="plain|ray",
        help="for corpora of any size: a loop, or Ray; OUT is then a folder, and a stopped run resumes",
    ),
]
Address = Annotated[
    str | None, typer.Option(help="address of a Ray cluster; default: Ray is started on this machine")
]
Actors = Annotated[
    int | None, typer.Option(min=1, help="number of parallel Ray actors; default: as many as --cpus allows")
]
Cpus = Annotated[int, typer.Option(min=1, help="cores and threads per actor, or of the loop")]
Gpus = Annotated[float, typer.Option(min=0, help="GPUs per actor; .5: two actors share one")]
Bad = Annotated[
    str, typer.Option(help="on rows that cannot be processed: stop, or keep them in OUT/bad.jsonl")
]
PartRows = Annotated[int, typer.Option(min=1, help="rows per file of OUT, and per unit of work")]

DEFAULTS = (None, None, 1, 0.0, "stop", 2000)
"""Defaults of `--address` to `--part-rows`."""
_NAMES = ("rules", "default", "none")  # of paraphrases and of filters


def absolute_path(path: str) -> str:
    """The absolute path of a file or folder, for workers in other folders; a name or a Hub id is unchanged."""
    return str(Path(path).resolve()) if path not in _NAMES and Path(path).exists() else path


def check_engine(engine: str | None, scale: tuple[Any, ...], **given: Any) -> None:
    """Refuses options that would have no effect.

    Args:
        engine: value of `--engine`.
        scale: `--address`, `--actors`, `--cpus`, `--gpus`, `--bad`, `--part-rows`.
        given: other options that have an effect only with an engine (`pool`) or only without one (all others).

    Raises:
        ValueError: options that have no effect with this `engine`; the message names them.
    """
    names = ("address", "actors", "cpus", "gpus", "bad", "part_rows")
    if engine is None:
        idle = [name for name, value, own in zip(names, scale, DEFAULTS, strict=True) if value != own]
        idle += ["pool"] if given.get("pool") is not None else []
    else:
        idle = [name for name, value in given.items() if name != "pool" and value]
    if idle:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in idle)
        raise ValueError(
            f"{named}: expected {'only with --engine' if engine is None else 'without --engine'}"
        )


def run_engine(
    work: "Work",
    stories: str,
    out: str | None,
    engine: str,
    address: str | None,
    actors: int | None,
    cpus: int,
    gpus: float,
    bad: str,
    part_rows: int,
    kind: str | None = None,
) -> str:
    """Processes a corpus and returns the report as text; raises a ValueError without `out`, or as `run`."""
    from openmeva.training.scale import engines, run, sources
    from openmeva.training.scale.parts import Size

    if out in (None, "-"):
        raise ValueError("--engine: expected a folder to write to as OUT, got none")
    chosen = engines.Engine(engine, address, actors, cpus, gpus)
    source = sources.files_source(stories, kind)
    return str(run.run(source, out, work, chosen, bad, Size(part_rows)))
