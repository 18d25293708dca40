"""Trains UNION: `python -m training.union --config roc --data DIR`.

It trains on stories and their negative samples (section 3.2) with the loss of equation 6 and transformers' `Trainer`:
`accelerate launch -m training.union …` uses several GPUs, and `--resume` resumes from the last checkpoint.
The weights, the run's manifest and a model card are written to `metrics/union/weights/NAME/`.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor
from transformers import EvalPrediction

from openmeva.metrics.core.checkpoint import load_normalizer
from openmeva.metrics.core.runtime import SpecialTokens
from openmeva.training.classifier.averaging import average_with_start, check_can_average
from openmeva.training.classifier.distillation import teacher_digests
from openmeva.training.classifier.hidden_states import fit_projection
from openmeva.training.classifier.input_checks import check_inputs
from openmeva.training.classifier.prerequisites import (
    check_teacher,
    untrained_first_stage,
    untrained_teacher,
)
from openmeva.training.classifier.results import area_under_curve
from openmeva.training.classifier.rows import load_rows
from openmeva.training.classifier.seeds import check_can_average_seeds, train_seeds
from openmeva.training.common.adapters import check_start
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
from openmeva.training.corpora.splits import data_checksums, load_corpus
from openmeva.training.files import checksum
from openmeva.training.negatives import UnionSampler, language_of, tag_corpus
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import NAMES_FILE, resolve_path
from openmeva.training.processes import main_process_first, one_writer, print_notice
from openmeva.training.text.knowledge.resources import lexicon_files
from openmeva.training.text.tagged_corpus import text_inputs
from openmeva.training.text.tagged_story import TaggedStory
from openmeva.training.union.card import write_union_card
from openmeva.training.union.config import UnionConfig
from openmeva.training.union.data import UnionCollator, UnionPairs
from openmeva.training.union.distillation import DistilledPairs, distilled_pairs, fitting_pairs
from openmeva.training.union.losses import union_loss
from openmeva.training.union.model import build_model


class UnionTrainer(StoryTrainer):
    """Trains with the loss of equation 6, on batches of stories of similar length."""

    config: UnionConfig

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        loss, logits = union_loss(model, inputs, self.config)
        return loss, {"logits": logits, "labels": inputs["labels"]}


def accuracy_and_auc(prediction: EvalPrediction) -> dict[str, float]:
    """Validation accuracy at a score of .5, and the area under the ROC curve, both 0 to 1."""
    logits, labels = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
    auc = area_under_curve(logits[labels == 1].tolist(), logits[labels == 0].tolist())
    return {"accuracy": float(((logits > 0) == labels).mean()), "auc": auc}


def train(
    config: UnionConfig, data: Path, out: Path, run: Path, cache: Path, resume: bool = False
) -> dict[str, Any]:
    """Trains one configuration, after its `first` one if needed; writes checkpoint, manifest and card to `out`.

    With several seeds, those that were trained already are skipped.

    Args:
        config: of the training.
        data: folder of the corpora.
        out: the checkpoint's folder.
        run: folder of the training's checkpoints and a teacher's outputs.
        cache: folder of tagged corpora.
        resume: whether to resume from the last checkpoint.

    Returns:
        The manifest.

    Raises:
        ValueError: the run to resume was started with another configuration (each difference is named), settings are
            incompatible, or inputs are missing (they are named); earlier stages are checked, too.
    """
    check(config, data)
    start = resolve_path(config.start) if config.start else None
    first = untrained_first_stage(UnionConfig, config, data)
    if first and start:
        print_notice(f"{start}: no weights; training {first.name} first")
        train(first, data, start, run / f"training-{first.name}", cache, resume)
    if start and config.start_share:
        check_can_average(start, build_model(config)[0])
    if not config.seeds:
        return _train_one(config, data, out, run, run, cache, resume)

    single = replace(config, seeds=(), start_share=0.0, note=None)

    def train_one(seed: int, folder: Path) -> dict[str, Any]:
        seed_config = replace(single, seed=seed)
        return _train_one(seed_config, data, folder, folder / "run", run, cache, resume, keep=True)

    manifest = train_seeds(config, train_one, _mean_validation, out, run)
    with one_writer() as writes:
        if writes:
            write_union_card(out, manifest)
    return manifest


def check(config: UnionConfig, data: Path) -> None:
    """Checks the settings and inputs of a training and of its earlier stages, before hours are spent on them.

    Raises:
        ValueError: as `train`.
    """
    if config.start_share and not (config.start and config.adapter):
        raise ValueError("start_share: expected only with a start and an adapter, which are averaged")
    teacher = config.teacher
    check_teacher(config)
    if teacher is None and (config.others or config.epochs != 1):
        raise ValueError("others, epochs: expected only with a teacher, got none")
    if teacher and teacher.live:
        raise ValueError("teacher.live: expected false: UNION's pairs are scored before the training")
    if find_backbone(config.base).is_decoder:
        raise ValueError(
            f"base: expected an encoder, got the causal model {config.base!r}: UNION scores from the first token's state, "
            "which in a causal model has not seen the story"
        )
    check_can_average_seeds(config)
    check_start(config.start, config.adapter)
    check_inputs(config, config.others, data, [config.corpus])
    for stage in (
        untrained_first_stage(UnionConfig, config, data),
        untrained_teacher(UnionConfig, config, data),
    ):
        if stage:
            check(stage, data)


def _mean_validation(results: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of several seeds' validation results."""
    return {key: round(sum(result[key] for result in results) / len(results), 4) for key in results[0]}


