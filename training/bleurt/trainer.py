"""Trains BLEURT: `python -m training.bleurt --config roc --data DIR`.

An adapter on the shared encoder is trained on synthetic pairs of a story and a changed copy. Its targets are signals,
which are the scores of the pair by this project's metrics, and an entailment label (Sellam et al., ACL 2020, section
4). The score is the mean of the standardised signals. Fitting to human ratings is a later step:
`python -m training.bleurt.ratings`. Weights, manifest and card are written to `metrics/bleurt/weights/NAME/`.
"""

import math
import time
from pathlib import Path
from typing import Any

import torch
from scipy.stats import pearsonr
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.bleurt.modeling import ENTAILMENT, SIGNALS, BleurtModel
from openmeva.training.bleurt.card import write_bleurt_card
from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.bleurt.data import PairRows, collate, load_pairs, signal_statistics
from openmeva.training.bleurt.pairs import UNKNOWN, describe, signals
from openmeva.training.common.adapters import add_adapters
from openmeva.training.common.backbone import Backbone, build_on_backbone, find_backbone
from openmeva.training.common.checkpoint import begin_run, check_run, save_checkpoint, save_manifest
from openmeva.training.common.config import as_mapping
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.common.trainer import StoryTrainer, hardware_entries, training_arguments
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.files import checksum
from openmeva.training.processes import one_writer
from openmeva.training.text.knowledge.resources import lexicon_files
from openmeva.training.text.tagged_corpus import text_inputs

HEADS = ("score", "signals", "entailment")


class BleurtTrainer(StoryTrainer):
    """Trainer with squared errors of the score and of each signal, and the cross-entropy of known entailment labels."""

    entailment_weight = 0.3

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        shard = BatchShard.for_batch(len(inputs["input_ids"]))
        names = ("input_ids", "attention_mask", "token_type_ids")
        state = model.encode(*(shard(inputs[name]) for name in names))
        outputs = {"score": model.score(state).squeeze(-1).float(), "signals": model.signals(state).float()}
        outputs = shard.gather(outputs)
        targets = inputs["labels"]
        loss = F.mse_loss(outputs["score"], targets.mean(dim=1)) + F.mse_loss(outputs["signals"], targets)
        known = inputs["entailment"] != UNKNOWN
        if self.entailment_weight and known.any():
            shard_known = shard(known)
            logits = model.entailment(state[shard_known]).float()
            (total,) = shard.reduce_sum(
                F.cross_entropy(logits, shard(inputs["entailment"])[shard_known], reduction="sum")
            )
            loss = loss + self.entailment_weight * (total / int(known.sum()))
        return loss, {"logits": outputs["score"], "labels": targets.mean(dim=1)}


def build_model(config: BleurtConfig) -> tuple[BleurtModel, Tokenizer, Backbone]:
    """The untrained model with its adapter, its tokenizer, and its backbone."""
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)
    # the fastest attention for short sequences on a CPU
    model, tokenizer = build_on_backbone(BleurtModel, base, attn_implementation="eager", dtype=torch.float32)
    add_adapters(model, config.adapter.rank, config.adapter.alpha, HEADS)
    return model, tokenizer, base


def train(
    config: BleurtConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest.

    Raises:
        ValueError: too few stories or pairs (the corpus' files are named), or a run to resume that was started with another
            configuration.
    """
    started = time.time()
    backbone = find_backbone(config.base)
    backbone.check_length(max_length=config.max_length)
    made_from = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        "encoder": backbone.sha256,
        "lexicon": {name: checksum(path) for name, path in lexicon_files().items()},
        "text": text_inputs(),
    }
    check_run(run, made_from, resume)
    pairs = load_pairs(config, data, cache)
    checkpoint = begin_run(run, made_from, resume)
    values = {split: signals(rows) for split, rows in pairs.items()}
    mean, deviation = signal_statistics(values["train"], config)
    prepared = time.time()
    model, tokenizer, base = build_model(config)
    rows = {
        split: PairRows(pairs[split], (values[split] - mean) / deviation, tokenizer, config.max_length)
        for split in pairs
    }
    steps = math.ceil(len(rows["train"]) / config.batch)
    trainer = BleurtTrainer(
        model=model,
        args=training_arguments(run, config, steps, config.batch, label_names=["labels"]),
        train_dataset=rows["train"],
        eval_dataset=rows["validation"],
        data_collator=collate,
    )
    trainer.lengths = rows["train"].lengths()
    trainer.entailment_weight = config.entailment_weight
    trainer.train(resume_from_checkpoint=checkpoint)
    predicted = trainer.predict(rows["validation"])
    manifest = {
        "metric": "bleurt",
        **made_from,
        "pairs": {split: describe(pairs[split], values[split]) for split in pairs},
        "signals": {
            name: {"mean": round(float(m), 5), "deviation": round(float(d), 5)}
            for name, m, d in zip(SIGNALS, mean, deviation, strict=True)
        },
        "entailment": list(ENTAILMENT),
        "steps": trainer.state.global_step,
        "validation": {
            "pairs": len(rows["validation"]),
            "loss": round(float((predicted.metrics or {})["test_loss"]), 4),
            "pearson": round(float(pearsonr(predicted.predictions, predicted.label_ids).statistic), 4),
        },
        **({"resumed": True} if checkpoint else {}),  # then the minutes cover only the last part
        "minutes": {
            "pairs": round((prepared - started) / 60, 1),
            "training": round((time.time() - prepared) / 60, 1),
        },
        **hardware_entries(),
    }
    with one_writer() as writes:
        if writes:
            save_checkpoint(out, "bleurt", {"max_length": config.max_length}, model, base)
            save_manifest(out, manifest)
            write_bleurt_card(out, manifest)
    return manifest
