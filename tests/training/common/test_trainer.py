"""Behaviour that all trainers share."""

import json
import resource
import signal
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch
from torch import Tensor
from transformers import Trainer

from openmeva.training.bleurt.trainer import BleurtTrainer
from openmeva.training.classifier.trainer import ClassifierTrainer
from openmeva.training.common import backbone
from openmeva.training.common import trainer as common
from openmeva.training.embedding_similarity.trainer import SimilarityTrainer
from openmeva.training.ruber_bert.trainer import RuberTrainer
from openmeva.training.union.trainer import UnionTrainer
from tests.killing import interrupt_at_call, run_to_end
from tests.tiny.trainings import TRAININGS, write_files


class _SubmoduleTrainer(common.DataParallelTrainer):
    """A trainer whose loss calls a part of the model instead of the whole."""

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        outputs = model[0](inputs["x"])
        self.output_dtype = outputs.dtype
        return outputs.float().square().mean(), {}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_loss_of_a_submodule_uses_the_chosen_precision(
    dtype: torch.dtype, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "choose_dtype", lambda *_: dtype)
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    trainer = _SubmoduleTrainer(
        model=torch.nn.Sequential(torch.nn.Linear(4, 4)),
        args=common.training_arguments(tmp_path, config, 1, 2, eval_strategy="no", disable_tqdm=True),
        train_dataset=[{"x": torch.ones(4)}, {"x": torch.zeros(4)}],
    )
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    trainer.train()
    assert trainer.output_dtype == dtype
    assert all(parameter.dtype == torch.float32 for parameter in trainer.model.parameters())
    assert not torch.equal(before[0], next(iter(trainer.model.parameters())))


class _PairTrainer(common.DataParallelTrainer):
    """Gives two logits per item."""

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        logits = model(inputs["x"].repeat_interleave(2, 0))[:, 0]
        return logits.mean(), {"logits": logits, "labels": torch.arange(len(logits)) % 2}


def test_all_stories_of_an_incomplete_batch_are_evaluated(tmp_path: Path) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    counts: list[int] = []
    trainer = _PairTrainer(
        model=torch.nn.Linear(4, 4),
        args=common.training_arguments(tmp_path, config, 1, 2, disable_tqdm=True),
        train_dataset=[{"x": torch.ones(4)}],
        eval_dataset=[{"x": torch.ones(4)}] * 5,
        compute_metrics=lambda prediction: counts.append(len(prediction.predictions)) or {},
    )
    trainer.evaluate()
    assert counts == [10], "a last batch of one pair has two stories"


class _MeanTrainer(common.DataParallelTrainer):
    """The loss is the mean of the batch's values."""

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        return inputs["x"].mean() + 0 * model.weight.sum(), {}


def test_every_item_counts_alike_in_the_validation_loss(tmp_path: Path) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    trainer = _MeanTrainer(
        model=torch.nn.Linear(1, 1),
        args=common.training_arguments(tmp_path, config, 1, 2, disable_tqdm=True),
        train_dataset=[{"x": torch.ones(1)}],
        eval_dataset=[{"x": torch.tensor([value])} for value in (0.0, 0.0, 0.0, 0.0, 1.0)],
    )
    assert trainer.evaluate()["eval_loss"] == pytest.approx(0.2), "four in the first batch, one in the last"


def test_batch_size_does_not_depend_on_the_number_of_devices(tmp_path: Path) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    settings = common.training_arguments(tmp_path, config, 1, 2, eval_strategy="no", disable_tqdm=True)
    assert settings.device.type in ("cpu", "cuda")  # which sets up the devices
    settings._n_gpu = 4
    trainer = _PairTrainer(
        model=torch.nn.Linear(4, 4), args=settings, train_dataset=[{"x": torch.ones(4)}] * 8
    )
    assert len(next(iter(trainer.get_train_dataloader()))["x"]) == 2


def _train_pairs(folder: Path) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    settings = common.training_arguments(folder, config, 1, 1, eval_strategy="no", logging_steps=1)
    rows = [{"x": torch.ones(4)}] * 2
    _PairTrainer(model=torch.nn.Linear(4, 4), args=settings, train_dataset=rows).train()


@pytest.mark.parametrize("limit", [100, 700, 1100, 1500])
def test_checkpoint_that_does_not_fit_is_named(limit: int, tmp_path: Path) -> None:
    """With a limit on the size of files, which fails as a full disk: in safetensors' writer, or in torch's."""

    def train() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with pytest.raises(OSError, match=f"{tmp_path}: the checkpoint could not be written"):
            _train_pairs(tmp_path)

    run_to_end(train)


def test_other_errors_of_saving_are_not_taken_for_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(_PairTrainer, "_save_optimizer_and_scheduler", fail)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        _train_pairs(tmp_path)


def test_progress_is_shown_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _train_pairs(tmp_path)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "'loss': " in printed.err


