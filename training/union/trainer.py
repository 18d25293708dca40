"""Trains UNION: `python -m training.union --config roc --data DIR`.

Stories and their negative samples (section 3.2), the loss of equation 6, transformers' `Trainer`: so
`accelerate launch -m training.union …` uses several GPUs, and `--resume` goes on from the last checkpoint.
The weights, the run's manifest and a model card are written to `metrics/union/weights/NAME/`.
"""

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import mannwhitneyu
from torch import Tensor
from transformers import EvalPrediction

from openmeva.metrics.core.runtime import SpecialTokens
from openmeva.training.common.backbone import names_file
from openmeva.training.common.checkpoint import begin_run, save_checkpoint, save_manifest, start_digest
from openmeva.training.common.config import as_mapping
from openmeva.training.common.trainer import (
    StoryTrainer,
    data_checksums,
    first_configuration,
    training_arguments,
)
from openmeva.training.corpora.splits import load_corpus
from openmeva.training.files import checksum
from openmeva.training.negatives import UnionSampler, language_of, tag_corpus
from openmeva.training.paths import ROOT
from openmeva.training.processes import one_writer
from openmeva.training.text.knowledge.resources import find, require
from openmeva.training.union.card import write_union_card
from openmeva.training.union.config import UnionConfig
from openmeva.training.union.data import UnionCollator, UnionPairs
from openmeva.training.union.losses import union_loss
from openmeva.training.union.model import build_model


class UnionTrainer(StoryTrainer):
    """The loss of equation 6; batches of stories of similar length."""

    reconstruction_weight = 0.1

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        loss, logits = union_loss(model, inputs, self.reconstruction_weight)
        return loss, {"logits": logits, "labels": inputs["labels"]}


def accuracy_and_auc(prediction: EvalPrediction) -> dict[str, float]:
    """Validation accuracy at .5, and the area under the ROC curve, of logits against labels."""
    logits, labels = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
    positive, negative = logits[labels == 1], logits[labels == 0]
    auc = mannwhitneyu(positive, negative).statistic / (len(positive) * len(negative))
    return {"accuracy": float(((logits > 0) == labels).mean()), "auc": float(auc)}


def train(
    config: UnionConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration, after the one that it goes on from; writes checkpoint, manifest and card to `out`.

    Args:
        config: of the training.
        data: the folder that the corpora lie in.
        out: the checkpoint's folder.
        run: of the training's checkpoints.
        cache: of tagged corpora.
        resume: whether to go on from the last checkpoint.

    Returns:
        The manifest.

    Raises:
        ValueError: a run to resume that was begun with another configuration (each difference is named).
    """
    start = ROOT / config.start if config.start else None
    first = first_configuration(UnionConfig, "union", config.first, config.start)
    if first and start:
        train(first, data, start, run / f"training-{first.name}", cache, resume)
    started = time.time()
    made_from = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        **start_digest(start),
    }
    checkpoint = begin_run(run, made_from, resume)
    corpus = load_corpus(config.corpus, data, names_file())
    stories, held_out = (tag_corpus(split, cache) for split in (corpus.train, corpus.validation))
    model, tokenizer, base = build_model(config)
    language, by_position = language_of(config.sampling), config.targets == "position"
    sampler = UnionSampler(stories, language, config.sampling, seed=config.seed)
    pairs = UnionPairs(stories, sampler, tokenizer, config.max_length, config.pairs, by_position)
    validation_sampler = UnionSampler(
        held_out, language, config.sampling, seed=config.seed, keywords=sampler.material.keywords
    )
    validation = UnionPairs(
        held_out,
        validation_sampler,
        tokenizer,
        config.max_length,
        min(config.validation_pairs, len(held_out)),
        by_position,
    )
    steps = math.ceil(config.pairs / config.batch_pairs)
    padding = SpecialTokens.of(tokenizer).padding
    trainer = UnionTrainer(
        model=model,
        args=training_arguments(run, config, steps, config.batch_pairs, label_names=["labels"]),
        train_dataset=pairs,
        eval_dataset=validation,
        data_collator=UnionCollator(
            padding, config.copied_share, config.seed, config.reconstruction_mean == "stories"
        ),
        compute_metrics=accuracy_and_auc,
    )
    trainer.reconstruction_weight = config.reconstruction_weight
    trainer.lengths = pairs.lengths()
    trainer.train(resume_from_checkpoint=checkpoint)
    results = trainer.evaluate()
    manifest = {
        "metric": "union",
        **made_from,
        "lexicon": {name: checksum(path) for name, path in lexicon_files().items()},
        "stories": {"train": len(stories), "validation": len(held_out)},
        "steps": trainer.state.global_step,
        "validation": {
            key.removeprefix("eval_"): round(results[key], 4)
            for key in ("eval_loss", "eval_accuracy", "eval_auc")
        },
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }
    settings = {
        "delexicalize": config.corpus.delexicalize,
        "context": config.corpus.context,
        "max_length": config.window or config.max_length,
    }
    whole = not (config.adapter and base.takes_adapter)
    with one_writer() as writes:
        if writes:
            save_checkpoint(out, "union", settings, model, base, tokenizer, whole)
            save_manifest(out, manifest)
            write_union_card(out, manifest)
    return manifest


def lexicon_files() -> dict[str, Path]:
    """The knowledge that negative samples drew on: WordNet always, ConceptNet where it has been fetched."""
    wordnet, conceptnet = require("wordnet"), find("conceptnet")
    files = {"wordnet": wordnet if wordnet.is_file() else wordnet / "data.noun"}
    return {**files, "conceptnet": conceptnet} if conceptnet else files
