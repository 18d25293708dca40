"""Options for corpora of any size: `--engine` and the options that belong to it."""

from dataclasses import dataclass
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

_NAMES = ("rules", "default", "none")  # of paraphrases and of filters


@dataclass(frozen=True)
class EngineOptions:
    """The values of the options above that belong to `--engine`, and their defaults."""

    address: str | None = None
    actors: int | None = None
    cpus: int = 1
    gpus: float = 0.0
    bad: str = "stop"
    part_rows: int = 2000


DEFAULTS = EngineOptions()


def absolute_path(path: str) -> str:
    """The absolute path of a file or folder, for workers in other folders; a name or a Hub id is unchanged.

    Of two models, `THERE+BACK`, each is looked for.
    """
    if path not in _NAMES and Path(path).exists():
        return str(Path(path).resolve())
    return "+".join(map(absolute_path, path.split("+"))) if "+" in path else path


def check_engine(engine: str | None, scale: EngineOptions, **given: Any) -> None:
    """Refuses options that would have no effect.

    Args:
        engine: value of `--engine`.
        scale: those that belong to it.
        given: other options that have an effect only with an engine (`pool`) or only without one (all others).

    Raises:
        ValueError: options that have no effect with this `engine`; the message names them.
    """
    if engine is None:
        idle = [name for name, value in vars(scale).items() if value != getattr(DEFAULTS, name)]
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
    scale: EngineOptions,
    kind: str | None = None,
) -> str:
    """Processes a corpus and returns the report as text; raises a ValueError without `out`, or as `run`."""
    from openmeva.training.scale import engines, run, sources
    from openmeva.training.scale.parts import Size

    if out in (None, "-"):
        raise ValueError("--engine: expected a folder to write to as OUT, got none")
    chosen = engines.Engine(engine, scale.address, scale.actors, scale.cpus, scale.gpus)
    source = sources.files_source(stories, kind)
    return str(run.run(source, out, work, chosen, scale.bad, Size(scale.part_rows)))
