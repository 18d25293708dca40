"""The generator as a stage of the chain: trained where it is not there yet, or was trained otherwise."""

from pathlib import Path

from openmeva.training.common.checkpoint import begun_with, save_manifest, trained
from openmeva.training.common.config import config_file, read_config
from openmeva.training.paths import located
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.trainer import generator_made_from, train_generator
from openmeva.training.processes import one_writer


def ensure_generator(folder: Path, configuration: str | Path, data: Path, cache: Path) -> Path:
    """The folder of the generator that a configuration describes, which is trained where it is not, or not so, or of other data.

    A training of the same configuration and data that was interrupted goes on; any other begins anew.

    Where the configuration goes on from another generator (`start`), that one comes first (`start_config`).

    Args:
        folder: of the weights, `RUN/final`; checkpoints lie beside it.
        configuration: a generator's (a file, or a name in training/configs/generator).
        data: the folder of the corpus.
        cache: of tagged corpora.
    """
    config = read_config(GeneratorConfig, config_file("generator", configuration))
    if config.start and config.start_config:
        ensure_generator(located(config.start), config.start_config, data, cache)
    wanted = generator_made_from(config, data)
    if trained(folder, GeneratorConfig, wanted):
        return folder
    manifest = train_generator(config, data, folder.parent, cache, begun_with(folder.parent, wanted))
    with one_writer() as writes:
        if writes:
            save_manifest(folder, manifest)
    return folder
