"""Trains the adapter of `embedding_similarity`: `python -m training.embedding_similarity --data DIR`.

The shared encoder was trained by masked language modelling on stories, which adapted its last layer to the prediction
of words rather than to their meaning. The adapter restores the states of the encoder's base model, a sentence encoder.
Its factors are initialised by truncated singular value decomposition of the difference of each layer's weights. Then
they are distilled: trained to reproduce the base's states, token by token, on the corpora's texts. Both models read the
same wordpieces; for placeholders such as `[MALE]`, which the base lacks, it reads the mean of some names. An encoder
that is its own teacher is not trained. Weights, the baseline of BERTScore, manifest and card are written to
`metrics/embedding_similarity/weights/NAME/`.
"""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import pearsonr
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens
from openmeva.metrics.embedding_similarity.matching import bert_score
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.checkpoint import begin_run, check_run, save_checkpoint, save_manifest
from openmeva.training.common.config import as_mapping
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.common.trainer import StoryTrainer, collate, hardware_entries, training_arguments
from openmeva.training.corpora.splits import data_checksums
from openmeva.training.embedding_similarity.baseline import write_baseline
from openmeva.training.embedding_similarity.card import write_similarity_card
from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.embedding_similarity.data import load_blocks, long_texts
from openmeva.training.embedding_similarity.losses import relative_error
from openmeva.training.embedding_similarity.model import Student, build_models, build_student
from openmeva.training.processes import one_writer


class SimilarityTrainer(StoryTrainer):
    """Trainer with the relative squared error of the student's states to the teacher's."""

    teacher: Any

    def batch_loss(self, model: Any, inputs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        shard = BatchShard.for_batch(len(inputs["input_ids"]))
        shard_inputs = {name: shard(tensor) for name, tensor in inputs.items()}
        with torch.no_grad():
            target = self.teacher(**shard_inputs).last_hidden_state.float()
        return relative_error(model(**shard_inputs), target, shard_inputs["attention_mask"], shard), {}


@torch.inference_mode()
def agreement(
    student: Student, teacher: Any, rows: Sequence[Sequence[int]], padding: int = 0
) -> dict[str, float]:
    """Agreement of the student's states with the teacher's on held-out texts, both in float32.

    Returns:
        `error` (relative squared error), `cosine` (mean over tokens), and `bertscore_pearson`: Pearson correlation of
        BERTScore's F1 by the two models, over pairs of texts with similar beginnings (consecutive `rows`, which are sorted).
    """
    student.eval()
    forward = type(student).forward  # not the method wrapped by accelerate, which rounds to bfloat16
    errors, cosines, scores = [], [], []
    last: list[np.ndarray] = []
    for row in rows:
        inputs = collate([row], padding)
        states, target = forward(student, **inputs), teacher(**inputs).last_hidden_state.float()
        errors.append(float(relative_error(states, target, inputs["attention_mask"])))
        cosines.append(float(torch.cosine_similarity(states, target, dim=-1).mean()))
        pair = [states[0].numpy(), target[0].numpy()]
        if last:
            ones = [np.ones(len(vectors)) for vectors in (pair[0], last[0])]
            scores.append([bert_score(a, b, *ones)[2] for a, b in zip(pair, last, strict=True)])
        last = pair
    student_scores, teacher_scores = zip(*scores, strict=True)
    return {
        "error": round(float(np.mean(errors)), 4),
        "cosine": round(float(np.mean(cosines)), 4),
        "bertscore_pearson": round(float(pearsonr(student_scores, teacher_scores).statistic), 4),
    }


def train(config: SimilarityConfig, data: Path, out: Path, run: Path, resume: bool = False) -> dict[str, Any]:
    """Trains one configuration and writes checkpoint, manifest and card to `out`; returns the manifest."""
    started = time.time()
    corpora = list(config.corpora.values())
    made_from = {
        "config": as_mapping(config),
        "data": data_checksums(corpora, data),
        "encoder": find_backbone(config.base).sha256,
        "teacher": find_backbone(config.teacher).sha256,
    }
    check_run(run, made_from, resume)
    for name in (config.base, config.teacher):
        find_backbone(name).check_length(max_length=config.max_length)
    student, teacher, tokenizer, base = build_models(config)
    train_texts, validation_texts = load_blocks(config, data)
    baseline_texts = long_texts(validation_texts)
    checkpoint = begin_run(run, made_from, resume)
    tokenizer.no_padding()
    tokenizer.enable_truncation(config.max_length)
    rows, held_out = (
        [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        for texts in (train_texts, validation_texts)
    )
    tokenizer.no_truncation()
    padding = SpecialTokens.from_tokenizer(tokenizer).padding
    results = {
        "encoder": agreement(build_student(base)[0], teacher, held_out, padding),
        "decomposition": agreement(student, teacher, held_out, padding),
    }
    steps = math.ceil(len(rows) / config.batch)
    trainer = SimilarityTrainer(
        model=student,
        args=training_arguments(run, config, steps, config.batch, eval_strategy="no"),
        train_dataset=rows,
        data_collator=partial(collate, padding=padding),
    )
    trainer.teacher = teacher
    trainer.teacher.to(trainer.args.device)
    trainer.lengths = [len(row) for row in rows]
    if rows and config.teacher != config.base:
        trainer.train(resume_from_checkpoint=checkpoint)
    student.cpu()
    results["trained"] = agreement(student, teacher.cpu(), held_out, padding)
    manifest = {
        "metric": "embedding_similarity",
        **made_from,
        "texts": {"train": len(rows), "validation": len(held_out)},
        "steps": trainer.state.global_step,
        "validation": results,
        **({"resumed": True} if checkpoint else {}),  # then the minutes cover only the last part
        "minutes": round((time.time() - started) / 60, 1),
        **hardware_entries(),
    }
    longest = min(512, base.max_length or 512)
    with one_writer() as writes:
        if writes:
            save_checkpoint(out, "embedding_similarity", {"max_length": longest}, student, base)
            write_baseline(out, baseline_texts, config.baseline_pairs, config.seed)
            save_manifest(out, manifest)
            write_similarity_card(out, manifest)
    return manifest
