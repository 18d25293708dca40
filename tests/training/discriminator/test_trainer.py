"""The discriminator's rows: pairs of a human-written story and the story generated from its plot."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.common.config import config_file, parse, read_config
from openmeva.training.discriminator import data as discriminator
from openmeva.training.discriminator import trainer
from openmeva.training.discriminator.config import DiscriminatorConfig
from openmeva.training.discriminator.data import generated_groups, load_rows
from openmeva.training.plot_guided.plots.corpus import PlotCorpus, PlottedStory
from openmeva.training.text.tagged_story import TaggedStory
from tests.tiny.models import write_gpt2

STORIES = [
    PlottedStory(f"g{i}", TaggedStory([[word, "ran", "."]], [["NN", "VBD", "."]]), [[word]])
    for i, word in enumerate(("dog", "cat", "man", "hen"))
]


class FakeGenerator:
    """A fake generator: returns the plot, nothing for a cat, and the original story for a man."""

    def __init__(self, *settings: Any, **options: Any) -> None:
        self.keys: list[tuple[int, ...]] = []

    def write(self, plots: Any, keys: Any) -> list[str]:
        self.keys += keys
        texts = {"cat": " ", "man": "man ran ."}
        return [texts.get(plot[0][0], f"the {plot[0][0]} sat .") for plot in plots]


def test_rows_are_pairs_without_empty_or_copied_stories() -> None:
    sampler = FakeGenerator()
    rows = generated_groups(STORIES, sampler, seed=3)  # type: ignore[arg-type]
    assert [(r.group, r.story, r.source, r.label) for r in rows] == [
        ("g0", "dog ran .", "human", 1),
        ("g0", "the dog sat .", "generator", 0),
        ("g3", "hen ran .", "human", 1),
        ("g3", "the hen sat .", "generator", 0),
    ]
    assert sampler.keys == [(3, i) for i in range(4)]


def test_stories_are_generated_once_and_not_from_generator_training_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = tmp_path / "generator"
    generator.mkdir()
    settings = {
        "name": "tiny", "corpus": {"train": []}, "plots": "storyline", "share": 0.7, "generator": str(generator),
        "groups": 2, "validation_groups": 1, "seed": 3,
    }  # fmt: skip
    config = parse(DiscriminatorConfig, settings)
    with pytest.raises(ValueError, match="no generator there"):
        load_rows(config, tmp_path, tmp_path / "run", tmp_path)
    (generator / "model.safetensors").write_bytes(b"weights")
    for share, plots, message in (
        (0.5, "storyline", "share: expected 0.5, with which"),
        (0.7, "keywords", "plots: expected 'keywords', with which"),
    ):
        record = {"generator": {"share": share, "plots": plots}}
        (generator / "config.json").write_text(json.dumps(record))
        with pytest.raises(ValueError, match=message):
            load_rows(config, tmp_path, tmp_path / "run", tmp_path)
    (generator / "config.json").write_text(json.dumps({"generator": {"share": 0.7, "plots": "storyline"}}))
    calls: list[str] = []

    def load_plots_and_count(*_: Any) -> PlotCorpus:
        calls.append("plots")
        return PlotCorpus(generator=STORIES[1:2], metrics=STORIES[:1], validation=STORIES[3:])

    monkeypatch.setattr(discriminator, "load_plots", load_plots_and_count)
    monkeypatch.setattr(discriminator, "load_generator", lambda folder: (None, None))
    monkeypatch.setattr(discriminator, "StorySampler", FakeGenerator)
    (tmp_path / "run").mkdir()
    first = load_rows(config, tmp_path, tmp_path / "run", tmp_path)
    assert [row.group for row in first[0]] == ["g0", "g0"]
    assert [row.group for row in first[1]] == ["g3", "g3"]
    assert load_rows(config, tmp_path, tmp_path / "run", tmp_path) == first
    assert calls == ["plots"]
    (generator / "model.safetensors").write_bytes(b"others")
    assert load_rows(config, tmp_path, tmp_path / "run", tmp_path)[2] != first[2]
    assert calls == ["plots", "plots"], "another generator writes other stories"
    more_held_out = parse(DiscriminatorConfig, {**settings, "validation_groups": 2})
    load_rows(more_held_out, tmp_path, tmp_path / "run", tmp_path)
    assert len(calls) == 3, "so does another number of held-out groups"

    empty = PlotCorpus(generator=STORIES, metrics=[], validation=STORIES[3:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discriminator, "load_plots", lambda *_: empty)
        with pytest.raises(
            ValueError, match="corpus, share: expected train stories that the generator was not"
        ):
            load_rows(
                parse(DiscriminatorConfig, {**settings, "groups": 9}), tmp_path, tmp_path / "run", tmp_path
            )

    def fail_on_write(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(discriminator, "write_groups", fail_on_write)
    with pytest.raises(OSError, match="the disk is full"):
        load_rows(
            parse(DiscriminatorConfig, {**settings, "groups": 1, "seed": 4}),
            tmp_path,
            tmp_path / "run",
            tmp_path,
        )
    assert not (tmp_path / "run" / "rivals.json").exists(), "incomplete files are not recorded"
    json.dumps(first[2])


def train_config(*changes: str) -> DiscriminatorConfig:
    """The configuration passed to the classifier's training when `roc` has these changes."""
    config = read_config(DiscriminatorConfig, config_file("discriminator", "roc"), changes)
    configs: list[DiscriminatorConfig] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "load_rows", lambda *_: ([], [], {}))
        patch.setattr(trainer, "matching_classifier", lambda *_: None)
        patch.setattr(trainer, "train_classifier", lambda config, *_: configs.append(config) or {})
        patch.setattr(trainer, "write_classifier_card", lambda *_: None)
        trainer.train(config, Path(), Path(), Path(), Path())
    return configs[0]


def test_context_and_names_follow_the_corpus_settings() -> None:
    assert (train_config().context, train_config().delexicalize) == ("first_sentence", True)
    changed = train_config("corpus=wp", "corpus.delexicalize=false")
    assert (changed.context, changed.delexicalize) == ("prompt", False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["context=auto"], "context: expected the corpus's, 'first_sentence' (corpus.context), got 'auto'"),
        (
            ["delexicalize=false"],
            "delexicalize: expected the corpus's, True (corpus.delexicalize), got False",
        ),
        (["distillation_weight=1.0"], "distillation_weight, states_weight: expected 0 for both"),
        (["states_weight=0.5"], "distillation_weight, states_weight: expected 0 for both"),
        (["start=a", "adapter=null"], "start: expected only with an adapter, got a"),
        (["frozen_layers=3", "adapter=null"], "frozen_layers: expected only with an adapter, got 3"),
    ],
)
def test_settings_without_effect_are_rejected(changes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        train_config(*changes)


def test_missing_start_is_found_before_stories_are_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "load_rows", None)  # not reached
    with pytest.raises(ValueError, match=r"none.*missing or damaged"):
        train_config(f"start={tmp_path / 'none'}")


def test_layers_of_a_decoder_cannot_be_frozen(tmp_path: Path) -> None:
    base = write_gpt2(tmp_path, ["a dog ran"])
    with pytest.raises(ValueError, match="which is a decoder, got 3"):
        train_config("frozen_layers=3", f"base={base}")
