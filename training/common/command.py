"""The command lines shared by trainers, and by stages."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.metrics.core.files import check_folder
from openmeva.training.common.config import config_file, read_config, read_mapping
from openmeva.training.common.errors import BAD_INPUT, INPUT_ERRORS, INTERRUPTED, message_of
from openmeva.training.paths import CACHE, RUNS, WORK
from openmeva.training.processes import detach_from_launcher, join, print_notice, progress_to_stderr, rank


@contextmanager
def exit_on_bad_input() -> Iterator[None]:
    """Exits with a message: with status 2 if an input is bad or missing (`INPUT_ERRORS`), with 130 if interrupted."""
    try:
        yield
    except KeyboardInterrupt as error:
        print("interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from error
    except INPUT_ERRORS as error:
        print(f"error: {message_of(error)}", file=sys.stderr)
        raise SystemExit(BAD_INPUT) from error


def check_data(folder: Path) -> None:
    """Checks that the data folder exists.

    Raises:
        ValueError: no such folder.
    """
    if not folder.is_dir():
        raise ValueError(f"--data: expected a folder, got {folder}")


@dataclass(frozen=True)
class TrainerArguments:
    """The arguments of a trainer: configuration and folders."""

    config: Any
    data: Path
    out: Path
    run: Path
    cache: Path
    resume: bool


def trainer_command(
    folder: str,
    kind: type[Any],
    train: Callable[[TrainerArguments], dict[str, Any]],
    printed_keys: Sequence[str],
    description: str | None,
    default: str | None = None,
    out: Callable[[Any], Path] | None = None,
    weights: Callable[[TrainerArguments], Path] | None = None,
    cache: Path = CACHE / "tags",
    arguments: Sequence[str] | None = None,
    shared: bool = True,
    cached: bool = True,
    default_out: str = "metrics/METRIC/weights/NAME",
    module: str | None = None,
) -> None:
    """Reads the command line, trains, and prints parts of the manifest; exits with status 2 and a message on bad input.

    Args:
        folder: of the configurations, below training/configs.
        kind: the configuration's dataclass.
        train: trains and returns the manifest.
        printed_keys: keys of the manifest that are printed.
        description: of the command.
        default: name of the default configuration; None: `--config` is required.
        out: gives the default folder of the weights; default: metrics/METRIC/weights/NAME.
        weights: gives the folder that the weights are written to; default: `--out`.
        cache: default of `--cache`.
        arguments: default: the process's.
        shared: whether the processes of a launcher share the training; if not, only one trains.
        cached: whether `train` caches processed corpora, so that the command has `--cache`.
        default_out: describes the default of `--out` in the help.
        module: of the command, below `training`; default: `folder`.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m training.{module or folder}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config",
        required=default is None,
        default=default,
        help=f"a file, or a name in training/configs/{folder}",
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--out", type=Path, help=f"folder of the weights; default: {default_out}")
    parser.add_argument(
        "--run", type=Path, help="folder of checkpoints to resume from; default: runs/METRIC-NAME"
    )
    parser.set_defaults(cache=cache)
    if cached:
        parser.add_argument("--cache", type=Path, help="folder of cached, processed corpora")
    parser.add_argument("--resume", action="store_true", help="resume from the last checkpoint in --run")
    parser.add_argument(
        "--set",
        nargs="*",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="changes to the configuration, e.g. seed=7 adapter.rank=8 corpus=wp",
    )
    args = parser.parse_args(arguments)
    progress_to_stderr()
    if shared:
        join()
    elif not detach_from_launcher():
        return
    with exit_on_bad_input():
        config = read_config(kind, config_file(folder, args.config), args.set)
        name = f"{folder.rpartition('.')[2]}-{config.name}"
        folder_out = args.out or (
            out(config) if out else WORK / "metrics" / config.metric / "weights" / config.name
        )
        call = TrainerArguments(
            config, args.data, folder_out, args.run or RUNS / name, args.cache, args.resume
        )
        for used in (call.out, call.run):
            check_folder(used)  # before the training
        manifest = train(call)
    if rank() == 0:
        print(json.dumps({key: manifest[key] for key in printed_keys if key in manifest}, indent=2))
    print_notice(f"weights: {weights(call) if weights else call.out}")


def stage_command(
    module: str,
    kind: type[Any],
    make: Callable[[dict[str, Any], argparse.Namespace], None],
    description: str | None,
    out: str,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    arguments: Sequence[str] | None = None,
) -> None:
    """Reads the command line of a stage of plot-guided negatives and runs it; exits with status 2 on bad input.

    Args:
        module: the module's name, below training.
        kind: the dataclass of the configurations in training/configs/plot_negatives.
        make: runs the stage; takes the configuration (from `read_mapping`) and the parsed arguments: `data`, `out`,
            `cache` and those of `options`.
        description: of the command.
        out: describes the default of `--out` in the help.
        options: further options, with the arguments of `add_argument`.
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
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of the files that the configuration names"
    )
    parser.add_argument("--out", type=Path, help=f"default: {out}")
    parser.add_argument("--cache", type=Path, default=CACHE / "tags", help="folder of tagged corpora")
    for option, settings in (options or {}).items():
        parser.add_argument(option, **settings)
    parser.add_argument(
        "--set",
        nargs="*",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="changes, e.g. seed=7 candidates=2",
    )
    args = parser.parse_args(arguments)
    progress_to_stderr()
    with exit_on_bad_input():
        make(read_mapping(kind, config_file("plot_negatives", args.config), args.set), args)
