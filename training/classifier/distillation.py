"""Knowledge distillation: teacher logits for the student's training rows (Hinton et al. 2015).

A larger classifier judges the rows; the small one learns its logits beside the labels (`distillation_weight` of the
configuration). A stage: rows that were judged are not judged again.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.files import checksum
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.stages import Stage, read_rows

SCHEMA = pa.schema([("logit", pa.float32())])
CHUNK = 512
SURE = 1e-6  # a score is kept so far from 0 and 1


def with_teacher_logits(
    rows: Sequence[GroupRow], teacher: Path, metric: str, out: Path, processes: int = 1
) -> list[GroupRow]:
    """The rows with `teacher_logit`: the logits of the teacher's scores, less their mean, by their standard deviation.

    Args:
        rows: to judge.
        teacher: a classifier's checkpoint.
        metric: whose section of the checkpoint's configuration is read.
        out: the stage's folder; `teacher_logit.parquet` goes there.
        processes: that judge at the same time.

    Raises:
        ValueError: no rows, or no checkpoint in `teacher`.
    """
    if not rows:
        raise ValueError("expected rows for the teacher to judge, got none")
    texts = [row.story for row in rows]
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    stage = Stage(out, "teacher_logit", {"teacher": checksum(weights_file(teacher)), "stories": digest})
    if not stage.is_done():
        scorer = ClassifierScorer(load_checkpoint(teacher, metric))

        def judged(span: range) -> list[dict[str, Any]]:
            scores = scorer.score([texts[place] for place in span], None)[0]
            return [{"logit": logit(score)} for score in scores]

        stage.run(len(texts), judged, CHUNK, SCHEMA, processes=processes)
    logits = np.array([row["logit"] for row in read_rows(stage.result)])
    spread = float(logits.std()) or 1.0
    return [
        replace(row, teacher_logit=float((value - logits.mean()) / spread))
        for row, value in zip(rows, logits, strict=True)
    ]


def logit(score: float) -> float:
    """log(p / (1 - p)) of a probability, finite."""
    kept = min(max(score, SURE), 1 - SURE)
    return math.log(kept / (1 - kept))
