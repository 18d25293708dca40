"""A teacher's outputs are stored once, and several processes share the work of a live teacher."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.training.classifier import distillation
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.data import ExampleMaker, GroupCollator
from openmeva.training.classifier.distillation import with_teacher_states
from openmeva.training.classifier.live_teacher import LiveTeacher
from openmeva.training.classifier.trainer import train_classifier
from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.processes import main_process_first, rank
from tests.tiny import groups as tiny_groups
from tests.tiny.models import tiny_model, write_encoder
from tests.two_processes import run_in_two_processes

LIMIT = 24
STATES = "teacher_states.bin"


@pytest.fixture
def teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a classifier that was trained for a few steps."""
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    settings = {"name": "large", "metric": "plot_coherence", "learning_rate": 0.01, "epochs": 1}
    sizes = {"adapter": {"rank": 4, "alpha": 8}, "max_length": 64, "batch_groups": 8}
    rows = tiny_groups.rows()
    config = parse(ClassifierConfig, {**settings, **sizes})
    train_classifier(config, rows[:30], rows[30:], tmp_path / "large", tmp_path / "run", {"data": {}})
    return tmp_path / "large"


def states_of(rows: list[GroupRow]) -> list[np.ndarray]:
    """Copies of the rows' states."""
    return [np.array(row.teacher_states) for row in rows]


def store_states(rows: list[GroupRow], teacher: Path, out: Path) -> list[GroupRow]:
    return with_teacher_states(rows, teacher, "plot_coherence", out, LIMIT)


def test_states_array_is_written_again_only_for_other_stories_or_another_teacher(
    teacher: Path, tmp_path: Path
) -> None:
    rows, out = tiny_groups.rows(), tmp_path / "out"
    few, others = rows[:6], [replace(row, story=f"he {row.story}") for row in rows[:6]]
    expected = states_of(store_states(few, teacher, out))
    written = (out / STATES).stat().st_ino
    again = states_of(store_states(few, teacher, out))
    assert (out / STATES).stat().st_ino == written, "a second start uses the same file"
    assert all(np.array_equal(a, b) for a, b in zip(expected, again, strict=True))
    of_others = states_of(store_states(others, teacher, out))
    assert (out / STATES).stat().st_ino != written
    assert all(len(a) == len(b) + 1 for a, b in zip(of_others, expected, strict=True))
    weights = load_file(teacher / "adapter.safetensors")
    changed = {name: tensor * 3 if "lora_B" in name else tensor for name, tensor in weights.items()}
    save_file(changed, teacher / "adapter.safetensors")
    of_changed = states_of(store_states(others, teacher, out))
    assert not any(np.array_equal(a, b) for a, b in zip(of_changed, of_others, strict=True))


@pytest.mark.parametrize("damage", ["truncated", "missing", "without a record"])
def test_incomplete_states_array_is_written_again(teacher: Path, tmp_path: Path, damage: str) -> None:
    rows, out = tiny_groups.rows()[:6], tmp_path / "out"
    expected = states_of(store_states(rows, teacher, out))
    whole = (out / STATES).read_bytes()
    if damage == "truncated":
        (out / STATES).write_bytes(whole[:-2])
    elif damage == "missing":
        (out / STATES).unlink()
    else:
        (out / f"{STATES}.json").unlink()
        (out / STATES).write_bytes(bytes(len(whole)))
    again = states_of(store_states(rows, teacher, out))
    assert (out / STATES).read_bytes() == whole
    assert all(np.array_equal(a, b) for a, b in zip(expected, again, strict=True))


def _score_batches(teacher: Path, out: Path, stories: list[GroupRow]) -> None:
    """Scores two batches with a live teacher; writes what was read and found to `out/RANK.json`."""
    scorer = ClassifierScorer(load_checkpoint(teacher, "plot_coherence"))
    live = LiveTeacher(scorer, LIMIT)
    make = ExampleMaker(scorer.tokenizer, scorer.normalizer, LIMIT, live.make)
    collate = GroupCollator(scorer.special_tokens.padding, live.padding)
    batches = [collate([[make(row) for row in part]]) for part in (stories[:5], stories[5:6])]
    read: list[int] = []
    encode = scorer.model.encode

    def encode_and_record(ids: Tensor, mask: Tensor) -> Tensor:
        read.append(len(ids))
        return encode(ids, mask)

    live.model._model.encode = encode_and_record
    live.fit(batches[:1])
    found = [live(batch) for batch in batches]
    names = ("teacher_logit", "teacher_states", "states_known")
    result = {"read": read, "found": [[batch[name].tolist() for name in names] for batch in found]}
    (out / f"{rank()}.json").write_text(json.dumps(result))


def test_processes_share_a_live_teacher(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tiny_groups.rows()[:6]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    _score_batches(teacher, tmp_path / "one", rows)
    run_in_two_processes(_score_batches, teacher, tmp_path / "two", rows)
    expected = json.loads((tmp_path / "one" / "0.json").read_text())
    first, second = (json.loads((tmp_path / "two" / f"{number}.json").read_text()) for number in (0, 1))
    assert expected["read"] == [5, 5, 1]
    assert first["read"] == [2, 2, 1], "a model reads at least one row, which only one process counts"
    assert second["read"] == [3, 3, 1]
    assert first["found"] == second["found"]
    for found, batch in zip(first["found"], expected["found"], strict=True):
        for values, single in zip(found, batch, strict=True):
            assert torch.allclose(torch.tensor(values).float(), torch.tensor(single).float(), atol=1e-2)


def _store_in_turn(teacher: Path, out: Path, rows: list[GroupRow]) -> None:
    """Stores states as a trainer does; writes the number of arrays that this process wrote to `out/RANK.json`."""
    written: list[Path] = []
    write_states = distillation._write_states

    def write_and_record(parquet: Path, file: Path) -> dict[str, Any]:
        written.append(file)
        return write_states(parquet, file)

    number = rank()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distillation, "_write_states", write_and_record)
        with main_process_first():
            sizes = [len(states) for states in states_of(store_states(rows, teacher, out))]
    (out / f"{number}.json").write_text(json.dumps({"written": len(written), "sizes": sizes}))


def test_first_process_writes_the_states_array_and_the_others_read_it(teacher: Path, tmp_path: Path) -> None:
    run_in_two_processes(_store_in_turn, teacher, tmp_path / "out", tiny_groups.rows()[:6])
    first, second = (json.loads((tmp_path / "out" / f"{number}.json").read_text()) for number in (0, 1))
    assert (first["written"], second["written"]) == (1, 0)
    assert first["sizes"] == second["sizes"]
