"""What the metrics' trainers share: transformers' `Trainer` over stories of similar length, and its settings."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import yaml
from transformers import Trainer, TrainingArguments
from transformers.trainer_pt_utils import LengthGroupedSampler

from openmeva.metrics.core.checkpoint import file_digest
from openmeva.training.files import checksum
from openmeva.training.paths import ROOT


class StoryTrainer(Trainer):
    """A `Trainer` whose batches hold stories of similar length, in an order that the seed fixes."""

    lengths: Sequence[int] = ()

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        generator = torch.Generator().manual_seed(self.args.seed)
        return LengthGroupedSampler(
            self.args.train_batch_size, lengths=list(self.lengths), generator=generator
        )


def training_arguments(
    run: Path, config: dict[str, Any], steps: int, batch: int, **changes: Any
) -> TrainingArguments:
    """The settings that all trainers share: one pass, AdamW, bfloat16 where there is any, resumable.

    Args:
        run: folder of the checkpoints.
        config: with `learning_rate`, `warmup_share` and `seed`.
        steps: of the whole run.
        batch: examples a step.
        changes: settings that differ.
    """
    settings: dict[str, Any] = {
        "output_dir": str(run),
        "per_device_train_batch_size": batch,
        "per_device_eval_batch_size": batch * 2,
        "num_train_epochs": 1,
        "learning_rate": config["learning_rate"],
        "warmup_steps": int(steps * config["warmup_share"]),
        "weight_decay": 0.01,
        "optim": "adamw_torch_fused",
        "bf16": not torch.cuda.is_available() or torch.cuda.is_bf16_supported(),
        "use_cpu": not torch.cuda.is_available(),
        "remove_unused_columns": False,
        "seed": config["seed"],
        "logging_steps": 100,
        "eval_strategy": "steps",
        "eval_steps": max(1, min(1000, steps // 2)),
        "save_steps": max(1, min(500, steps // 4)),
        "save_total_limit": 1,
        "report_to": [],
    }
    return TrainingArguments(**{**settings, **changes})


def last_checkpoint(run: Path, resume: bool) -> bool | None:
    """What `Trainer.train` takes as `resume_from_checkpoint`: true where one is wanted and there."""
    return True if resume and any(run.glob("checkpoint-*")) else None


def data_checksums(config: dict[str, Any], data: Path) -> dict[str, str]:
    """SHA-256 of each file of a configuration's corpus."""
    keys = ("train", "validation", "exclude")
    return {file: checksum(data / file) for key in keys for file in config["corpus"].get(key, [])}


def first_configuration(config: dict[str, Any]) -> dict[str, Any] | None:
    """The configuration of the file `first`, to be trained where the weights `start` are not there yet."""
    if not config.get("first") or (ROOT / config["start"] / "manifest.json").is_file():
        return None
    found: dict[str, Any] = yaml.safe_load((ROOT / config["first"]).read_text(encoding="utf-8"))
    return found


def start_digest(config: dict[str, Any]) -> dict[str, str]:
    """SHA-256 of the adapter that a configuration goes on from, if it does."""
    start = config.get("start")
    return {"start": file_digest(ROOT / start / "adapter.safetensors")} if start else {}


def encoder_reference(shared: Path, out: Path) -> dict[str, str]:
    """How a checkpoint in `out` names the shared encoder that its adapter belongs to."""
    return {
        "path": os.path.relpath(shared.resolve(), out.resolve()),
        "hub": "openmeva/story-encoder",
        "sha256": file_digest(shared / "model.safetensors"),
    }
