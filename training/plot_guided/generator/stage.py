"""The generator as a stage: trained if it is missing, or was trained with other settings."""

from pathlib import Path

from openmeva.training.common.checkpoint import can_resume, matching_manifest, save_manifest
from openmeva.training.common.config import config_file, read_config
from openmeva.training.paths import resolve_path
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.trainer import FINAL, generator_made_from, train_generator
from openmeva.training.processes import one_writer, print_notice


def ensure_generator(folder: Path, configuration: str | Path, data: Path, cache: Path) -> Path:
    """Trains the generator of a configuration if it is missing or outdated; returns its folder.

    It is outdated if it was trained with another configuration or other data. An interrupted training with the same
    configuration and data resumes; any other starts again. If the configuration is initialised from another generator
    (`start`), that one is trained first (`start_config`).

    Args:
        folder: folder of the weights, `RUN/final`; checkpoints are next to it.
        configuration: a generator's configuration (a file, or a name in training/configs/generator).
        data: the folder of the corpus.
        cache: the folder of tagged corpora.

    Raises:
        ValueError: weights to train whose folder has another name than `final`.
    """
    config = read_config(GeneratorConfig, config_file("generator", configuration))
    if config.start and config.start_config:
        ensure_generator(resolve_path(config.start), config.start_config, data, cache)
    wanted = generator_made_from(config, data)
    if matching_manifest(folder, GeneratorConfig, wanted):
        return folder
    if folder.name != FINAL:
        raise ValueError(
            f"generator: expected RUN/{FINAL}, a folder of this name beside the checkpoints of its training, got {folder}"
        )
    print_notice(f"{folder}: no weights of {config.name} with these settings; training them first")
    manifest = train_generator(config, data, folder.parent, cache, can_resume(folder.parent, wanted))
    with one_writer() as writes:
        if writes:
            save_manifest(folder, manifest)
    return folder
