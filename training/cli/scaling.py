"""Options of commands that work on corpora of any size: `--engine` and what goes with it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:  # which load libraries that --help has no use for
    from openmeva.training.scale.worker import Work

Engine = Annotated[
    str | None,
    typer.Option(
        metavar="plain|ray",
        help="for corpora of any size: a loop, or Ray; OUT is a folder then, and a run that was stopped goes on",
    ),
]
Address = Annotated[str | None, typer.Option(help="of a Ray cluster; started on this machine unless given")]
Actors = Annotated[int | None, typer.Option(min=1, help="of Ray, at the same time; one a core unless given")]
Cpus = Annotated[int, typer.Option(min=1, help="cores and threads of each actor, or of the loop")]
Gpus = Annotated[float, typer.Option(min=0, help="GPUs of each actor; .5: two share one")]
Bad = Annotated[
    str, typer.Option(help="rows that cannot be worked on: stop, or keep them apart in OUT/bad.jsonl")
]
PartRows = Annotated[int, typer.Option(min=1, help="rows of a file of OUT, and of what is done at once")]

UNTOLD = (None, None, 1, 0.0, "stop", 2000)
"""What `--address` to `--part-rows` are where nobody gave them."""
_NAMES = ("rules", "default", "none")  # of paraphrases and of filters


def whole(path: str) -> str:
    """The whole path of a file or folder, for workers that stand elsewhere; a name or a Hub id stays as it is."""
    return str(Path(path).resolve()) if path not in _NAMES and Path(path).exists() else path


def check_engine(engine: str | None, scale: tuple[Any, ...], **given: Any) -> None:
    """Refuses options that would do nothing.

    Args:
        engine: what `--engine` is.
        scale: `--address`, `--actors`, `--cpus`, `--gpus`, `--bad`, `--part-rows`.
        given: other options that mean something with an engine alone (`pool`) or without one alone (all others).

    Raises:
        ValueError: some of them that do not go with this `engine`; they are named.
    """
    names = ("address", "actors", "cpus", "gpus", "bad", "part_rows")
    if engine is None:
        idle = [name for name, value, own in zip(names, scale, UNTOLD, strict=True) if value != own]
        idle += ["pool"] if given.get("pool") is not None else []
    else:
        idle = [name for name, value in given.items() if name != "pool" and value]
    if idle:
        told = ", ".join(f"--{name.replace('_', '-')}" for name in idle)
        raise ValueError(
            f"{told}: expected {'with --engine alone' if engine is None else 'without --engine'}"
        )


def report_of(
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
    """Works on a corpus, and says how it went; errors as `scale.run`."""
    from openmeva.training.scale import engines, run, sources
    from openmeva.training.scale.parts import Size

    if out in (None, "-"):
        raise ValueError("--engine: expected a folder to write to as OUT, got none")
    chosen = engines.Engine(engine, address, actors, cpus, gpus)
    source = sources.files_source(stories, kind)
    return str(run.run(source, out, work, chosen, bad, Size(part_rows)))
