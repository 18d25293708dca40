"""Trains the grammaticality classifier that filters AUTOS (OpenMEVA, appendix B.2): an adapter on the encoder, on CoLA.

    python -m training.grammar --data DIR                      # DIR has cola/raw; also evaluates on roc and wp, if in DIR
    python -m training.grammar --data DIR --evaluate           # evaluates the shipped weights

Writes the weights, `manifest.json` and a card to `training/weights/grammar`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from openmeva.metrics.core.files import check_folder
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.config import config_file, read_config
from openmeva.training.grammar.config import Settings
from openmeva.training.grammar.data import human_stories
from openmeva.training.grammar.model import WEIGHTS, GrammarScorer
from openmeva.training.grammar.trainer import evaluate, pass_rates, train
from openmeva.training.processes import detach_from_launcher, progress_to_stderr


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.grammar",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that contains cola/raw")
    parser.add_argument("--config", default="default", help="a file, or a name in training/configs/grammar")
    parser.add_argument(
        "--set", nargs="*", action="extend", default=[], metavar="KEY=VALUE", help="e.g. epochs=1"
    )
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--resume", action="store_true", help="no effect: it takes minutes, and starts again")
    parser.add_argument("--evaluate", action="store_true", help="only evaluate the weights in --out")
    options = parser.parse_args(arguments)
    if not detach_from_launcher():
        return
    progress_to_stderr()
    folder = options.data / "cola" / "raw"
    with exit_on_bad_input():
        if options.evaluate:
            scorer = GrammarScorer.load(options.out)
            results = evaluate(scorer, folder)
            human = {
                name: pass_rates(scorer, stories) for name, stories in human_stories(options.data).items()
            }
        else:
            check_folder(options.out)  # before the training
            settings = read_config(Settings, config_file("grammar", options.config), options.set)
            manifest = train(folder, options.out, settings, human=human_stories(options.data))
            results, human = manifest["results"], manifest["human"]
    for name, result in results.items():
        print(
            f"{name}: Matthews {result['mcc']:.3f}, accuracy {result['accuracy']:.3f} of {result['sentences']}"
        )
    for name, rates in human.items():
        print(
            f"human stories of {name} that pass, of {rates['stories']}: each sentence {rates['each_sentence']:.3f}, single "
            f"sentences {rates['single']:.3f}, as one text {rates['whole']:.3f}"
        )


if __name__ == "__main__":
    main()