def test_training_stays_on_the_cpu_if_the_environment_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.delenv("OPENMEVA_DEVICE", raising=False)
    assert common.training_device().type == "cuda"
    monkeypatch.setattr(common, "choose_device", lambda _: torch.device("cuda:1"))
    with pytest.raises(ValueError, match="got cuda:1: choose a GPU with CUDA_VISIBLE_DEVICES=1"):
        common.training_device()
    monkeypatch.undo()
    monkeypatch.setenv("OPENMEVA_DEVICE", "cpu")
    assert common.training_arguments(tmp_path, config, 1, 2).device.type == "cpu"
    assert "gpu" not in common.hardware_entries()


def test_manifest_records_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "processes" not in common.hardware_entries()
    monkeypatch.setattr(common, "world_size", lambda: 4)
    assert common.hardware_entries()["processes"] == 4


@pytest.mark.parametrize(
    ("name", "trainer"),
    [
        ("union", UnionTrainer),
        ("classifier", ClassifierTrainer),
        ("ruber_bert", RuberTrainer),
        ("bleurt", BleurtTrainer),
        ("embedding_similarity", SimilarityTrainer),
    ],
)
def test_manifest_records_a_resumed_run(
    name: str, trainer: type[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path)
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    with interrupt_at_call(trainer, "training_step", 3):
        TRAININGS[name](tmp_path, tmp_path / "out", False)
    for resume in (True, False):
        TRAININGS[name](tmp_path, tmp_path / "out", resume)
        manifest = json.loads((tmp_path / "out" / "weights" / "manifest.json").read_text())
        assert manifest.get("resumed", False) == resume


class _DataPickled(Exception):  # noqa: N818
    """Raised once the training data was pickled for another process."""


@pytest.mark.parametrize("name", TRAININGS)
def test_training_data_can_be_pickled_for_spawned_processes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pickle_and_stop(trainer: Trainer, *_: Any, **__: Any) -> NoReturn:
        data = trainer.train_dataset, trainer.data_collator
        rows, collate = ForkingPickler.loads(ForkingPickler.dumps(data))  # as multiprocessing does
        assert collate([rows[0], rows[1]]).keys() == trainer.data_collator([rows[0], rows[1]]).keys()
        raise _DataPickled

    write_files(tmp_path)
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    monkeypatch.setattr(Trainer, "train", pickle_and_stop)
    with pytest.raises(_DataPickled):
        TRAININGS[name](tmp_path, tmp_path / "out", False)


@pytest.mark.parametrize("processes", [1, 2])
def test_workers_prepare_the_batches_of_one_or_several_processes(
    processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    loaders = []
    for workers in (2, 0):
        settings = common.training_arguments(
            tmp_path, config, 1, 2, eval_strategy="no", dataloader_num_workers=workers
        )
        rows = [{"x": torch.full((1,), float(number))} for number in range(5)]
        trainer = common.StoryTrainer(model=torch.nn.Linear(1, 1), args=settings, train_dataset=rows)
        trainer.lengths = [3, 1, 2, 5, 4]
        with monkeypatch.context() as patch:
            patch.setattr(common.TrainingArguments, "world_size", processes)
            loaders.append(trainer.get_train_dataloader())
    assert [loader.num_workers for loader in loaders] == [2, 0]
    first, second = ([batch["x"].flatten().tolist() for batch in loader] for loader in loaders)
    assert first == second
    assert sorted(value for batch in first for value in batch) == [0, 1, 2, 3, 4], "all rows of each batch"


def test_workers_of_several_processes_share_the_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1)
    monkeypatch.setattr(common, "TrainingArguments", lambda **settings: settings)
    monkeypatch.setattr(common, "training_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(common, "choose_dtype", lambda *_: torch.float32)
    monkeypatch.setattr(common, "cores", lambda: 6)
    for count, expected in {1: 4, 2: 3, 4: 1, 8: 1}.items():
        monkeypatch.setattr(common, "world_size", lambda count=count: count)
        assert common.training_arguments(tmp_path, config, 1, 2)["dataloader_num_workers"] == expected


def test_each_pass_over_the_data_reads_every_row_once(tmp_path: Path) -> None:
    config = common.TrainingConfig(metric="tiny", name="tiny", learning_rate=0.1, seed=3)
    trainer = common.StoryTrainer(
        model=torch.nn.Linear(1, 1),
        args=common.training_arguments(tmp_path, config, 1, 4, eval_strategy="no"),
        train_dataset=[0] * 50,
    )
    trainer.lengths = [*range(20), *range(20), *range(10)]
    one_pass = trainer._get_train_sampler()
    trainer.epoch_length = 20
    order = trainer._get_train_sampler()
    assert sorted(one_pass) == list(range(50))
    passes = [order[:20], order[20:40], order[40:]]
    assert [sorted(part) for part in passes] == [[*range(20)], [*range(20, 40)], [*range(40, 50)]]
    assert [index - 20 for index in passes[1]] != passes[0], "each pass has its own order"
    assert order == trainer._get_train_sampler(), "a resumed run reads the rest of the same order"