def _sampled_pairs(
    stories: Sequence[TaggedStory],
    held_out: Sequence[TaggedStory],
    tokenizer: Any,
    config: UnionConfig,
    seed: int,
) -> tuple[UnionPairs, UnionPairs]:
    """The pairs of a story and a negative sample to train on, and those of held-out stories, which validate."""
    language, by_position = language_of(config.sampling), config.targets == "position"
    sampler = UnionSampler(stories, language, config.sampling, seed=seed)
    sampled = UnionPairs(stories, sampler, tokenizer, config.max_length, config.pairs, by_position)
    sampled.warn_about_truncated_stories()
    validation_sampler = UnionSampler(
        held_out, language, config.sampling, seed=seed, keywords=sampler.material.keywords
    )
    count = min(config.validation_pairs, len(held_out))
    return sampled, UnionPairs(held_out, validation_sampler, tokenizer, config.max_length, count, by_position)


def _train_one(
    config: UnionConfig,
    data: Path,
    out: Path,
    run: Path,
    teacher_run: Path,
    cache: Path,
    resume: bool,
    keep: bool = False,
) -> dict[str, Any]:
    """Trains with one seed; arguments as in `train`, and `teacher_run`, the folder of the teacher's outputs.

    With `keep`, weights in `out` from the same configuration and data are kept.
    """
    started = time.time()
    start = resolve_path(config.start) if config.start else None
    base = find_backbone(config.base)
    others, files, teacher_entries = _distillation_stories(config, data, teacher_run, cache, resume)
    made_from = {
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data) | files,
        "lexicon": {name: checksum(path) for name, path in lexicon_files().items()},
        "text": text_inputs(),
        "encoder": base.sha256,
        **teacher_entries,
        **start_digest(start, base),
    }
    finished = matching_manifest(out, UnionConfig, made_from) if keep else None
    if finished:
        return finished
    check_run(run, made_from, resume)
    corpus = load_corpus(config.corpus, data, NAMES_FILE, ("train", "validation"))
    stories, held_out = (tag_corpus(split, cache) for split in (corpus.train, corpus.validation))
    checkpoint = begin_run(run, made_from, resume)
    sampling_seed = config.seed if config.draw_seed is None else config.draw_seed
    stories = [stories[index] for index in np.random.default_rng(sampling_seed).permutation(len(stories))]
    model, tokenizer, base = build_model(config)
    sampled, validation = _sampled_pairs(stories, held_out, tokenizer, config, sampling_seed)
    collate = UnionCollator(
        SpecialTokens.from_tokenizer(tokenizer).padding,
        config.copied_share,
        config.seed,
        config.reconstruction_mean == "stories",
    )
    pairs: UnionPairs | DistilledPairs = sampled
    if config.teacher:
        normalizer = load_normalizer(NAMES_FILE, config.corpus.delexicalize)
        with main_process_first():
            pairs = distilled_pairs(sampled, others, config, tokenizer, normalizer, teacher_run)
        if config.states_weight:
            model.projection = fit_projection(model, fitting_pairs(pairs, collate))
    steps = math.ceil(len(pairs) / config.batch_pairs)
    trainer = UnionTrainer(
        model=model,
        args=training_arguments(run, config, steps, config.batch_pairs, label_names=["labels"]),
        train_dataset=pairs,
        eval_dataset=validation,
        data_collator=collate,
        compute_metrics=accuracy_and_auc,
    )
    trainer.config, trainer.lengths, trainer.epoch_length = config, pairs.lengths(), pairs.epoch_length
    trainer.train(resume_from_checkpoint=checkpoint)
    results = trainer.evaluate()
    manifest = {
        "metric": "union",
        **made_from,
        "stories": corpus.counts(),
        "steps": trainer.state.global_step,
        "validation": {
            key.removeprefix("eval_"): round(results[key], 4)
            for key in ("eval_loss", "eval_accuracy", "eval_auc")
        },
        **({"resumed": True} if checkpoint else {}),  # minutes then count only the part after the last resume
        "minutes": round((time.time() - started) / 60, 1),
        **hardware_entries(),
    }
    if config.states_weight:
        del model.projection  # used only in training
    settings = {
        "delexicalize": config.corpus.delexicalize,
        "context": config.corpus.context,
        "max_length": config.window or config.max_length,
    }
    whole = not (config.adapter and base.supports_adapter)
    with one_writer() as writes:
        if writes:
            trained = run / "trained" if config.start_share else out
            save_checkpoint(trained, "union", settings, model, base, tokenizer, whole)
            if config.start_share:
                average_with_start([trained], start, config.start_share, out)
            save_manifest(out, manifest)
            write_union_card(out, manifest)
    return manifest


def _distillation_stories(
    config: UnionConfig, data: Path, run: Path, cache: Path, resume: bool
) -> tuple[list[GroupRow], dict[str, str], dict[str, Any]]:
    """The further stories for distillation, their files' checksums, and other manifest entries of teacher and stories.

    A missing teacher is trained, or with `resume` its training resumes from the last checkpoint.
    """
    teacher = config.teacher
    if teacher is None:
        return [], {}, {}
    if teacher_config := untrained_teacher(UnionConfig, config, data):
        print_notice(f"{resolve_path(teacher.weights)}: no weights; training {teacher_config.name} first")
        train(
            teacher_config,
            data,
            resolve_path(teacher.weights),
            run / f"training-{teacher_config.name}",
            cache,
            resume,
        )
    teacher_entries: dict[str, Any] = {**teacher_digests(resolve_path(teacher.weights))}
    if not config.others:
        return [], {}, teacher_entries
    with main_process_first():
        rows, _, provenance = load_rows(config.others, data, run, cache)
    return rows, provenance["data"], {**teacher_entries, "others": len(rows)}
