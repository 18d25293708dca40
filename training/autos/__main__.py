"""AUTOS: coherent stories and their perturbations, one aspect at a time (OpenMEVA section 3.2).

    python -m training.autos --data DIR                     # roc and wp, of the stories held out there
    python -m training.autos --config roc --stories validation.jsonl --out datasets/autos
    python -m training.autos --config mini --stories datasets/stories/mini.jsonl --replace

Writes `<out>/<config>/discrimination.parquet` and `invariance.parquet`, and prints counts a row beside the shares
of Tables 6 and 7 and what the filter by grammaticality left. An interrupted build goes on where it stopped. A build
with other settings that lies there is refused without `--replace`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from openmeva.training.autos.command import CONFIGURATIONS, Building, build_autos


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    try:
        how = Building(configs=options.pop("config") or (), skip_bad=options.pop("bad") == "skip", **options)
    except ValueError as error:
        parser.error(str(error))
    try:
        build_autos(how)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.autos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--config", choices=CONFIGURATIONS, nargs="+", help="with --data roc and wp unless given"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--stories", help="a file with 'story', or text lines; - for standard input")
    source.add_argument("--data", type=Path, help="folder of the corpora: their held-out stories are taken")
    parser.add_argument(
        "--out",
        type=Path,
        help="folder of the configurations; datasets/autos unless given",
    )
    parser.add_argument("--replace", action="store_true", help="a build with other settings that lies there")
    parser.add_argument(
        "--context",
        choices=("first_sentence", "none"),
        default="first_sentence",
        help="of --stories without one",
    )
    parser.add_argument(
        "--paraphrases",
        default="rules",
        help="rules, a .json file of back-translations, a model, or two: THERE+BACK",
    )
    parser.add_argument(
        "--grammar", default="default", help="filter: 'default', a checkpoint's folder, or 'none'"
    )
    parser.add_argument(
        "--bad", choices=("refuse", "skip"), default="refuse", help="what to do with bad lines of --stories"
    )
    parser.add_argument("--limit", type=int, help="stories to take, all unless given")
    parser.add_argument(
        "--share",
        type=float,
        help="with --data, of a corpus without a validation file; above .05, stories that trainings read are among them",
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    return parser


if __name__ == "__main__":
    sys.exit(main())
