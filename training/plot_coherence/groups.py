"""Writes groups of graded negative samples: `python -m training.plot_coherence.groups --config FILE --data DIR`.

In graded negative samples, the damage increases by level. For each corpus in the configuration's `graded`, writes
`graded-NAME-train.parquet` and `graded-NAME-validation.parquet` to runs/plot_coherence-CONFIGURATION, as the training does.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.config import config_file, read_config
from openmeva.training.graded.groups import corruption_seed, make_groups
from openmeva.training.paths import CACHE, RUNS
from openmeva.training.plot_coherence.config import PlotCoherenceConfig


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line and writes the groups."""
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_coherence.groups",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", required=True, help="a configuration of plot_coherence with `graded`")
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--run",
        type=Path,
        help="folder of the groups; default: runs/plot_coherence-CONFIGURATION, with --stories …-trial",
    )
    parser.add_argument("--cache", type=Path, default=CACHE / "tags", help="folder of tagged corpora")
    parser.add_argument("--stories", type=int, help="number of groups per corpus, for a quick trial")
    args = parser.parse_args(arguments)
    with exit_on_bad_input():
        config = read_config(PlotCoherenceConfig, config_file("plot_coherence", args.config))
        if not config.graded:
            raise ValueError(f"{args.config}: expected `graded`, corpora whose stories are damaged, got none")
        seed = corruption_seed(config.seed, config.data_seed)
        run = args.run or RUNS / f"plot_coherence-{config.name}{'-trial' if args.stories else ''}"
        for settings in config.graded:
            if args.stories:
                settings = {
                    **settings,
                    "stories": args.stories,
                    "validation_stories": args.stories,
                    "pool": 4 * args.stories,
                    "paraphrase_stories": 2 * args.stories,
                }
            manifest = make_groups(settings, args.data, run, args.cache, seed)
            print(json.dumps({key: manifest[key] for key in ("train", "validation")}, indent=2))


if __name__ == "__main__":
    main()
