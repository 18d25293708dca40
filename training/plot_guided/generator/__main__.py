"""Trains the plot-to-story generator and writes its card.

    python -m training.plot_guided.generator --config training/configs/generator_roc.yaml --data DIR

Weights stay in the run's folder (`--run`, default runs/generator-NAME/final), which is not part of the repository;
card and manifest go to `--out`.
"""

import argparse
import json
from pathlib import Path

import yaml

from openmeva.training.files import write_text
from openmeva.training.paths import ROOT
from openmeva.training.plot_guided.generator.card import write_generator_card
from openmeva.training.plot_guided.generator.train import train_generator


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.plot_guided.generator",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", type=Path, required=True, help="a file of training/configs")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the configuration's files")
    parser.add_argument("--run", type=Path, help="checkpoints and weights; default: runs/generator-NAME")
    parser.add_argument("--out", type=Path, help="default: training/weights/generator-NAME")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "tags", help="tagged corpora")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --run")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="e.g. stories=2000")
    given = parser.parse_args(arguments)
    config = yaml.safe_load(given.config.read_text(encoding="utf-8"))
    for setting in given.set:
        key, separator, value = setting.partition("=")
        if not separator or key not in config:
            parser.error(f"--set: expected KEY=VALUE with a key of {sorted(config)}, got {setting!r}")
        config[key] = yaml.safe_load(value)
    run = given.run or ROOT / "runs" / f"generator-{config['name']}"
    manifest = train_generator(config, given.data, run, given.cache, given.resume)
    write_text(run / "final" / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_generator_card(
        run / "final", given.out or ROOT / "training" / "weights" / f"generator-{config['name']}"
    )
    print(json.dumps({key: manifest[key] for key in ("stories", "steps", "validation", "minutes")}, indent=2))


if __name__ == "__main__":
    main()
