"""A teacher scores rows once, and a classifier learns its logits without any informative labels."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from scipy.stats import spearmanr

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.training.classifier import distillation
from openmeva.training.classifier.data import ExampleMaker, GroupCollator
from openmeva.training.classifier.distillation import logit, with_teacher_logits, with_teacher_states
from openmeva.training.classifier.live_teacher import LiveTeacher
from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.files import checksum
from openmeva.training.negatives.groups import GroupRow, write_groups
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.trainer import train
from tests.tiny.models import tiny_model, write_encoder

WORDS = ("she", "he", "the", "dog", "cat", "ran", "ate", "slept", "home", "park", "walk", "to", "and", "was")


def rows(count: int, seed: int) -> list[GroupRow]:
    """Pairs of stories; the first of each has mostly words from one half of a vocabulary, the second from the other."""
    rng = np.random.default_rng(seed)
    shares = np.linspace(1.5, 0.5, len(WORDS)) / len(WORDS)
    return [
        GroupRow(
            str(g),
            " ".join([*rng.choice(WORDS, 12, p=shares[:: 1 if label else -1]), "."]),
            "human" if label else "x",
            label,
            label - 1,
        )
        for g in range(count)
        for label in (1, 0)
    ]


def settings(**changes: Any) -> dict[str, Any]:
    return {
        "metric": "plot_coherence",
        "name": "tiny",
        "files": [],
        "adapter": {"rank": 4, "alpha": 8},
        "max_length": 64,
        "group_size": 2,
        "batch_groups": 8,
        "epochs": 2,
        "learning_rate": 1e-2,
        "seed": 7,
        **changes,
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    write_groups(tmp_path / "rows.parquet", rows(80, seed=0))
    return tmp_path


def run_training(folder: Path, name: str, config: dict[str, Any]) -> dict[str, Any]:
    return train(
        parse(PlotCoherenceConfig, config), folder, folder / name, folder / f"run-{name}", folder / "cache"
    )


def scores(folder: Path, stories: list[str]) -> list[float]:
    return ClassifierScorer(load_checkpoint(folder, "plot_coherence")).score(stories, None)[0]


def test_student_scores_correlate_with_the_teacher(folder: Path) -> None:
    files = [{"path": str(folder / "rows.parquet")}]
    teacher_config = settings(name="teacher", files=files, token_weight=0.0)
    (folder / "teacher.yaml").write_text(yaml.safe_dump(teacher_config))
    teacher_files = {"weights": str(folder / "large"), "config": str(folder / "teacher.yaml")}
    student = settings(
        files=files, teacher=teacher_files, distillation_weight=1.0, label_weight=0.0, rank_weight=0.0, token_weight=0.0,
        epochs=12, seed=8,
    )  # fmt: skip
    manifest = run_training(folder, "student", student)
    assert manifest["teacher"] == checksum(folder / "large" / "adapter.safetensors")
    unseen = [row.story for row in rows(40, seed=1)]
    expected = scores(folder / "large", unseen)
    assert spearmanr(scores(folder / "student", unseen), expected)[0] > 0.8
    before = (folder / "student" / "adapter.safetensors").stat().st_mtime_ns
    run_training(folder, "student", student)
    assert (folder / "student" / "adapter.safetensors").stat().st_mtime_ns == before, (
        "a second run does nothing"
    )


def test_teacher_logits_are_standardised_in_order_and_computed_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(files=[{"path": str(folder / "rows.parquet")}])
    run_training(folder, "large", config)
    judged = with_teacher_logits(rows(30, seed=2), folder / "large", "plot_coherence", folder / "out")
    logits = np.array([row.teacher_logit for row in judged])
    assert logits.mean() == pytest.approx(0, abs=1e-5)
    assert logits.std() == pytest.approx(1, abs=1e-5)
    expected = [logit(score) for score in scores(folder / "large", [row.story for row in judged])]
    assert spearmanr(logits, expected)[0] == pytest.approx(1)
    assert [row.story for row in judged] == [row.story for row in rows(30, seed=2)]

    def fail_if_loaded(*arguments: Any) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(distillation, "load_checkpoint", fail_if_loaded)
    again = with_teacher_logits(rows(30, seed=2), folder / "large", "plot_coherence", folder / "out")
    assert again == judged
    with pytest.raises(AssertionError, match="scored again"):
        with_teacher_logits(rows(31, seed=2), folder / "large", "plot_coherence", folder / "out")
    with pytest.raises(ValueError, match="got none"):
        with_teacher_logits([], folder / "large", "plot_coherence", folder / "out")


def test_teacher_logits_are_without_the_cost_of_repetition(folder: Path) -> None:
    run_training(folder, "plain", settings(files=[{"path": str(folder / "rows.parquet")}]))
    shutil.copytree(folder / "plain", folder / "costly")
    config = json.loads((folder / "plain" / "config.json").read_text())
    config["plot_coherence"]["repetition_weight"] = 8.0
    (folder / "costly" / "config.json").write_text(json.dumps(config))
    repetitive = [replace(row, story=f"{row.story} {row.story}") for row in rows(10, seed=2)]
    stories = [row.story for row in repetitive]
    with_cost, without = (scores(folder / name, stories) for name in ("costly", "plain"))
    assert all(a < b for a, b in zip(with_cost, without, strict=True))
    plain, costly = (
        [
            row.teacher_logit
            for row in with_teacher_logits(
                repetitive, folder / name, "plot_coherence", folder / f"out-{name}"
            )
        ]
        for name in ("plain", "costly")
    )
    assert plain == costly


def test_logits_are_finite() -> None:
    assert logit(0.5) == 0
    assert (
        logit(0.0)
        == pytest.approx(-logit(1.0))
        == pytest.approx(math.log(distillation.MIN_DISTANCE), rel=1e-5)
    )


def test_live_teacher_trains_the_same_student_as_stored_outputs(folder: Path) -> None:
    """Both give the same logits and states, so the students are nearly the same; the live teacher writes no files."""
    files = [{"path": str(folder / "rows.parquet")}]
    run_training(folder, "large", settings(files=files, token_weight=0.0))
    student = settings(
        files=files, distillation_weight=1.0, states_weight=1.0, label_weight=0.0, rank_weight=0.0, token_weight=0.0,
        epochs=6, seed=8,
    )  # fmt: skip
    teacher_files = {"weights": str(folder / "large")}
    stored = run_training(folder, "stored", {**student, "teacher": teacher_files})
    live = run_training(folder, "live", {**student, "teacher": {**teacher_files, "live": True}})
    assert live["teacher"] == stored["teacher"]
    assert (folder / "run-stored" / "teacher_states.parquet").is_file()
    assert not list((folder / "run-live").glob("teacher*"))
    unseen = [row.story for row in rows(40, seed=1)]
    expected = scores(folder / "large", unseen)
    assert spearmanr(scores(folder / "live", unseen), expected)[0] > 0.8
    differences = np.subtract(scores(folder / "live", unseen), scores(folder / "stored", unseen))
    assert np.abs(differences).mean() < 0.05


def test_live_teacher_batches_equal_those_of_stored_outputs(folder: Path) -> None:
    run_training(folder, "large", settings(files=[{"path": str(folder / "rows.parquet")}], token_weight=0.0))
    scorer = ClassifierScorer(load_checkpoint(folder / "large", "plot_coherence"))
    live = LiveTeacher(scorer, 10)
    unseen = rows(4, seed=2)
    judged = with_teacher_states(unseen, folder / "large", "plot_coherence", folder / "out", 10)
    make_stored = ExampleMaker(scorer.tokenizer, scorer.normalizer, 10)
    make_live = ExampleMaker(scorer.tokenizer, scorer.normalizer, 10, live.make)
    collate = GroupCollator(scorer.special_tokens.padding, live.padding)
    groups = [[make_live(row) for row in unseen[start : start + 2]] for start in range(0, 8, 2)]
    live.fit([collate(groups)])
    batch = live(collate(groups))
    expected = collate([[make_stored(row) for row in judged[start : start + 2]] for start in range(0, 8, 2)])
    assert torch.equal(batch["states_known"], expected["states_known"])
    mask = expected["states_known"]
    assert torch.allclose(batch["teacher_states"].float()[mask], expected["teacher_states"][mask], atol=0.02)
    assert torch.allclose(batch["teacher_logit"].float(), expected["teacher_logit"], atol=0.05)
