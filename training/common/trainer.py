"""Shared by the metrics' trainers: transformers' `Trainer` with batches of stories of similar length, and its settings."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate.data_loader import prepare_data_loader
from safetensors import SafetensorError
from torch import Tensor
from torch.utils.data import DataLoader
from transformers import ProgressCallback, Trainer, TrainingArguments
from transformers.trainer_pt_utils import LengthGroupedSampler, find_batch_size

from openmeva.metrics.core.runtime import choose_device, choose_dtype, pad
from openmeva.training.common.bounds import Rate, Seed, Share
from openmeva.training.common.data_parallel import call_in_forward
from openmeva.training.processes import cores, world_size


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings that all trainers share.

    Attributes:
        metric: the metric that is trained.
        name: of the configuration and the checkpoint's folder.
        learning_rate: peak learning rate.
        warmup_share: share of the steps used for warmup.
        seed: of all random sampling.
    """

    metric: str
    name: str
    learning_rate: Rate
    warmup_share: Share = 0.05
    seed: Seed = 42

    def check_loss(self, *weights: str) -> None:
        """Checks that the loss has a term.

        Args:
            weights: names of the settings that are its terms' weights.

        Raises:
            ValueError: all of them are 0.
        """
        if not any(getattr(self, name) for name in weights):
            raise ValueError(f"{', '.join(weights)}: expected one above 0, got 0 for all of them")


class ProgressOnStandardError(ProgressCallback):
    """Shows the losses on standard error, as the progress bar is: standard output has the command's result."""

    def on_log(self, *arguments: Any, **keywords: Any) -> None:
        with redirect_stdout(sys.stderr):
            super().on_log(*arguments, **keywords)


class DataParallelTrainer(Trainer):
    """A `Trainer` whose steps do not depend on the number of processes, which share each batch (`data_parallel.py`).

    With dropout they do, since each process draws its own masks. The batch size of its arguments is the total over all processes.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        if self.args.world_size != world_size():
            raise ValueError(
                f"a launcher has started {self.args.world_size} processes, but this command runs in one process: "
                "start it without the launcher"
            )
        self.args._n_gpu = min(
            1, self.args.n_gpu
        )  # one device per process; a launcher starts one process per device
        self._train_batch_size = self.args.train_batch_size  # computed before for all devices
        if self.pop_callback(ProgressCallback):
            self.add_callback(ProgressOnStandardError)

    def train(self, *arguments: Any, **keywords: Any) -> Any:
        if world_size() > 1:  # accelerate does not wrap a model again that an evaluation has prepared
            model: Any = self.model
            model._is_accelerate_prepared = False
        return super().train(*arguments, **keywords)

    def _save_checkpoint(self, *arguments: Any, **keywords: Any) -> None:
        try:
            super()._save_checkpoint(*arguments, **keywords)
        except (SafetensorError, RuntimeError) as error:  # a full disk is neither an OSError nor named
            if isinstance(error, RuntimeError) and "inline_container" not in str(
                error
            ):  # torch's writer of archives
                raise
            raise OSError(f"{self.args.output_dir}: the checkpoint could not be written: {error}") from error

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, and `logits` and `labels` for the evaluation, or an empty dictionary.

        Args:
            model: unwrapped, so its parts may be called.
            inputs: the whole batch.
        """
        raise NotImplementedError

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        # accelerate does this for the model's own forward only, but a loss may call parts of the model
        with self.accelerator.autocast():
            loss, measured = call_in_forward(model, self.batch_loss, inputs)
        return (loss, measured) if return_outputs else loss

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        with torch.no_grad(), self.compute_loss_context_manager():
            loss, measured = self.compute_loss(model, self._prepare_inputs(inputs), return_outputs=True)
        outputs = {name: tensor.detach() for name, tensor in measured.items()}
        # once per item, so that a short last batch counts by its size in the mean
        losses = loss.detach().repeat(find_batch_size(inputs) or 1)
        return losses, outputs.get("logits"), outputs.get("labels")

    def evaluation_loop(self, *arguments: Any, **keywords: Any) -> Any:
        # every process has the results of every row; accelerate's function would truncate the last batch to its number
        # of items, but an item has several stories
        self.gather_function = lambda results: results
        return super().evaluation_loop(*arguments, **keywords)

    def get_total_train_batch_size(self, args: TrainingArguments) -> int:
        return args.train_batch_size * args.gradient_accumulation_steps

    def _get_dataloader(
        self,
        dataset: Any,
        description: str,
        batch_size: int,
        sampler_fn: Any = None,
        *arguments: Any,
        **keywords: Any,
    ) -> Any:
        if self.args.world_size == 1:
            return super()._get_dataloader(
                dataset, description, batch_size, sampler_fn, *arguments, **keywords
            )
        loader = DataLoader(
            dataset,
            batch_size,
            sampler=sampler_fn(dataset) if sampler_fn else None,
            num_workers=self.args.dataloader_num_workers,
            collate_fn=self.data_collator,
            pin_memory=self.args.dataloader_pin_memory,
        )
        return prepare_data_loader(loader, self.args.device, num_processes=1, process_index=0)


