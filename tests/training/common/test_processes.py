"""Two processes take the same training steps as one; one of them writes files, the other waits."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import TrainingArguments

from openmeva.metrics.core.runtime import choose_device
from openmeva.training import processes
from openmeva.training.common import trainer as common
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.files import checksum
from tests.tiny.trainings import TRAININGS, train_all, write_files
from tests.two_processes import run_in_two_processes


def _run(data: Path, out: Path) -> None:
    """Runs all trainers in float32; writes losses and names of written files to `out/found-RANK.json`."""
    losses: dict[str, list[float]] = {}
    written: list[str] = []
    compute_loss, replace = common.DataParallelTrainer.compute_loss, os.replace

    def compute_and_record_loss(self: Any, *arguments: Any, **named: Any) -> Any:
        result = compute_loss(self, *arguments, **named)
        loss = result[0] if isinstance(result, tuple) else result
        losses.setdefault(type(self).__name__, []).append(float(loss.detach()))
        return result

    def record_and_replace(source: Any, target: Any, *others: Any) -> None:
        written.append(str(target))
        replace(source, target, *others)

    def float32_arguments(**settings: Any) -> TrainingArguments:
        if Path(settings["output_dir"]).parent.name not in ("classifier", "stage"):
            settings["save_strategy"] = "no"  # one trainer that saves is enough
        return TrainingArguments(**{**settings, "bf16": False, "disable_tqdm": True})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common.DataParallelTrainer, "compute_loss", compute_and_record_loss)
        patch.setattr(os, "replace", record_and_replace)
        patch.setattr(common, "TrainingArguments", float32_arguments)
        train_all(data, out)
        process = processes.rank()
        with processes.main_process_first():  # a stage, in which another training may stand
            if not (out / "stage.json").exists():
                patch.setattr(common.DataParallelTrainer, "compute_loss", compute_loss)
                TRAININGS["classifier"](data, out / "stage", False)
                (out / "stage.json").write_text(f"{process}")
    result = {"losses": losses, "written": [Path(path).name for path in written]}
    (out / f"found-{process}.json").write_text(json.dumps(result))


def _numbers(value: Any) -> list[float]:
    """The numbers in a manifest's value, in order."""
    if isinstance(value, dict | list):
        return [
            number
            for part in (value.values() if isinstance(value, dict) else value)
            for number in _numbers(part)
        ]
    return [float(value)] if isinstance(value, int | float) else []


def test_two_processes_take_the_same_steps_as_one(tmp_path: Path) -> None:
    data, one, two = (tmp_path / name for name in ("data", "one", "two"))
    write_files(data)
    one.mkdir()
    two.mkdir()
    _run(data, one)
    run_in_two_processes(_run, data, two)
    expected = json.loads((one / "found-0.json").read_text())
    first, second = (json.loads((two / f"found-{rank}.json").read_text()) for rank in (0, 1))
    assert len(expected["losses"]) == len(TRAININGS)
    for trainer, losses in expected["losses"].items():
        assert first["losses"][trainer] == pytest.approx(losses, rel=1e-5), trainer
        assert second["losses"][trainer] == first["losses"][trainer], trainer
    compared = set()
    for manifest in one.glob("*/weights/manifest.json"):
        name = manifest.relative_to(one)
        measured, expected_validation = (
            json.loads((run / name).read_text()).get("validation") for run in (two, one)
        )
        if _numbers(expected_validation):
            compared.add(name.parts[0])
        # perplexity is measured in bfloat16, where a smaller share of a batch rounds otherwise
        assert _numbers(measured) == pytest.approx(_numbers(expected_validation), rel=2e-2, abs=2e-4), name
    assert {"union", "classifier", "ppl", "ruber_bert", "bleurt"} <= compared
    assert sorted(first["written"]) == sorted(expected["written"])
    assert second["written"] == []
    assert (two / "stage.json").read_text() == "0"
    stages = [checksum(run / "stage" / "weights" / "adapter.safetensors") for run in (one, two)]
    assert stages[0] == stages[1], "a stage's training is that of one process"


def test_batch_is_divided_among_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    slices = [BatchShard([range(0, 2), range(2, 5)], rank).rows for rank in (0, 1)]
    assert [list(range(5))[rows] for rows in slices] == [[0, 1], [2, 3, 4]]
    assert BatchShard([range(0), range(0, 1)], 0).rows == slice(0, 1), (
        "a model needs at least one row; this one is not counted"
    )
    assert BatchShard.for_batch(7).rows == slice(0, 7), "one process reads all"
    monkeypatch.setenv("WORLD_SIZE", "1")
    processes.join()
    assert (processes.world_size(), processes.rank()) == (1, 0)


@pytest.mark.parametrize("start", [processes.join, processes.detach_from_launcher])
@pytest.mark.parametrize(
    ("cpu", "expected"), [("True", "cpu"), ("1", "cpu"), ("False", "cuda"), ("", "cuda")]
)
def test_accelerate_on_the_cpu_uses_no_gpu(
    start: Callable[[], Any], cpu: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the processes would be joined for GPUs, while transformers trains on the CPU."""
    for name, value in (("ACCELERATE_USE_CPU", cpu), ("OPENMEVA_DEVICE", ""), ("WORLD_SIZE", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    start()
    assert choose_device(None).type == expected


def test_single_process_command_exits_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in processes.LAUNCHER_VARIABLES:
        monkeypatch.setenv(name, "1")
    assert not processes.detach_from_launcher()
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert processes.detach_from_launcher()
    assert "WORLD_SIZE" not in os.environ
