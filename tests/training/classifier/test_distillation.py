"""A teacher scores rows once, and a classifier learns its logits without any informative labels."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from scipy.stats import spearmanr

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.training.classifier import distillation as teacher
from openmeva.training.classifier.data import ExampleMaker, GroupCollator
from openmeva.training.classifier.distillation import logit, with_teacher_logits, with_teacher_states
from openmeva.training.classifier.live_teacher import LiveTeacher
from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.files import checksum
from openmeva.training.negatives.groups import GroupRow, write_groups
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.trainer import train
from tests.tiny import tiny_model, write_encoder

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
        "passes": 2,
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


def trained(folder: Path, name: str, config: dict[str, Any]) -> dict[str, Any]:
    return train(
        parse(PlotCoherenceConfig, config), folder, folder / name, folder / f"run-{name}", folder / "cache"
    )


def scores(folder: Path, stories: list[str]) -> list[float]:
    return ClassifierScorer(load_checkpoint(folder, "plot_coherence")).score(stories, None)[0]


def test_a_student_comes_near_its_teacher(folder: Path) -> None:
    files = [{"path": str(folder / "rows.parquet")}]
    own = settings(name="teacher", files=files, token_weight=0.0)
    (folder / "teacher.yaml").write_text(yaml.safe_dump(own))
    where = {"weights": str(folder / "large"), "config": str(folder / "teacher.yaml")}
    student = settings(
        files=files, teacher=where, distillation_weight=1.0, label_weight=0.0, rank_weight=0.0, token_weight=0.0,
        passes=12, seed=8,
    )  # fmt: skip
    manifest = trained(folder, "student", student)
    assert manifest["teacher"] == checksum(folder / "large" / "adapter.safetensors")
    new = [row.story for row in rows(40, seed=1)]
    wanted = scores(folder / "large", new)
    assert spearmanr(scores(folder / "student", new), wanted)[0] > 0.8
    before = (folder / "student" / "adapter.safetensors").stat().st_mtime_ns
    trained(folder, "student", student)
    assert (folder / "student" / "adapter.safetensors").stat().st_mtime_ns == before, (
        "a second run does nothing"
    )


def test_judgments_are_standardised_in_order_and_made_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = settings(files=[{"path": str(folder / "rows.parquet")}])
    trained(folder, "large", own)
    judged = with_teacher_logits(rows(30, seed=2), folder / "large", "plot_coherence", folder / "out")
    logits = np.array([row.teacher_logit for row in judged])
    assert logits.mean() == pytest.approx(0, abs=1e-5)
    assert logits.std() == pytest.approx(1, abs=1e-5)
    expected = [logit(score) for score in scores(folder / "large", [row.story for row in judged])]
    assert spearmanr(logits, expected)[0] == pytest.approx(1)
    assert [row.story for row in judged] == [row.story for row in rows(30, seed=2)]

    def unwanted(*arguments: Any) -> None:
        raise AssertionError("judged again")

    monkeypatch.setattr(teacher, "load_checkpoint", unwanted)
    again = with_teacher_logits(rows(30, seed=2), folder / "large", "plot_coherence", folder / "out")
    assert again == judged
    with pytest.raises(AssertionError, match="judged again"):
        with_teacher_logits(rows(31, seed=2), folder / "large", "plot_coherence", folder / "out")
    with pytest.raises(ValueError, match="got none"):
        with_teacher_logits([], folder / "large", "plot_coherence", folder / "out")


def test_logits_are_finite() -> None:
    assert logit(0.5) == 0
    assert logit(0.0) == pytest.approx(-logit(1.0)) == pytest.approx(math.log(teacher.MIN_DISTANCE), rel=1e-5)


def test_a_live_teacher_judges_as_the_stage_does(folder: Path) -> None:
    """Both give the same logits and states, so the students are nearly the same; the live teacher writes no files."""
    files = [{"path": str(folder / "rows.parquet")}]
    trained(folder, "large", settings(files=files, token_weight=0.0))
    taught = settings(
        files=files, distillation_weight=1.0, states_weight=1.0, label_weight=0.0, rank_weight=0.0, token_weight=0.0,
        passes=6, seed=8,
    )  # fmt: skip
    where = {"weights": str(folder / "large")}
    before = trained(folder, "beforehand", {**taught, "teacher": where})
    live = trained(folder, "live", {**taught, "teacher": {**where, "live": True}})
    assert live["teacher"] == before["teacher"]
    assert (folder / "run-beforehand" / "teacher_states.parquet").is_file()
    assert not list((folder / "run-live").glob("teacher*"))
    new = [row.story for row in rows(40, seed=1)]
    wanted = scores(folder / "large", new)
    assert spearmanr(scores(folder / "live", new), wanted)[0] > 0.8
    assert scores(folder / "live", new) == pytest.approx(scores(folder / "beforehand", new), abs=0.1)


def test_a_live_teachers_batches_are_those_of_the_stage(folder: Path) -> None:
    trained(folder, "large", settings(files=[{"path": str(folder / "rows.parquet")}], token_weight=0.0))
    scorer = ClassifierScorer(load_checkpoint(folder / "large", "plot_coherence"))
    live = LiveTeacher(scorer, 10)
    new = rows(4, seed=2)
    judged = with_teacher_states(new, folder / "large", "plot_coherence", folder / "out", 10)
    plain = ExampleMaker(scorer.tokenizer, scorer.normalizer, 10)
    taught = ExampleMaker(scorer.tokenizer, scorer.normalizer, 10, live.make)
    collate = GroupCollator(scorer.special_tokens.padding, live.padding)
    groups = [[taught(row) for row in new[start : start + 2]] for start in range(0, 8, 2)]
    live.fit([collate(groups)])
    found = live(collate(groups))
    wanted = collate([[plain(row) for row in judged[start : start + 2]] for start in range(0, 8, 2)])
    assert torch.equal(found["states_known"], wanted["states_known"])
    at = wanted["states_known"]
    assert torch.allclose(found["teacher_states"].float()[at], wanted["teacher_states"][at], atol=0.02)
    assert torch.allclose(found["teacher_logit"].float(), wanted["teacher_logit"], atol=0.05)
