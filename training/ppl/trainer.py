"""Trains perplexity's language model: `python -m training.ppl --config roc --data DIR`.

The model is the shared encoder with a causal mask (`BertLMHeadModel`, an adapter on frozen weights), a model of the same
architecture from scratch, or a third-party language model (`third_party.py`). Training uses transformers' `Trainer`:
`accelerate launch -m training.ppl …` uses several GPUs, and `--resume` resumes from the last checkpoint. The weights,
the run's manifest and a model card (not with full fine-tuning of a third-party model) are written to
`metrics/ppl/weights/NAME/`.
"""

import math
import time
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.runtime import pad, token_id
from openmeva.metrics.ppl.loading import start_and_end_tokens
from openmeva.training.common.adapters import check_start
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.common.checkpoint import (
    begin_run,
    check_run,
    save_checkpoint,
    save_manifest,
    start_digest,
)
from openmeva.training.common.config import as_mapping
from openmeva.training.common.trainer import (
    StoryTrainer,
    collate,
    hardware_entries,
    training_arguments,
    training_autocast,
)
from openmeva.training.corpora.notices import warn_about_truncated_stories
from openmeva.training.corpora.splits import data_checksums, load_corpus
from openmeva.training.paths import NAMES_FILE, resolve_path
from openmeva.training.ppl.card import write_ppl_card
from openmeva.training.ppl.config import PplConfig
from openmeva.training.ppl.data import count_words, token_rows
from openmeva.training.ppl.losses import next_token_loss
from openmeva.training.ppl.masked import save_masked
from openmeva.training.ppl.model import build_model
from openmeva.training.ppl.third_party import (
    SCRATCH,
    is_third_party,
    load_third_party,
    save_third_party,
    save_third_party_adapter,
)
from openmeva.training.processes import one_writer


class LanguageModelTrainer(StoryTrainer):
    """Trainer with the next-token loss, without all logits in memory at once."""

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        return next_token_loss(model, inputs["input_ids"], inputs["attention_mask"]), {}


def perplexities(model: Any, rows: list[list[int]], words: int) -> dict[str, float]:
    """Loss (nats) and perplexity of held-out stories per token (including [SEP]) and per word; lower is better.

    Args:
        model: the language model.
        rows: token ids from `token_rows`.
        words: number of words from `count_words`, including the stories' ends.
    """
    model.eval()
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    total, tokens = 0.0, 0
    with torch.no_grad(), training_autocast(model.device):
        for start in range(0, len(order), 32):
            ids, mask = pad([rows[index] for index in order[start : start + 32]], 0)
            count = int(mask[:, 1:].sum())
            total += float(next_token_loss(model, ids.to(model.device), mask.to(model.device))) * count
            tokens += count
    return {
        "loss_per_token": round(total / tokens, 4),
        "perplexity_per_token": round(math.exp(total / tokens), 2),
        "perplexity_per_word": round(math.exp(total / words), 2),
        "stories": len(rows),
        "tokens": tokens,
        "words": words,
    }


def train(config: PplConfig, data: Path, out: Path, run: Path, resume: bool = False) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest.

    Args:
        config: the configuration; if its model is `masked`, nothing is trained.
        data: the folder of the corpus.
        out: the folder of the final weights.
        run: the folder of intermediate checkpoints.
        resume: whether to resume from the last checkpoint.

    Raises:
        ValueError: settings that do not fit together, or the run to resume has another configuration (the
            message names each difference).
    """
    if config.model == "masked":
        with one_writer() as writes:
            return save_masked(config, data, out) if writes else {}
    if config.stories < 1:
        raise ValueError(f"stories: expected 1 or more, got {config.stories}")
    check_start(config.start, config.adapter)
    if config.start and is_third_party(config.base):
        raise ValueError(f"start: expected null with {config.base}, got {config.start}")
    if config.base == SCRATCH and config.adapter:
        raise ValueError(
            "base: expected scratch without an adapter (adapter: null), which would be on other weights"
        )
    started = time.time()
    start = resolve_path(config.start) if config.start else None
    backbone = find_backbone(config.base if is_third_party(config.base) else SHARED)
    backbone.check_length(max_length=config.max_length)
    in_one_file = (
        backbone.gguf or (backbone.folder / FULL_MODEL).is_file()
    )  # a user's folder may have several
    made_from = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        **({"encoder": backbone.sha256} if in_one_file else {}),
        **start_digest(start, backbone),
    }
    check_run(run, made_from, resume)
    corpus = load_corpus(config.corpus, data, NAMES_FILE, ("train", "validation"))
    resumed = begin_run(run, made_from, resume)
    hub_tokenizer = None
    if is_third_party(config.base):
        model, hub_tokenizer = load_third_party(config, backbone)
        tokenizer = hub_tokenizer.backend_tokenizer
        start_mark, end_mark = (token_id(tokenizer, mark) for mark in start_and_end_tokens(hub_tokenizer))
        special_tokens = start_mark, end_mark
        padding = special_tokens[1]
    else:
        model, tokenizer = build_model(config)
        special_tokens = token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]")
        padding = token_id(tokenizer, "[PAD]")
    held_out = corpus.validation[: config.validation_stories]
    generator = torch.Generator().manual_seed(config.seed)
    order = torch.randperm(len(corpus.train), generator=generator).tolist()
    passes = math.ceil(config.stories / len(order))
    rows = token_rows([corpus.train[i] for i in order], tokenizer, config.max_length, special_tokens)
    validation = token_rows(held_out, tokenizer, config.max_length, special_tokens)
    words = count_words(held_out, validation, tokenizer, special_tokens[1])
    warn_about_truncated_stories(
        sum(row[-1] != special_tokens[1] for row in rows + validation), len(rows + validation)
    )
    rows = (rows * passes)[: config.stories]
    steps = math.ceil(len(rows) / config.batch)
    arguments = training_arguments(
        run, config, steps, config.batch, save_steps=max(1, min(250, steps // 4)), max_grad_norm=1.0
    )
    trainer = LanguageModelTrainer(
        model=model,
        args=arguments,
        train_dataset=rows,
        eval_dataset=validation[:200],
        data_collator=partial(collate, padding=padding),
    )
    trainer.lengths, trainer.epoch_length = [len(row) for row in rows], len(order)
    prepared = time.time()
    trainer.train(resume_from_checkpoint=resumed)
    seconds = time.time() - prepared
    manifest = {
        "metric": "ppl",
        **made_from,
        "stories": corpus.counts(len(held_out)),
        "tokens": sum(map(len, rows)) - len(rows),
        "steps": trainer.state.global_step,
        "validation": perplexities(model, validation, words),
        # for a resumed run, the seconds and minutes cover only the last part
        **({"resumed": True} if resumed else {"stories_per_second": round(len(rows) / seconds, 1)}),
        "minutes": round((time.time() - started) / 60, 1),
        **hardware_entries(),
    }
    settings = {
        "model": "causal",
        "delexicalize": config.corpus.delexicalize,
        "max_length": config.max_length,
    }
    whole = config.adapter is None
    with one_writer() as writes:
        if writes and hub_tokenizer is not None and whole:
            save_third_party(model, hub_tokenizer, out)
            save_manifest(out, manifest)
        elif writes and hub_tokenizer is not None:
            save_third_party_adapter(model, backbone, settings, out)
            save_manifest(out, manifest)
            write_ppl_card(out, manifest)
        elif writes:
            save_checkpoint(out, "ppl", settings, model, backbone, tokenizer, whole)
            save_manifest(out, manifest)
            write_ppl_card(out, manifest)
    return manifest
