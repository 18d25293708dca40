"""Compares plot extraction with the plots that the plot-guided paper's authors published.

python -m training.plot_guided.plots --corpus roc --data DIR     # phrase F1 on roc/plot_guided_lm_dev.txt.gz
python -m training.plot_guided.plots --corpus wp --data DIR      # on wp/plot_guided_stories.txt.gz and its plots
"""

import argparse
import json
from pathlib import Path

from openmeva.training.common.bounds import check_minimum
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.plot_guided.plots.published import compare, read_paired, read_storylines


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_guided.plots",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--corpus", choices=("roc", "wp"), default="roc")
    parser.add_argument("--data", type=Path, required=True, help="the folder with roc/ and wp/")
    parser.add_argument("--limit", type=int, help="maximum number of stories to compare")
    parser.add_argument(
        "--seed",
        type=int,
        default=42,
        help="random seed of the words for ROC's sentences without a key phrase",
    )
    given = parser.parse_args(arguments)
    with exit_on_bad_input():
        check_minimum(1, limit=given.limit)
        print(json.dumps(_compared(given), indent=2))


def _compared(given: argparse.Namespace) -> dict[str, float]:
    if given.corpus == "roc":
        rows, extractor = read_storylines(given.data / "roc" / "plot_guided_lm_dev.txt.gz"), "storyline"
    else:
        folder = given.data / "wp"
        rows = read_paired(folder / "plot_guided_stories.txt.gz", folder / "plot_guided_plots_paired.txt.gz")
        extractor = "verbs"
    return compare(rows, extractor, given.seed, given.limit)


if __name__ == "__main__":
    main()
