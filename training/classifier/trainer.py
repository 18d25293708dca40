"""Trains story classifiers: an adapter on a backbone, from groups of a human-written story and negative samples.

Based on sections 4 and 5 of Ghazarian et al. (NAACL 2021). The metrics that use it (plot_coherence, discriminator)
differ in their training rows and configuration. It uses transformers' `Trainer`, so
`accelerate launch -m training.plot_coherence …` uses several GPUs, and a stopped run can resume from its last checkpoint.
"""

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import EvalPrediction

from openmeva.metrics.core.checkpoint import load_normalizer
from openmeva.metrics.core.runtime import SpecialTokens
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.data import ExampleMaker, GroupCollator, GroupDataset
from openmeva.training.classifier.hidden_states import fit_projection, fitting_batches
from openmeva.training.classifier.live_teacher import LiveTeacher
from openmeva.training.classifier.losses import classifier_loss
from openmeva.training.classifier.model import build_classifier, freeze
from openmeva.training.classifier.results import area_under_curve, results_by_source
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.checkpoint import (
    begin_run,
    check_run,
    matching_manifest,
    save_checkpoint,
    save_manifest,
    start_digest,
)
from openmeva.training.common.config import as_mapping
from openmeva.training.common.trainer import StoryTrainer, hardware_entries, training_arguments
from openmeva.training.negatives.corrupted_story import ERROR_TYPES
from openmeva.training.negatives.groups import GroupRow, check_both_classes
from openmeva.training.paths import NAMES_FILE, resolve_path
from openmeva.training.processes import one_writer

PROJECTION_GROUPS = 160  # minimum number of groups that the projection of states is fitted on
PROJECTION_BATCH = 8


class ClassifierTrainer(StoryTrainer):
    """Trains with `classifier_loss`, on batches of groups of similar length."""

    config: ClassifierConfig
    teacher: LiveTeacher | None = None

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        if self.teacher and "teacher_input_ids" in inputs:
            inputs = self.teacher(inputs)
        loss, logits = classifier_loss(model, inputs, self.config)
        return loss, {"logits": logits, "labels": inputs["labels"]}


def _auc(prediction: EvalPrediction) -> dict[str, float]:
    logits, labels = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
    return {"auc": area_under_curve(logits[labels == 1], logits[labels == 0])}


def training_inputs(config: ClassifierConfig, provenance: dict[str, Any]) -> dict[str, Any]:
    """Everything that determines a classifier's weights: configuration, data, encoder and initial adapter."""
    start = resolve_path(config.start) if config.start else None
    base = find_backbone(config.base)
    return {
        "config": as_mapping(config),
        **provenance,
        "encoder": base.sha256,
        **start_digest(start, base),
    }


def matching_classifier(
    config: ClassifierConfig, provenance: dict[str, Any], out: Path
) -> dict[str, Any] | None:
    """The manifest of the checkpoint in `out` if it has this configuration, start and data and is unchanged, else None."""
    return matching_manifest(out, type(config), training_inputs(config, provenance))


def check_rows(config: ClassifierConfig, rows: Sequence[GroupRow], validation: Sequence[GroupRow]) -> None:
    """Checks that both splits have human-written stories and others; a distillation alone needs no labels to train on.

    Raises:
        ValueError: one of the two kinds is missing.
    """
    if config.label_weight or config.rank_weight:
        check_both_classes(rows, "to train on")
    check_both_classes(validation, "held out")


