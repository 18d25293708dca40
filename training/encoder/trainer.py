"""Trains the shared story encoder: `python -m training.encoder --data DIR`.

It prunes the vocabulary of the base model and further pretrains it on stories. Writes `metrics/weights/encoder/`: a
`BertForMaskedLM` in half precision that transformers loads directly, its tokenizer, and a manifest. The metrics'
adapters are based on these weights, so changing them means retraining every adapter.
"""

import json
import math
import time
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch import Tensor
from torch.nn import functional as F
from transformers import BertForMaskedLM, BertTokenizer

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.common.checkpoint import begin_run, check_run, half_precision_tensors
from openmeva.training.common.config import as_mapping
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.common.trainer import StoryTrainer, hardware_entries, training_arguments
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.encoder.card import write_encoder_card
from openmeva.training.encoder.config import EncoderConfig
from openmeva.training.encoder.data import IGNORED, MaskingCollator, RepeatedTexts, load_texts
from openmeva.training.encoder.vocabulary import (
    new_tokenizer,
    prune_vocabulary,
    pruned_model,
    save_tokenizer,
)
from openmeva.training.files import read_lines, save_tensors, write_text
from openmeva.training.paths import ENCODER, NAMES_CARD, NAMES_FILE
from openmeva.training.processes import one_writer


class MaskedLanguageModelTrainer(StoryTrainer):
    """Computes logits over the vocabulary only at masked positions; at all positions, they take a third of the time."""

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        shard = BatchShard.for_batch(len(inputs["input_ids"]))
        ids, mask, labels = (shard(inputs[name]) for name in ("input_ids", "attention_mask", "labels"))
        hidden = model.bert(ids, attention_mask=mask).last_hidden_state
        masked = labels != IGNORED
        logits = model.cls(hidden[masked])
        (total,) = shard.reduce_sum(F.cross_entropy(logits.float(), labels[masked], reduction="sum"))
        return total / int((inputs["labels"] != IGNORED).sum()), {}


def train(config: EncoderConfig, data: Path, out: Path, run: Path, resume: bool = False) -> dict[str, Any]:
    """Prunes and trains the encoder and writes it to `out` with its manifest; returns the manifest."""
    started = time.time()
    corpora = list(config.corpora.values())
    sums = data_checksums(corpora, data)
    made_from = {"config": as_mapping(config), "data": sums}
    resumed = bool(
        check_run(run, made_from, resume)
    )  # otherwise it starts again, even if it has a vocabulary
    base = find_backbone(config.base).folder
    base_tokenizer = BertTokenizer.from_pretrained(base)
    texts, held_out = load_texts(corpora, config.block_words, config.blocks_per_story, data)
    vocabulary_file = run / "vocab.txt"
    if resumed and vocabulary_file.exists():  # it orders the embeddings of the run's checkpoints
        pieces = [line for _, line in read_lines(vocabulary_file)]
    else:
        pieces = prune_vocabulary(base_tokenizer, texts, config.vocabulary_size)
    checkpoint = begin_run(run, made_from, resume)
    with one_writer() as writes:
        if writes:
            write_text(vocabulary_file, "\n".join(pieces) + "\n")
    tokenizer = new_tokenizer(pieces)
    torch.manual_seed(config.seed)
    model = pruned_model(base, pieces, base_tokenizer)
    model.config.hidden_dropout_prob = model.config.attention_probs_dropout_prob = 0.0
    model.config.vocab_size = len(pieces)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0  # one short epoch does not overfit, and dropout takes a fifth of the time

    def rows(texts: list[str]) -> Dataset:
        ids = [e.ids[:256] for e in tokenizer.backend_tokenizer.encode_batch(texts)]
        return Dataset.from_dict(
            {"input_ids": ids, "index": list(range(len(ids))), "length": [len(i) for i in ids]}
        )

    training, validation = rows(texts), rows(evenly_spaced(held_out, 2000))  # they are sorted
    train_rows = RepeatedTexts(training, config.epochs, config.seed)
    mean_length = sum(training["length"]) / len(training)
    batch = max(1, round(config.batch_tokens / mean_length))
    steps = math.ceil(len(train_rows) / batch)
    arguments = training_arguments(
        run,
        config,
        steps,
        batch,
        per_device_eval_batch_size=batch,
        logging_steps=50,
        eval_steps=500,
        save_steps=250,
        dataloader_num_workers=0,
    )
    trainer = MaskedLanguageModelTrainer(
        model=model,
        args=arguments,
        train_dataset=train_rows,
        eval_dataset=validation,
        data_collator=MaskingCollator(tokenizer, config.mask_probability, config.seed),
    )
    trainer.lengths, trainer.epoch_length = train_rows.lengths(), train_rows.epoch_length
    before = trainer.evaluate()["eval_loss"]
    trainer.train(resume_from_checkpoint=checkpoint)
    after = trainer.evaluate()["eval_loss"]
    manifest = {
        "config": as_mapping(config),
        "data": sums,
        "blocks": len(training),
        "tokens": sum(training["length"]),
        "steps": trainer.state.global_step,
        "masked_loss_before": before,
        "masked_loss_after": after,
        **({"resumed": True} if checkpoint else {}),  # then the minutes cover only the last part
        "minutes": round((time.time() - started) / 60, 1),
        **hardware_entries(),
    }
    with one_writer() as writes:
        if writes:
            save_half(model, out)  # first: it refuses weights that are not finite
            save_tokenizer(tokenizer, pieces, out)
            if out.resolve() != ENCODER:  # the normaliser's lists, with which its texts were made
                for file in (NAMES_FILE, NAMES_CARD):
                    write_text(out / file.name, file.read_text(encoding="utf-8"))
            write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
            write_encoder_card(out, manifest)
    return manifest


def save_half(model: BertForMaskedLM, out: Path) -> None:
    """Saves `model` in half precision as `model.safetensors` and `config.json`."""
    save_tensors(out / FULL_MODEL, half_precision_tensors(model))
    model.config.dtype = torch.float16
    model.config.architectures = ["BertForMaskedLM"]
    model.config._name_or_path = ""
    write_text(out / "config.json", model.config.to_json_string())
