"""The command `openmeva`: every command in one place, each imported with nothing that it may not need.

Modules that load models are imported by the commands themselves, so that `--help` and completion are quick.
"""

from typing import Annotated

import typer

from openmeva.metrics.core.version import __version__
from openmeva.training.cli.judged import judged
from openmeva.training.cli.judging import benchmark, compare
from openmeva.training.cli.projects import install, publish, resources, space, train, uninstall
from openmeva.training.cli.running import Commands
from openmeva.training.cli.score import explain, score
from openmeva.training.cli.stories import autos, negatives, perturb

app = typer.Typer(
    name="openmeva",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS = {
    "Scores": (score, explain),
    "Stories": (perturb, negatives, autos),
    "Judging metrics": (benchmark, compare, judged),
    "Training and demos": (train, space),
    "Sharing": (install, uninstall, publish, resources),
}
for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"openmeva {__version__}")
        raise typer.Exit


@app.callback()
def openmeva(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Is this story any good, and is my metric any good?"""


def main() -> None:
    """The entry point of the command."""
    app()


if __name__ == "__main__":
    main()
