"""The generator as a stage: trained if it is missing or has other settings or data, else kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from openmeva.training.common.config import as_mapping
from openmeva.training.files import checksum
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.model import ADAPTER, load_generator, recorded_base
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.generator.stage import ensure_generator
from openmeva.training.plot_guided.generator.trainer import GeneratorTrainer, train_generator
from tests.killing import interrupt_at_call
from tests.tiny.models import write_gpt2
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


def refused(data: Path, message: str, config: GeneratorConfig, folder: str = "run/final") -> None:
    """Checks that the settings are refused before the training."""
    file = data / "generator.yaml"
    file.write_text(
        yaml.safe_dump({key: value for key, value in as_mapping(config).items() if value is not None})
    )
    with pytest.raises(ValueError, match=message):
        ensure_generator(data / folder, file, data, data / "cache")


def test_what_would_fail_after_the_training_is_refused_before(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GeneratorTrainer, "train", lambda *_, **__: pytest.fail("trained"))
    refused(data, r"expected RUN/final, .* got .*mine", generator_config(), "mine")
    refused(data, "max_story: expected 512 or less, the positions", generator_config(max_story=4000))
    refused(
        data, r"stories\.jsonl: expected stories for the generator, got none", generator_config(share=0.0)
    )
    with pytest.raises(ValueError, match=r"expected a plot extractor of .* got 'storylin'"):
        generator_config(plots="verbs+storylin")


def test_generator_needs_the_base_that_its_adapter_was_trained_on(data: Path) -> None:
    stories = [json.loads(line)["story"] for line in (data / "stories.jsonl").open()]
    base = write_gpt2(data / "gpt2", stories)
    config = generator_config(base=str(base), stories=4, adapter={"rank": 4, "alpha": 8})
    train_generator(config, data, data / "run", data / "cache")
    final = data / "run" / "final"
    generator = load_generator(final)
    with pytest.raises(ValueError, match=r"max_plot \+ max_tokens: expected 160 or less"):
        StorySampler(generator, Sampling(max_plot=100, max_tokens=100))
    assert recorded_base(final) == checksum(base / "model.safetensors")
    write_gpt2(data / "gpt2", stories[:4])
    with pytest.raises(ValueError, match=rf"expected .*gpt2 with the SHA-256 {recorded_base(final)}"):
        load_generator(final)
    assert (final / ADAPTER).is_file()
