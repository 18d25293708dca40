"""The classifier of grammaticality that filters AUTOS (appendix B.2): trained on CoLA, an adapter on the encoder.

    python -m training.grammar --data DIR                      # DIR holds cola/raw; trains and measures
    python -m training.grammar --data DIR --evaluate           # measures the shipped weights

Writes the weights, `manifest.json` and a card to `training/weights/grammar`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from openmeva.training.common.config import config_file, read_config
from openmeva.training.grammar.config import Settings
from openmeva.training.grammar.model import WEIGHTS, GrammarScorer
from openmeva.training.grammar.trainer import evaluate, train
from openmeva.training.processes import go_alone


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.grammar",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that holds cola/raw")
    parser.add_argument("--config", default="default", help="a file, or a name in training/configs/grammar")
    parser.add_argument(
        "--set", nargs="*", action="extend", default=[], metavar="KEY=VALUE", help="e.g. epochs=1"
    )
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--evaluate", action="store_true", help="measure the weights in --out, train nothing")
    options = parser.parse_args(arguments)
    if not go_alone():
        return 0
    folder = options.data / "cola" / "raw"
    try:
        if options.evaluate:
            results = evaluate(GrammarScorer.load(options.out), folder)
        else:
            settings = read_config(Settings, config_file("grammar", options.config), options.set)
            results = train(folder, options.out, settings)["results"]
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name, result in results.items():
        print(
            f"{name}: Matthews {result['mcc']:.3f}, accuracy {result['accuracy']:.3f} of {result['sentences']}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
