"""Groups of a human story and a language model's continuations of its opening.

`python -m training.continued --config wp --data DIR` takes the openings of human stories. A causal language
model continues each to about the length of the human story, at several temperatures. The result is
`runs/continued-NAME/continued.parquet`. At low temperatures a small model repeats itself, like the
machine-generated stories with human judgments; at high ones it becomes incoherent. This is a stage: an interrupted
run resumes, and a finished one is not repeated.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.config import config_file, read_config
from openmeva.training.continued.openings import ContinuedConfig
from openmeva.training.continued.stage import make_continued
from openmeva.training.paths import RUNS
from openmeva.training.processes import progress_to_stderr


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.continued",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", required=True, help="a file, or a name in training/configs/continued")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--run", type=Path, help="default: runs/continued-NAME")
    parser.add_argument("--processes", type=int, default=1, help="number of parallel processes (default: 1)")
    parser.add_argument(
        "--set", nargs="*", action="extend", default=[], metavar="KEY=VALUE", help="e.g. stories=20 seed=7"
    )
    given = parser.parse_args(arguments)
    progress_to_stderr()
    with exit_on_bad_input():
        config = read_config(ContinuedConfig, config_file("continued", given.config), given.set)
        run = given.run or RUNS / f"continued-{config.name}"
        print(make_continued(config, given.data, run, given.processes))


if __name__ == "__main__":
    main()
