"""The command `openmeva`: all commands in one place.

Commands import modules that load models only when they run, so `--help` and completion are fast.
"""

from collections.abc import Callable
from typing import Annotated

import typer

from openmeva.metrics.core.version import __version__
from openmeva.training.cli.judged import judged
from openmeva.training.cli.judging import benchmark, compare
from openmeva.training.cli.resources import resources
from openmeva.training.cli.running import Commands, cleaning_up_on_sigterm, replace_unencodable
from openmeva.training.cli.score import explain, score
from openmeva.training.cli.sharing import install, publish, uninstall
from openmeva.training.cli.space import space
from openmeva.training.cli.stories import autos, negatives, perturb
from openmeva.training.cli.systems import systems
from openmeva.training.cli.train import train

app = typer.Typer(
    name="openmeva",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Scores": (score, explain, systems),
    "Stories": (perturb, negatives, autos),
    "Judging metrics": (benchmark, compare, judged),
    "Training and demos": (train, space),
    "Sharing": (install, uninstall, publish, resources),
}
_WORDNET = "Needs WordNet: `openmeva resources --wordnet-only` fetches it, once"
# What each command needs in addition to the package, and its approximate time on one core of a laptop.
_NEEDS = {
    "score": "Needs nothing else. Starts in ten seconds, then scores about 40 short stories per second.",
    "explain": "Needs nothing else. Starts in ten seconds, then explains about 10 short stories per second.",
    "systems": "Needs nothing else. Starts in ten seconds, then scores about 40 short stories per second.",
    "perturb": f"{_WORDNET} (for all aspects except lexical repetition, "
    "temporal relationship, punctuation, contraction and typo); common_sense needs ConceptNet, too. Starts in seconds, then "
    "perturbs at least a hundred short stories per second.",
    "negatives": f"{_WORDNET}. Starts in seconds, then processes at least a hundred short stories per second.",
    "autos": f"{_WORDNET}, and ConceptNet. Minutes for a few hundred stories, hours for a corpus.",
    "benchmark": "Needs stories with human judgments: the papers' data, or your own file. About 14 minutes on two cores "
    "for the default metrics, minutes for a single one.",
    "compare": "Needs stories with human judgments, and two files of scores (seconds) or metrics (minutes).",
    "judged": "Listing needs nothing; building a set needs its authors' files. Seconds.",
    "train": f"Needs the corpora, from their authors. {_WORDNET}. An hour on one core for `union --corpus roc_first`; the head of "
    "a configuration lists the commands to run first, and says if it needs a GPU.",
    "space": "Needs nothing else; WordNet is fetched if it is missing and the network is available. The page opens after ten seconds, "
    "the first answer takes half a minute, others less than a second.",
    "install": "Needs about 230 MB in the cache, and no network. A minute.",
    "uninstall": "Needs nothing. Seconds.",
    "publish": "Needs network, and a Hub token with write access. Minutes.",
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
    replace_unencodable()
    with cleaning_up_on_sigterm():
        app()


if __name__ == "__main__":
    main()
