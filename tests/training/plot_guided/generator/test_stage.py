"""The generator as a stage: trained if it is missing or has other settings or data, else kept."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from openmeva.training.common.config import as_mapping
from openmeva.training.files import checksum
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.stage import ensure_generator
from openmeva.training.plot_guided.generator.trainer import GeneratorTrainer
from tests.killing import interrupt_at_call
from tests.tiny.plots import generator_config


def run_ensure_generator(data: Path, config: GeneratorConfig) -> str:
    file = data / "generator.yaml"
    file.write_text(
        yaml.safe_dump({key: value for key, value in as_mapping(config).items() if value is not None})
    )
    return checksum(
        ensure_generator(data / "run" / "final", file, data, data / "cache") / "model.safetensors"
    )


def test_generator_is_retrained_only_if_settings_or_data_differ(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = generator_config(stories=8)
    with interrupt_at_call(GeneratorTrainer, "training_step", 1):
        run_ensure_generator(data, config)
    first = run_ensure_generator(data, config)
    with monkeypatch.context() as patch:
        patch.setattr(GeneratorTrainer, "train", lambda *_, **__: pytest.fail("trained again"))
        assert run_ensure_generator(data, config) == first
    assert run_ensure_generator(data, replace(config, seed=4)) != first
    assert run_ensure_generator(data, config) == first
    corpus = data / config.corpus.train[0]
    corpus.write_text("".join(reversed(corpus.read_text().splitlines(keepends=True))))
    assert run_ensure_generator(data, config) != first