class StoryTrainer(DataParallelTrainer):
    """A trainer with batches of stories of similar length, in an order that depends on the seed.

    Attributes:
        lengths: tokens of each row of the training data.
        epoch_length: number of rows in one pass over the data, if `lengths` has several passes one after the other; each
            pass gets its own order. 0: all rows are one pass.
    """

    lengths: Sequence[int] = ()
    epoch_length: int = 0

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        generator = torch.Generator().manual_seed(self.args.seed)
        batch, size = self.args.train_batch_size, self.epoch_length or len(self.lengths)
        order: list[int] = []
        for begin in range(0, len(self.lengths), max(1, size)):
            lengths = list(self.lengths[begin : begin + size])
            order += [begin + i for i in LengthGroupedSampler(batch, lengths=lengths, generator=generator)]
        return order


def collate(rows: Sequence[Sequence[int]], padding: int = 0) -> dict[str, Tensor]:
    """A batch of token ids (n, tokens), padded on the right, and its attention mask."""
    ids, mask = pad(rows, padding)
    return {"input_ids": ids, "attention_mask": mask}


def training_device() -> torch.device:
    """The device that trainers use: a GPU if one is available and `OPENMEVA_DEVICE` names no other, else the CPU.

    Raises:
        ValueError: a GPU by its number: transformers trains on the first one, or on one per process.
    """
    device = choose_device(None)
    if device.type == "cuda" and device.index:
        raise ValueError(
            f"OPENMEVA_DEVICE: expected cuda or cpu in a training, got {device}: choose a GPU with "
            f"CUDA_VISIBLE_DEVICES={device.index}"
        )
    return device if device.type == "cuda" else torch.device("cpu")


def training_arguments(
    run: Path, config: TrainingConfig, steps: int, batch: int, **changes: Any
) -> TrainingArguments:
    """The training arguments that all trainers share: one epoch, AdamW, bfloat16 if it is faster, resumable.

    Args:
        run: folder of the checkpoints.
        config: of the training.
        steps: total number of steps.
        batch: examples per step, over all processes.
        changes: overrides of these settings.
    """
    device = training_device()
    settings: dict[str, Any] = {
        "output_dir": str(run),
        "per_device_train_batch_size": batch,
        "per_device_eval_batch_size": batch * 2,
        "num_train_epochs": 1,
        "learning_rate": config.learning_rate,
        "warmup_steps": int(steps * config.warmup_share),
        "weight_decay": 0.01,
        "optim": "adamw_torch_fused",
        "bf16": choose_dtype("auto", device) == torch.bfloat16,
        "use_cpu": device.type != "cuda",
        "remove_unused_columns": False,
        "seed": config.seed,
        "logging_steps": 100,
        "eval_strategy": "steps",
        "eval_steps": max(1, min(1000, steps // 2)),
        "save_steps": max(1, min(500, steps // 4)),
        "save_total_limit": 1,
        "report_to": [],
        # workers prepare batches while a GPU computes; the processes share the cores
        "dataloader_num_workers": max(1, min(4, cores() // world_size())) if device.type == "cuda" else 0,
    }
    return TrainingArguments(**{**settings, **changes})


def hardware_entries() -> dict[str, Any]:
    """The hardware entries of a manifest: torch version; threads and GPU (if any) per process; number of processes if
    there are several.
    """
    gpu = {"gpu": torch.cuda.get_device_name()} if training_device().type == "cuda" else {}
    processes = {"processes": world_size()} if world_size() > 1 else {}
    return {"torch": torch.__version__, "threads": torch.get_num_threads(), **gpu, **processes}


def training_autocast(device: torch.device) -> torch.autocast:
    """An autocast context to bfloat16, as in training steps; disabled on devices where it is not faster."""
    faster = choose_dtype("auto", device) is torch.bfloat16
    return torch.autocast(device.type, torch.bfloat16, enabled=faster)
