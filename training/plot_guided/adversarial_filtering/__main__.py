"""Filters the negatives that `training.plot_guided.negatives` wrote.

    python -m training.plot_guided.adversarial_filtering --config roc --data DIR

Writes `filtered.parquet`, its manifest with the accuracy of each round, and `filtered.png`, to runs/plots/NAME.
"""

import argparse
import json
from collections.abc import Sequence
from functools import cache as cache_result
from typing import Any

from openmeva.training.common.command import stage_command
from openmeva.training.paths import RUNS
from openmeva.training.plot_guided.adversarial_filtering.stage import filter_negatives
from openmeva.training.plot_guided.negatives import make_negatives
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.plots.corpus import load_plots


def make(config: dict[str, Any], given: argparse.Namespace) -> None:
    """Writes the negatives if they are missing, filters them, and prints the manifest's results."""
    out = given.out or RUNS / "plots" / config["name"]
    corpus = cache_result(lambda: load_plots(config, given.data, given.cache))
    negatives = make_negatives(config, given.data, out, given.cache, corpus)
    path = filter_negatives(config, corpus, given.data, negatives, out)
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    print(json.dumps({key: manifest[key] for key in ("rows", "accuracy", "replaced", "shares")}, indent=2))


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and runs the stage."""
    stage_command(
        "plot_guided.adversarial_filtering",
        PlotNegativesConfig,
        make,
        __doc__,
        "runs/plots/NAME",
        arguments=arguments,
    )


if __name__ == "__main__":
    main()
