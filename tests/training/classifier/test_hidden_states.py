"""Word states are means over tokens; a projection fits a teacher's states; a student learns them."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from openmeva.metrics.core.checkpoint import load_checkpoint, read_tensors
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.distillation import with_teacher_logits, with_teacher_states
from openmeva.training.classifier.hidden_states import StateProjection, word_states
from openmeva.training.classifier.losses import classifier_loss
from tests.training.classifier.test_distillation import folder, rows, run_training, settings  # noqa: F401


def test_word_states_are_means_of_token_states() -> None:
    hidden = torch.arange(10.0).reshape(1, 5, 2)
    states = word_states(hidden, torch.tensor([[0, 1, 1, 2, -1]]), 4)
    assert states.tolist() == [[[0, 1], [3, 4], [6, 7], [0, 0]]]


def test_projection_recovers_a_linear_map() -> None:
    random = torch.Generator().manual_seed(0)
    student = torch.randn(40, 5, 6, generator=random)
    teacher = student @ torch.randn(6, 9, generator=random) + 3
    projection = StateProjection(6, 9)
    projection.fit(list(student), list(teacher))
    error = projection(student) - projection.standardised(teacher)
    assert float(error.detach().square().mean()) < 1e-2
    assert projection.standardised(teacher)[:, 1:].flatten(0, 1).std(0) == pytest.approx(np.ones(9), abs=1e-4)


def test_projection_of_states_far_from_zero_is_unbiased() -> None:
    random = torch.Generator().manual_seed(0)
    student = torch.randn(40, 5, 6, generator=random) + 4
    teacher = student @ torch.randn(6, 9, generator=random)
    projection = StateProjection(6, 9)
    projection.fit(list(student), list(teacher))
    means = projection(student).detach().mean(0)
    assert means[0] == pytest.approx(np.zeros(9), abs=1e-4)
    assert means[1:].mean(0) == pytest.approx(np.zeros(9), abs=1e-4)


def test_states_loss_is_the_mean_squared_error_of_known_states() -> None:
    projection = StateProjection(2, 3)
    states = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])  # the first token's and a word's
    known = torch.tensor([[True, True, False]])
    teacher = torch.tensor([[[0.5, 0.5, 0.5], [1.0, 2.0, 3.0], [9.0, 9.0, 9.0]]])
    model = SimpleNamespace(
        tokens=None,
        projection=projection,
        encode=lambda ids, mask: torch.cat([states, torch.full((1, 1, 2), 7.0)], 1),
        score=lambda hidden: hidden[:, 0, 0],
    )
    ids = torch.ones(1, 3, dtype=torch.long)
    batch = {
        "input_ids": ids, "attention_mask": ids, "labels": torch.tensor([1]), "pairs": torch.zeros(0, 2),
        "words": torch.tensor([[0, 1, -1]]), "teacher_states": teacher, "states_known": known,
    }  # fmt: skip
    plain = ClassifierConfig(metric="x", name="x", error_type_weight=0.0, token_weight=0.0)
    losses = [
        float(classifier_loss(model, batch, replace(plain, states_weight=weight))[0].detach())
        for weight in (0.0, 2.0)
    ]
    error = (projection(states) - teacher[:, :2]).square().mean()
    assert losses[1] - losses[0] == pytest.approx(2 * float(error.detach()), rel=1e-5)


def test_student_learns_from_teacher_states(folder: Path) -> None:  # noqa: F811
    files = [{"path": str(folder / "rows.parquet")}]
    run_training(folder, "large", settings(name="teacher", files=files, token_weight=0.0))
    student = settings(
        files=files, teacher={"weights": str(folder / "large")}, distillation_weight=1.0, states_weight=1.0, label_weight=0.0,
        rank_weight=0.0, token_weight=0.0, epochs=12, seed=8,
    )  # fmt: skip
    manifest = run_training(folder, "student", student)
    assert manifest["config"]["states_weight"] == 1
    assert not any("projection" in name for name in read_tensors(folder / "student" / "adapter.safetensors"))
    unseen = [row.story for row in rows(40, seed=1)]
    by_student, by_teacher = (
        ClassifierScorer(load_checkpoint(folder / name, "plot_coherence")).score(unseen, None)[0]
        for name in ("student", "large")
    )
    assert np.corrcoef(by_student, by_teacher)[0, 1] > 0.8


def test_teacher_logits_are_the_same_with_and_without_states(folder: Path) -> None:  # noqa: F811
    run_training(folder, "large", settings(files=[{"path": str(folder / "rows.parquet")}], token_weight=0.0))
    unscored = rows(10, seed=2)
    unscored[3] = replace(unscored[3], corrupted_words=[0], story=unscored[3].story + " she ran")
    plain = with_teacher_logits(unscored, folder / "large", "plot_coherence", folder / "out")
    judged = with_teacher_states(unscored, folder / "large", "plot_coherence", folder / "out", limit=64)
    assert [r.teacher_logit for r in judged] == pytest.approx([r.teacher_logit for r in plain], abs=0.05)
    assert [r.teacher_states.shape[0] for r in judged] == [1 + len(r.story.split()) for r in unscored]
    with pytest.raises(ValueError, match="got none"):
        with_teacher_states([], folder / "large", "plot_coherence", folder / "out", limit=64)
