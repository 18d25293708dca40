"""A tiny corpus with plots and an untrained generator, for the stages of plot-guided negatives."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.model import build_generator, save_generator
from openmeva.training.text.knowledge.events import ConceptNetEvents
from tests.tiny.models import tiny_model, write_encoder

SUBJECTS = ("she", "he", "the dog", "the cat")
ENDINGS = ("ran home", "ate", "slept", "walked to the park", "was not home", "ran to the cat", "did not walk")
TRIPLES = [("Causes", "run", "walk home"), ("HasPrerequisite", "walk", "run"), ("Causes", "eat", "sleep")]


def events(*_: Any) -> ConceptNetEvents:
    """An event model of three triples, instead of ConceptNet's."""
    return ConceptNetEvents(TRIPLES)


def generator_settings(**changes: Any) -> dict[str, Any]:
    """A generator of one layer each on the tiny encoder, as a mapping."""
    config = {
        "name": "tiny",
        "corpus": {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"], "delexicalize": True},
        "plots": "storyline",
        "share": 0.5,
        "base": "encoder",
        "encoder_layers": [0],
        "decoder_layers": [1],
        "start": None,
        "max_plot": 24,
        "max_story": 40,
        "stories": 24,
        "batch": 4,
        "learning_rate": 0.01,
        "warmup_share": 0.05,
        "seed": 3,
    }
    return {**config, **changes}


def generator_config(**changes: Any) -> GeneratorConfig:
    """A generator of one layer each on the tiny encoder."""
    return parse(GeneratorConfig, generator_settings(**changes))


def negatives_config(generator: Path, **changes: Any) -> dict[str, Any]:
    """Settings of the chain from negatives to training sets."""
    config = {
        **{key: generator_settings()[key] for key in ("name", "corpus", "plots", "share")},
        "generator": str(generator),
        "stories": None,
        "candidates": 3,
        "sampling": {"top_k": 8, "temperature": 1.0, "max_tokens": 12, "max_plot": 48, "batch_size": 8},
        "plain": {"temperatures": [0.8, 1.0], "stories": 5},
        "filtering": {"kept": 1, "rounds": 3, "patience": 3, "margin": 0.0, "members": ["words", "tags"]},
        "seed": 3,
    }
    return {**config, **changes}


def write_stories(folder: Path) -> None:
    """28 training and 6 held-out stories, whose sentences always have the same order."""
    folder.mkdir(parents=True, exist_ok=True)
    stories = [
        f"{a} ran home . {a} ate and {b} . {a} slept ! {b} , the cat walked ."
        for a in SUBJECTS
        for b in ENDINGS
    ]
    held_out = [f"not {story}" for story in stories[:6]]
    for name, texts in (("stories", stories), ("held_out", held_out)):
        lines = [json.dumps({"story": text}) + "\n" for text in texts]
        (folder / f"{name}.jsonl").write_text("".join(lines))


def write_generator(folder: Path) -> Path:
    """An untrained tiny generator, as the trainer saves one."""
    write_encoder(folder / "encoder", tiny_model())
    config = generator_config()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backbone, "ENCODER", folder / "encoder")
        model, tokenizer = build_generator(config)
    save_generator(model, tokenizer, config, folder / "generator")
    return folder / "generator"
