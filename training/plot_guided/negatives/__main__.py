"""Implausible stories generated from manipulated plots (MANPLTS, section 3.2), and plain samples from original ones.

    python -m training.plot_guided.negatives --config roc --data DIR
    python -m training.plot_guided.negatives --config … --data DIR --plain      # no manipulations

This is a stage: an interrupted run resumes, and an unchanged one is not repeated. Columns of the Parquet file:
`group` (the human story's id), `candidate`, `label` (0), `source`, `story`, `context`, `plot`, `manipulations`.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from openmeva.training.common.command import stage_command
from openmeva.training.paths import RUNS
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.negatives.stage import make_negatives, make_plain


def make(config: dict[str, Any], given: argparse.Namespace) -> None:
    """Writes the stories and prints the paths of the files."""
    if given.plain:
        for path in make_plain(config, given.data, given.out or RUNS / "generated", given.cache):
            print(path)
    else:
        out = given.out or RUNS / "plots" / config["name"]
        print(make_negatives(config, given.data, out, given.cache))


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and runs the stage."""
    stage_command(
        "plot_guided.negatives",
        PlotNegativesConfig,
        make,
        __doc__,
        "runs/plots/NAME, or runs/generated for --plain",
        {"--plain": {"action": "store_true", "help": "plain samples from original plots"}},
        arguments,
    )


if __name__ == "__main__":
    main()
