"""The command `openmeva`: every command in one place, each imported with nothing that it may not need.

Modules that load models are imported by the commands themselves, so that `--help` and completion are quick.
"""

from typing import Annotated

import typer

from openmeva.metrics.core.version import __version__
from openmeva.training.cli.judged import judged
from openmeva.training.cli.judging import benchmark, compare
from openmeva.training.cli.projects import install, publish, resources, space, train, uninstall
from openmeva.training.cli.running import Commands, show_what_can_be_shown
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
_WORDNET = "Needs WordNet: `openmeva resources --wordnet-only` fetches it, once"
# What each command needs beside the package, and about how long it takes on one core of a laptop.
_NEEDS = {
    "score": "Needs nothing else. Ten seconds to begin, then some forty short stories a second.",
    "explain": "Needs nothing else. Ten seconds to begin, then some ten short stories a second.",
    "perturb": f"{_WORDNET} (for all aspects but repetition of words, causal and "
    "temporal relationship, punctuation, contraction and typo); common_sense needs ConceptNet, too. Seconds to begin, then "
    "a hundred short stories a second and more.",
    "negatives": f"{_WORDNET}. Seconds to begin, then a hundred short stories a second and more.",
    "autos": f"{_WORDNET}, and ConceptNet. Minutes for a few hundred stories, hours for a corpus.",
    "benchmark": "Needs judged stories: the papers' folder of data, or a file of yours. Some fourteen minutes on two cores "
    "for all metrics that are not named one by one, minutes for one.",
    "compare": "Needs judged stories, and two files of scores (seconds) or metrics (minutes).",
    "judged": "Needs nothing to list the sets, their authors' files to build one. Seconds.",
    "train": f"Needs the corpora, which their authors give. {_WORDNET}. An hour on one core for `union --corpus roc_first`; the head of "
    "a configuration says what comes before it, and where it wants a GPU.",
    "space": "Needs nothing else; WordNet is fetched where it is missing and can be had. The page opens after ten seconds, "
    "the first answer takes half a minute, others less than a second.",
    "install": "Needs some 230 MB in the cache, and no network. A minute.",
    "uninstall": "Needs nothing. Seconds.",
    "publish": "Needs network, and a token of the Hub that may write. Minutes.",
    "resources": "Needs network: 11 MB for WordNet, 500 MB for ConceptNet. Seconds, and minutes for ConceptNet.",
}
for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel, epilog=_NEEDS[_command.__name__])(_command)


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
    show_what_can_be_shown()
    app()


if __name__ == "__main__":
    main()
