"""The command lines that trainers share, and stages."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.common.config import config_file, read_config, read_mapping
from openmeva.training.paths import CACHE, RUNS, WORK
from openmeva.training.processes import go_alone, join, number


@contextmanager
def bad_input_told() -> Iterator[None]:
    """Ends the process with 2 and a message where what it was given is bad or missing."""
    try:
        yield
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from error


def check_data(folder: Path) -> None:
    """Refuses a folder of data that is not there.

    Raises:
        ValueError: no folder.
    """
    if not folder.is_dir():
        raise ValueError(f"--data: expected a folder, got {folder}")


@dataclass(frozen=True)
class Call:
    """What a trainer is called with: the configuration, and its folders."""

    config: Any
    data: Path
    out: Path
    run: Path
    cache: Path
    resume: bool


def trainer_command(
    folder: str,
    kind: type[Any],
    train: Callable[[Call], dict[str, Any]],
    shown: Sequence[str],
    description: str | None,
    default: str | None = None,
    out: Callable[[Any], Path] | None = None,
    cache: Path = CACHE / "tags",
    arguments: Sequence[str] | None = None,
    shared: bool = True,
    cached: bool = True,
    out_told: str = "metrics/METRIC/weights/NAME",
) -> None:
    """Reads the command line, trains, and prints what came of it; exits with 2 and a message on bad input.

    Args:
        folder: of the configurations, below training/configs.
        kind: the configuration's dataclass.
        train: trains and returns the manifest.
        shown: its keys that are printed.
        description: of the command.
        default: name of the configuration that is taken where none is given.
        out: where the weights go by default; else metrics/METRIC/weights/NAME.
        cache: by default.
        arguments: default: the process's.
        shared: whether several processes, where a launcher has started them, share the training; else one trains.
        cached: whether `train` makes something of the corpora once, so that `--cache` says where it is kept.
        out_told: what `out` says, for the help.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m training.{folder}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config",
        required=default is None,
        default=default,
        help=f"a file, or a name in training/configs/{folder}",
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder that the corpora lie in")
    parser.add_argument("--out", type=Path, help=f"of the weights; default: {out_told}")
    parser.add_argument("--run", type=Path, help="checkpoints to resume from; default: runs/METRIC-NAME")
    parser.set_defaults(cache=cache)
    if cached:
        parser.add_argument("--cache", type=Path, help="what is made of the corpora once")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument(
        "--set",
        nargs="*",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="e.g. seed=7 adapter.rank=8 corpus=wp",
    )
    given = parser.parse_args(arguments)
    if shared:
        join()
    elif not go_alone():
        return
    with bad_input_told():
        config = read_config(kind, config_file(folder, given.config), given.set)
        name = f"{folder.rpartition('.')[2]}-{config.name}"
        place = given.out or (
            out(config) if out else WORK / "metrics" / config.metric / "weights" / config.name
        )
        call = Call(config, given.data, place, given.run or RUNS / name, given.cache, given.resume)
        manifest = train(call)
    if number() == 0:
        print(json.dumps({key: manifest[key] for key in shown if key in manifest}, indent=2))


def stage_command(
    module: str,
    kind: type[Any],
    make: Callable[[dict[str, Any], argparse.Namespace], None],
    description: str | None,
    out: str,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    arguments: Sequence[str] | None = None,
) -> None:
    """Reads the command line of a stage of plot-guided negatives and runs it; exits with 2 and a message on bad input.

    Args:
        module: that is run, below training.
        kind: the dataclass of the configurations in training/configs/plot_negatives.
        make: runs the stage, by the configuration (of `read_mapping`) and what was given: `data`, `out`, `cache` and those
            of `options`.
        description: of the command.
        out: where it writes where `--out` is not given, for the help.
        options: further ones, with what `add_argument` takes.
        arguments: default: the process's.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m training.{module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", required=True, help="a file, or a name in training/configs/plot_negatives"
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the configuration's files")
    parser.add_argument("--out", type=Path, help=f"default: {out}")
    parser.add_argument("--cache", type=Path, default=CACHE / "tags", help="tagged corpora")
    for option, how in (options or {}).items():
        parser.add_argument(option, **how)
    parser.add_argument(
        "--set", nargs="*", action="extend", default=[], metavar="KEY=VALUE", help="e.g. seed=7 candidates=2"
    )
    given = parser.parse_args(arguments)
    with bad_input_told():
        make(read_mapping(kind, config_file("plot_negatives", given.config), given.set), given)
