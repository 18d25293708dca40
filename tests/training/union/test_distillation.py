"""Distillation of UNION: the student learns the teacher's logits, but no labels of the further stories."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from openmeva.metrics.union.modeling import IGNORE_INDEX
from openmeva.training.common.config import parse
from openmeva.training.files import checksum
from openmeva.training.union import trainer as union
from openmeva.training.union.config import UnionConfig
from openmeva.training.union.data import UNLABELLED, Example, UnionCollator
from openmeva.training.union.losses import union_loss
from tests.tiny.models import tiny_model
from tests.tiny.union import SETTINGS, STORIES, count_ranked_correctly, swap_sentences


@pytest.fixture
def data(data: Path) -> Path:
    """A folder with the sixteen stories, and groups of each with a copy that has two sentences exchanged."""
    groups = [
        # the labels are wrong: a student can learn these stories only from its teacher
        {"group": str(number), "story": text, "label": label}
        for number, story in enumerate(STORIES)
        for text, label in ((story, 0), (swap_sentences(story), 1))
    ]
    (data / "groups.jsonl").write_text("".join(json.dumps(row) + "\n" for row in groups))
    return data


def configuration(data: Path, **changes: Any) -> UnionConfig:
    defaults = {"adapter": {"rank": 8, "alpha": 16}, "pairs": 64, "batch_pairs": 8}
    return parse(UnionConfig, {**SETTINGS, **defaults, **changes})


def student(data: Path, **changes: Any) -> UnionConfig:
    defaults = {
        "teacher": {"weights": str(data / "teacher")},
        "others": {"files": [{"path": str(data / "groups.jsonl"), "share": 0.0}]},
        "epochs": 40,
        "pairs": 16,
        "label_weight": 0.0,
        "reconstruction_weight": 0.0,
        "distillation_weight": 1.0,
    }
    return configuration(data, **{**defaults, **changes})


def run(data: Path, name: str, config: UnionConfig, folder: Path | None = None) -> dict[str, Any]:
    return union.train(config, data, folder or data / name, data / f"run-{name}", data / "cache")


@pytest.fixture
def teacher(data: Path, trained_union: Path) -> Path:
    """A model that recognises the order of sentences."""
    shutil.copytree(trained_union, data / "teacher")
    assert count_ranked_correctly(data / "teacher") >= 14
    return data / "teacher"


@pytest.mark.parametrize("states", [0.0, 1.0], ids=["judgments", "judgments and states"])
def test_student_learns_from_its_teacher_without_labels(data: Path, teacher: Path, states: float) -> None:
    run(data, "untaught", configuration(data, pairs=8, learning_rate=1e-6))
    assert count_ranked_correctly(data / "untaught") < 12, "the initial weights do not recognise the order"
    manifest = run(data, "student", student(data, states_weight=states))
    assert count_ranked_correctly(data / "student") >= 14, (
        "learned neither from labels of pairs nor from those of the other stories"
    )
    assert manifest["teacher"] == checksum(teacher / "adapter.safetensors")
    assert (manifest["others"], manifest["steps"]) == (32, (16 + 16) * 40 // 8)
    assert manifest["data"].keys() >= {"stories.jsonl", str(data / "groups.jsonl")}
    tensors = load_file(data / "student" / "adapter.safetensors")
    assert not any("projection" in name for name in tensors), (
        "the projection between states is used only in training"
    )
    card = (data / "student" / "README.md").read_text()
    assert "distilled from a larger UNION" in card
    assert "32 further stories" in card
    assert ("hidden states" in card) == bool(states)


def test_missing_teacher_is_trained_first(data: Path) -> None:
    large = {**vars(configuration(data)), "name": "large"}
    large.update(corpus={"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]}, pairs=8)
    settings = {
        key: large[key] for key in ("name", "corpus", "pairs", "batch_pairs", "learning_rate", "max_length")
    }
    (data / "large.yaml").write_text(json.dumps(settings))
    config = student(
        data, epochs=1, teacher={"weights": str(data / "large"), "config": str(data / "large.yaml")}
    )
    run(data, "student", config)
    written = (data / "large" / "manifest.json").stat().st_mtime_ns
    run(data, "again", config)
    assert (data / "large" / "manifest.json").stat().st_mtime_ns == written


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"teacher": None}, "expected a teacher and a distillation_weight"),
        ({"distillation_weight": 0.0}, "expected a teacher and a distillation_weight"),
        ({"teacher": None, "distillation_weight": 0.0}, "others, epochs: expected only with a teacher"),
        ({"teacher": None, "distillation_weight": 0.0, "others": None}, "others, epochs"),
    ],
)
def test_incomplete_distillation_settings_are_rejected(
    data: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        run(data, "student", student(data, label_weight=1.0, **changes))


def test_unlabelled_stories_do_not_change_equation_6() -> None:
    model = tiny_model()
    human, negative = (
        Example([2, 9, 10 + n, 11, 3], [IGNORE_INDEX, 9, 10, 11, IGNORE_INDEX], 1 - n) for n in (0, 1)
    )
    unlabelled = Example([2, 9, 9, 3], [IGNORE_INDEX] * 4, UNLABELLED)
    collate = UnionCollator(padding=0, copied_share=1.0, seed=1)
    config = UnionConfig(name="any", learning_rate=1e-3, pairs=1, corpus=configuration(Path()).corpus)
    alone, _ = union_loss(model, collate([(human, negative)]), config)
    combined, logits = union_loss(model, collate([(human, negative), (unlabelled, unlabelled)]), config)
    assert len(logits) == 4
    assert combined.item() == pytest.approx(alone.item(), rel=1e-5)
    distilled = replace(config, distillation_weight=1.0)
    batch = collate([(human, replace(negative, teacher_logit=0.5)), (unlabelled, unlabelled)])
    loss, logits = union_loss(model, batch, distilled)
    distance = (logits[1] - 0.5 * 1.5) ** 2
    assert loss.item() == pytest.approx((alone + distance).item(), rel=1e-5)
    assert torch.isfinite(union_loss(model, collate([(unlabelled, unlabelled)]), config)[0])


def test_start_share_averages_with_the_initial_weights(data: Path) -> None:
    run(data, "begun", configuration(data, pairs=8))
    start = load_file(data / "begun" / "adapter.safetensors")
    shared = {"start": str(data / "begun"), "pairs": 32, "seed": 8}
    run(data, "whole", configuration(data, **shared))
    run(data, "mean", configuration(data, **shared, start_share=0.75))
    trained, mean = (load_file(data / name / "adapter.safetensors") for name in ("whole", "mean"))
    name = "classifier.weight"
    expected = 0.25 * trained[name].float() + 0.75 * start[name].float()
    torch.testing.assert_close(mean[name].float(), expected, atol=1e-3, rtol=1e-2)
    assert not torch.equal(trained[name], start[name])
    assert (
        "averaged with the initial weights (their share: 75%)." in (data / "mean" / "README.md").read_text()
    )
    with pytest.raises(ValueError, match="start_share: expected only with a start"):
        run(data, "alone", configuration(data, start_share=0.5))


@pytest.mark.parametrize("seeds", [[], [1, 2]])
def test_start_with_other_heads_is_rejected_before_training(data: Path, seeds: list[int]) -> None:
    run(data, "begun", configuration(data, pairs=8))
    adapter = data / "begun" / "adapter.safetensors"
    save_file(load_file(adapter) | {"tokens.bias": torch.zeros(1)}, adapter)
    config = configuration(data, start=str(data / "begun"), start_share=0.5, seeds=seeds)
    with pytest.raises(ValueError, match=r"start_share: .* differs in \['tokens\.bias'\]"):
        run(data, "mean", config)
    assert not (data / "run-mean").exists()


def test_seeds_share_teacher_outputs_and_their_average_is_saved(data: Path, teacher: Path) -> None:
    run(data, "begun", configuration(data, pairs=8, learning_rate=1e-6))
    config = student(
        data,
        epochs=1,
        states_weight=1.0,
        start=str(data / "begun"),
        start_share=0.5,
        seeds=[1, 2],
        draw_seed=3,
    )
    manifest = run(data, "mean", config)
    folders = [data / "run-mean" / f"tiny-seed-{seed}" for seed in (1, 2)]
    first, second, start, mean = (
        load_file(folder / "adapter.safetensors") for folder in (*folders, data / "begun", data / "mean")
    )
    name = "classifier.weight"
    assert not torch.equal(first[name], second[name])
    expected = 0.25 * first[name].float() + 0.25 * second[name].float() + 0.5 * start[name].float()
    torch.testing.assert_close(mean[name].float(), expected, atol=1e-3, rtol=1e-2)
    assert manifest["seeds"] == {
        "1": checksum(folders[0] / "adapter.safetensors"),
        "2": checksum(folders[1] / "adapter.safetensors"),
    }
    assert len(list((data / "run-mean").glob("teacher_states.parquet"))) == 1, "scored once"
    card = (data / "mean" / "README.md").read_text()
    sentence = "the weight average of 2 runs with seeds 1, 2, averaged again with the initial weights (their share: 50%)."
    assert sentence in card
    written = [(folder / "manifest.json").stat().st_mtime_ns for folder in folders]
    run(data, "mean", config)
    assert [(folder / "manifest.json").stat().st_mtime_ns for folder in folders] == written, (
        "not trained again"
    )


def test_missing_inputs_are_reported_before_training(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "first.yaml").write_text("{}")
    start = {"start": str(data / "nowhere"), "first": str(data / "first.yaml")}
    missing_files = {"files": [{"path": str(data / "none.parquet")}]}
    with pytest.raises(ValueError, match=r"none\.parquet: no such file.*The commands at the head"):
        run(data, "student", student(data, teacher={"weights": str(data)}, others=missing_files, **start))
    folder = data / "larger"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"union": {"encoder": {"path": "gone", "sha256": ""}}}))
    with pytest.raises(ValueError, match="no model 'gone'"):
        run(data, "student", student(data, teacher={"weights": str(folder)}, **start))
    with pytest.raises(ValueError, match="no model 'nobody/none'"):
        run(data, "student", student(data, base="nobody/none", **start))
    parts = {
        "alone": {**SETTINGS, "pairs": 8, "adapter": {"rank": 8, "alpha": 16}},
        "elsewhere": {**SETTINGS, "pairs": 8, "base": "nobody/none"},
        "without": {**SETTINGS, "pairs": 8, "corpus": {"train": ["none.jsonl"]}},
    }
    for name, settings in parts.items():
        (data / f"{name}.yaml").write_text(json.dumps(settings))
    start["first"] = str(data / "alone.yaml")
    monkeypatch.setattr(union, "_train_one", lambda *_: pytest.fail("a part was trained"))
    for name, message in (("elsewhere", "no model 'nobody/none'"), ("without", r"none\.jsonl: no such file")):
        teacher = {"weights": str(data / "large"), "config": str(data / f"{name}.yaml")}
        with pytest.raises(ValueError, match=message):
            run(data, "student", student(data, teacher=teacher, **start))
    shutil.copytree(data / "encoder", data / "other")
    with pytest.raises(ValueError, match=r"base: expected encoder, as in .*alone\.yaml.*, got .*other"):
        run(data, "student", configuration(data, base=str(data / "other"), **start))
    (data / "alone.yaml").write_text(json.dumps({**parts["alone"], "adapter": {"rank": 9, "alpha": 8}}))
    with pytest.raises(ValueError, match=r"adapter\.rank: expected 9 or more, as in .*, got 8"):
        run(data, "student", configuration(data, **start))
