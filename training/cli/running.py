"""What every command does alike: errors in one line, nothing loaded before it is needed, no bar in a pipe."""

import codecs
import io
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

BAD_INPUT = 2
INTERRUPTED = 130
# what a command may lack, by the module that is missing, and the extra of pyproject.toml that brings it
_EXTRAS = {
    **dict.fromkeys(("jinja2", "matplotlib", "statsmodels"), "benchmark"),
    **dict.fromkeys(("gradio", "gradio_client"), "spaces"),
    "ray": "scale",
}


class Commands(TyperGroup):
    """Commands whose errors are told in a line on standard error, with the exit code 2."""

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order in which they were registered."""
        return list(self.commands)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command; bad input ends it with an `error: …`, not with a traceback."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read has seen enough: typer ends in silence
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            _fail(f"{error.name} is needed: pip install '.[{extra}]' in the clone", error)
        except OSError as error:
            known = error.filename is not None and error.strerror
            _fail(f"{error.filename}: {error.strerror}" if known else str(error), error)
        except ValueError as error:
            _fail(str(error), error)
        except KeyboardInterrupt as error:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from error


def _fail(message: str, error: Exception) -> None:
    typer.echo(f"error: {message or type(error).__name__}", err=True)
    raise typer.Exit(BAD_INPUT) from error


def show_what_can_be_shown() -> None:
    """Signs that a terminal or pipe cannot hold become `?`, where its encoding is not UTF-8; rows are UTF-8 in any case."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="replace")


def bars_to_stderr() -> None:
    """Progress bars of rich are shown on standard error, so that standard output holds rows alone."""
    import rich

    rich.reconfigure(stderr=True)


def is_terminal() -> bool:
    """Whether a person reads standard output."""
    return sys.stdout.isatty()


def one_of(argument: str | None, option: str | None) -> str | None:
    """What is given as an argument or as an option; a ValueError where both are."""
    if argument is not None and option is not None:
        raise ValueError(f"expected one file to write to, got {argument} and --out {option}")
    return argument if option is None else option


def names(given: Sequence[str] | None) -> list[str] | None:
    """The names in lists with commas, each once; None where nothing was given.

    >>> names(["union, ppl", "overlap"]), names(None)
    (['union', 'ppl', 'overlap'], None)

    Raises:
        ValueError: lists without a name, which would else stand for all.
    """
    found = [name.strip() for one in given or () for name in one.split(",")]
    if given and not any(found):
        raise ValueError(f"expected names with commas between, got {given[0]!r:.60}")
    return list(dict.fromkeys(filter(None, found))) or None
