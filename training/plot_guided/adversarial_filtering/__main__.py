"""Filters the negatives that `training.plot_guided.negatives` wrote.

    python -m training.plot_guided.adversarial_filtering --config roc --data DIR

Writes `filtered.parquet`, its manifest with the accuracy of each round, and `filtered.png`, to runs/plots/NAME.
"""

import argparse
import json
from functools import cache as cache_result
from pathlib import Path

from openmeva.training.common.config import config_file, read_mapping
from openmeva.training.paths import CACHE, RUNS
from openmeva.training.plot_guided.adversarial_filtering.stage import filter_negatives
from openmeva.training.plot_guided.negatives import make_negatives
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.plots.corpus import load_plots


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_guided.adversarial_filtering",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", required=True, help="a file, or a name in training/configs/plot_negatives"
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the configuration's files")
    parser.add_argument("--out", type=Path, help="default: runs/plots/NAME")
    parser.add_argument("--cache", type=Path, default=CACHE / "tags", help="tagged corpora")
    given = parser.parse_args(arguments)
    config = read_mapping(PlotNegativesConfig, config_file("plot_negatives", given.config))
    out = given.out or RUNS / "plots" / config["name"]
    corpus = cache_result(lambda: load_plots(config, given.data, given.cache))
    negatives = make_negatives(config, given.data, out, given.cache, corpus)
    path = filter_negatives(config, corpus, negatives, out)
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    print(json.dumps({key: manifest[key] for key in ("rows", "accuracy", "replaced", "shares")}, indent=2))


if __name__ == "__main__":
    main()
