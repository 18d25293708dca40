"""The generator as a stage of the chain: trained where it is not there yet, or was trained otherwise."""

import json
from pathlib import Path

import yaml

from openmeva.training.files import checksum, write_text
from openmeva.training.paths import ROOT
from openmeva.training.plot_guided.generator.model import WEIGHTS
from openmeva.training.plot_guided.generator.train import train_generator


def ensure_generator(folder: Path, config_file: Path, data: Path, cache: Path) -> Path:
    """The folder of the generator that a configuration describes, which is trained or resumed where need be.

    Where the configuration goes on from another generator (`start`), that one comes first (`start_config`).

    Args:
        folder: of the weights, `RUN/final`; checkpoints lie beside it.
        config_file: a generator's configuration (YAML).
        data: the folder of the corpus.
        cache: of tagged corpora.
    """
    config = yaml.safe_load(config_file.read_text(encoding="utf-8"))
    manifest = folder / "manifest.json"
    if manifest.is_file() and (folder / WEIGHTS).is_file():
        known = json.loads(manifest.read_text(encoding="utf-8"))
        if known["config"] == config and known["weights"] == checksum(folder / WEIGHTS):
            return folder
    if config.get("start"):
        ensure_generator(ROOT / config["start"], ROOT / config["start_config"], data, cache)
    trained = train_generator(config, data, folder.parent, cache, resume=True)
    write_text(manifest, json.dumps(trained, indent=2) + "\n")
    return folder
