"""Implausible stories written from broken plots (MANPLTS, section 3.2), and plain samples from unbroken ones.

    python -m training.plot_guided.negatives --config roc --data DIR
    python -m training.plot_guided.negatives --config … --data DIR --plain      # no manipulations

A stage: it goes on where it was interrupted, and does nothing where nothing changed. Rows of the Parquet file:
`group` (the human story's id), `candidate`, `label` (0), `source`, `story`, `context`, `plot`, `manipulations`.
"""

import argparse
from pathlib import Path

from openmeva.training.common.config import config_file, read_mapping
from openmeva.training.paths import CACHE, RUNS
from openmeva.training.plot_guided.negatives.config import PlotNegativesConfig
from openmeva.training.plot_guided.negatives.stage import make_negatives, make_plain


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_guided.negatives",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", required=True, help="a file, or a name in training/configs/plot_negatives"
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the configuration's files")
    parser.add_argument("--out", type=Path, help="default: runs/plots/NAME, or runs/generated for --plain")
    parser.add_argument("--cache", type=Path, default=CACHE / "tags", help="tagged corpora")
    parser.add_argument("--plain", action="store_true", help="plain samples from unbroken plots")
    given = parser.parse_args(arguments)
    config = read_mapping(PlotNegativesConfig, config_file("plot_negatives", given.config))
    if given.plain:
        for path in make_plain(config, given.data, given.out or RUNS / "generated", given.cache):
            print(path)
    else:
        out = given.out or RUNS / "plots" / config["name"]
        print(make_negatives(config, given.data, out, given.cache))


if __name__ == "__main__":
    main()
