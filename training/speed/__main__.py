"""`make bench`: speed, as ratios within one run on this machine."""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from openmeva.training.files import write_text

# part: the function in the file of that name that returns its rows
PARTS = {
    "scoring": "scoring_rows",
    "tiers": "tier_rows",
    "embedding_similarity": "embedding_similarity_rows",
    "language_model": "language_model_rows",
    "sampling": "sampling_rows",
    "generator": "generator_rows",
    "perturbations": "perturbation_rows",
    "benchmark": "benchmark_rows",
    "statistics": "statistics_rows",
    "loading": "loading_rows",
    "spaces": "space_rows",
    "scale": "scale_rows",
}
ON_REQUEST = ("scale",)  # parts that run only if they are named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    usual = [name for name in PARTS if name not in ON_REQUEST]
    parser.add_argument("--only", choices=list(PARTS), nargs="*", default=usual, help="parts to run")
    parser.add_argument("--before", metavar="REVISION", help="spaces: also measure this git revision")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="spaces: further minutes of load, to report memory"
    )
    parser.add_argument("--out", type=Path, help="also write the rows as JSON")
    arguments = parser.parse_args()
    title = f"Speed, torch {torch.__version__}, threads: {torch.get_num_threads()}"
    table = Table("what", "measured", "ratio", "target", title=title)
    options = {"spaces": {"before": arguments.before, "minutes": arguments.minutes}}
    rows = []
    for number, part in enumerate(arguments.only, 1):
        print(
            f"{number} of {len(arguments.only)}: {part} …", file=sys.stderr, flush=True
        )  # a part takes minutes
        result = getattr(import_module(f"openmeva.training.speed.{part}"), PARTS[part])(
            **options.get(part, {})
        )
        rows += result
        for row in result:
            table.add_row(*row)
    Console().print(table)
    if arguments.out:
        write_text(arguments.out, json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
