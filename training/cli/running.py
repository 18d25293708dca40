"""Common to all commands: errors in one line, shared options, and commands of other modules."""

import codecs
import io
import runpy
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from multiprocessing import active_children
from typing import Any

import typer
from typer.core import TyperGroup

from openmeva.metrics.core.files import STANDARD_STREAM
from openmeva.training.common.errors import BAD_INPUT, INPUT_ERRORS, INTERRUPTED, TERMINATED, message_of

_STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1")
# optional module: the extra of pyproject.toml that installs it
_EXTRAS = {
    **dict.fromkeys(("matplotlib", "statsmodels"), "benchmark"),
    **dict.fromkeys(("gradio", "gradio_client"), "spaces"),
    "ray": "scale",
}


class Commands(TyperGroup):
    """Commands that report errors in one line on standard error, with exit code 2."""

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order in which they were registered."""
        return list(self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuses an empty argument, which most options would take for none: a variable of the shell that is not set."""
        for before, argument in pairwise(["", *args]):
            if not argument:
                _fail(f"expected a value after {before or 'openmeva'}, got an empty one")
            if argument.startswith("--") and argument.endswith("="):
                _fail(f"expected a value in {argument}, got an empty one")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command; bad input ends it with `error: …` instead of a traceback."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader closed the pipe: typer exits silently
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            _fail(f"{error.name} is needed: pip install '.[{extra}]' in the clone", error)
        except INPUT_ERRORS as error:
            _fail(message_of(error), error)
        except KeyboardInterrupt as error:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from error


def _fail(message: str, error: Exception | None = None) -> None:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(BAD_INPUT) from error


def replace_unencodable() -> None:
    """Replaces characters by `?` if the encoding of the terminal or pipe is not UTF-8; rows are always UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="replace")


@contextmanager
def cleaning_up_on_sigterm() -> Iterator[None]:
    """Lets SIGTERM end the process as an exception does, so that temporary files are removed; workers end at once."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends it without cleaning up
        for child in active_children():  # whose jobs would be waited for
            child.terminate()
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def output_path(argument: str | None, option: str | None) -> str | None:
    """The value given as an argument or as an option; `-` for a name of standard output, which may append to a file.

    Raises:
        ValueError: both are given.
    """
    if argument is not None and option is not None:
        raise ValueError(f"expected one file to write to, got {argument} and --out {option}")
    path = argument if option is None else option
    return STANDARD_STREAM if path in _STANDARD_OUTPUT else path


def split_names(given: Sequence[str] | None) -> list[str] | None:
    """The names in comma-separated lists, each once; None if nothing was given.

    >>> split_names(["union, ppl", "overlap"]), split_names(None)
    (['union', 'ppl', 'overlap'], None)

    Raises:
        ValueError: lists without a name, which would otherwise mean all.
    """
    names = [name.strip() for item in given or () for name in item.split(",")]
    if given and not any(names):
        raise ValueError(f"expected comma-separated names, got {given[0]!r:.60}")
    return list(dict.fromkeys(filter(None, names))) or None


def run_module(module: str, arguments: list[str]) -> None:
    """Runs a module's command in this process, with the command's exit code."""
    sys.argv = [f"python -m {module}", *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