def train_classifier(
    config: ClassifierConfig,
    rows: Sequence[GroupRow],
    validation: Sequence[GroupRow],
    out: Path,
    run: Path,
    provenance: dict[str, Any],
    resume: bool = False,
    teacher: LiveTeacher | None = None,
) -> dict[str, Any]:
    """Trains one configuration; writes checkpoint and manifest to `out` and returns the manifest.

    Args:
        config: of the classifier.
        rows: training rows, in groups.
        validation: held-out rows; results are reported by source.
        out: the checkpoint's folder; `config.json` gets a section named after the metric.
        run: folder of the checkpoints to resume from.
        provenance: further entries of the manifest (data and checksums).
        resume: whether to resume from the last checkpoint in `run`.
        teacher: a live teacher, if the rows have no stored teacher outputs.

    Raises:
        ValueError: a split without human-written stories or without others, a row without words, or a run to resume
            that was started with another configuration.
    """
    started = time.time()
    check_rows(config, rows, validation)
    made_from = training_inputs(config, provenance)
    check_run(run, made_from, resume)
    model, tokenizer, base = build_classifier(config)
    freeze(model, config.frozen_layers)
    normalizer = load_normalizer(NAMES_FILE, config.delexicalize)
    make = ExampleMaker(tokenizer, normalizer, config.max_length)
    padding = SpecialTokens.from_tokenizer(tokenizer).padding
    make_train = (
        make if teacher is None else ExampleMaker(tokenizer, normalizer, config.max_length, teacher.make)
    )
    groups = GroupDataset(rows, make_train, config.group_size, config.epochs, config.seed)
    validation_groups = GroupDataset(validation, make, 1_000, 1, config.seed)
    checkpoint = begin_run(run, made_from, resume)
    collate = GroupCollator(padding, teacher.padding if teacher else 0)
    steps = math.ceil(len(groups) / config.batch_groups)
    if teacher:
        teacher.fit(fitting_batches(groups, PROJECTION_GROUPS, PROJECTION_BATCH, collate))
    if config.states_weight:
        first = fitting_batches(groups, PROJECTION_GROUPS, PROJECTION_BATCH, collate)
        model.projection = fit_projection(model, map(teacher, first) if teacher else first)
    trainer = ClassifierTrainer(
        model=model,
        args=training_arguments(
            run, config, steps, config.batch_groups, label_names=["labels"], eval_steps=max(1, steps // 2)
        ),
        train_dataset=groups,
        eval_dataset=torch.utils.data.Subset(validation_groups, range(min(80, len(validation_groups)))),
        data_collator=collate,
        compute_metrics=_auc,
    )
    trainer.config, trainer.teacher = config, teacher
    trainer.lengths, trainer.epoch_length = groups.lengths(), groups.epoch_length
    prepared = time.time()
    trainer.train(resume_from_checkpoint=checkpoint)
    seconds = time.time() - prepared
    sources = sorted({row.source for row in rows})
    manifest = {
        "metric": config.metric,
        **made_from,
        "groups": {"train": len(groups.groups), "validation": len(validation_groups.groups)},
        "stories": {"train": groups.stories, "validation": validation_groups.stories},
        "sources": sources if len(sources) <= 20 else len(sources),
        "steps": trainer.state.global_step,
        "validation": results_by_source(model, validation_groups, padding),
        # in a resumed run, minutes count only the part after the last resume
        **({"resumed": True} if checkpoint else {"groups_per_second": round(len(groups) / seconds, 1)}),
        "minutes": round((time.time() - started) / 60, 1),
        **hardware_entries(),
    }
    if config.states_weight:
        del model.projection  # used only in training
    freeze(model, config.frozen_layers, frozen=False)  # the checkpoint includes frozen adapters
    settings = {
        "delexicalize": config.delexicalize,
        "context": config.context,
        "max_length": config.window or config.max_length,
        **(
            {"shorter_window": config.shorter_window, "readings": config.readings}
            if config.shorter_window
            else {}
        ),
        **({"repetition_weight": config.repetition_weight} if config.repetition_weight else {}),
        "error_types": list(ERROR_TYPES) if config.error_type_weight else [],
        "tokens": bool(config.token_weight),
        "token_share": config.token_share,
    }
    whole = not (config.adapter and base.supports_adapter)
    with one_writer() as writes:
        if writes:
            save_checkpoint(out, config.metric, settings, model, base, tokenizer, whole)
            save_manifest(out, manifest)
    return manifest
