"""Knowledge distillation: teacher logits for the student's training rows (Hinton et al. 2015).

A larger classifier scores the rows. The student learns its logits in addition to the labels (`distillation_weight` of
the configuration), and optionally its hidden states (`states_weight`). The results are stored as a stage, so rows are
not scored again.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.checkpoint import Checkpoint, load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.repetition import RepetitionCost
from openmeva.metrics.core.runtime import pad
from openmeva.metrics.core.story_scorer import StoryScorer
from openmeva.training.classifier.config import Teacher
from openmeva.training.classifier.data import word_numbers
from openmeva.training.classifier.teacher_model import TeacherModel
from openmeva.training.common.checkpoint import weights_file
from openmeva.training.files import atomic_replace, checksum, read_json, write_text
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.processes import model_processes
from openmeva.training.stages import Stage, read_stage

Scorer = Callable[[Checkpoint], StoryScorer]
LOGIT_SCHEMA = pa.schema([("logit", pa.float32())])
STATES_SCHEMA = pa.schema([("logit", pa.float32()), ("width", pa.int32()), ("states", pa.large_binary())])
CHUNK = 512
BATCH = 32
MIN_DISTANCE = 1e-6  # minimum distance of a score from 0 and 1


class StudentConfig(Protocol):
    """The settings of a student's configuration that concern its teacher."""

    @property
    def metric(self) -> str: ...
    @property
    def teacher(self) -> Teacher | None: ...
    @property
    def states_weight(self) -> float: ...
    @property
    def max_length(self) -> int: ...


def with_teacher_outputs(
    teacher: Path,
    rows: Sequence[GroupRow],
    config: StudentConfig,
    run: Path,
    scorer: Scorer = ClassifierScorer,
) -> list[GroupRow]:
    """The rows with a teacher's logits, and its hidden states if the configuration has a `states_weight`.

    Args:
        teacher: folder of the teacher's weights.
        rows: to score.
        config: of the student.
        run: folder of the stage's file.
        scorer: makes a scorer from the teacher's checkpoint.
    """
    processes = model_processes(config.teacher.processes if config.teacher else 1)
    if config.states_weight:
        return with_teacher_states(rows, teacher, config.metric, run, config.max_length, processes, scorer)
    return with_teacher_logits(rows, teacher, config.metric, run, processes, scorer)


def with_teacher_logits(
    rows: Sequence[GroupRow],
    teacher: Path,
    metric: str,
    out: Path,
    processes: int = 1,
    scorer: Scorer = ClassifierScorer,
) -> list[GroupRow]:
    """The rows with `teacher_logit`: the logits of the teacher's scores, standardised over all rows.

    Args:
        rows: to score.
        teacher: folder of a classifier's checkpoint.
        metric: name of the section of the checkpoint's configuration.
        out: the stage's folder, for `teacher_logit.parquet`.
        processes: number of parallel scoring processes.
        scorer: makes a scorer from the teacher's checkpoint.

    Raises:
        ValueError: no rows, or a damaged checkpoint.
        FileNotFoundError: no checkpoint in `teacher`.
    """
    stage = _teacher_stage(out, "teacher_logit", rows, teacher)
    if not stage.is_done():
        teacher_scorer = scorer(load_checkpoint(teacher, metric))
        teacher_scorer.repetition = (
            RepetitionCost()
        )  # the student's own configuration adds what repetition costs

        def score_span(span: range) -> list[dict[str, Any]]:
            scores = teacher_scorer.score([rows[index].story for index in span], None)[0]
            return [{"logit": logit(score)} for score in scores]

        stage.run(len(rows), score_span, CHUNK, LOGIT_SCHEMA, processes=processes)
    logits = _standardise(row["logit"] for row in read_stage(stage.result))
    return [replace(row, teacher_logit=value) for row, value in zip(rows, logits, strict=True)]


def with_teacher_states(
    rows: Sequence[GroupRow],
    teacher: Path,
    metric: str,
    out: Path,
    limit: int,
    processes: int = 1,
    scorer: Scorer = ClassifierScorer,
) -> list[GroupRow]:
    """The rows with `teacher_states`, and with `teacher_logit` as in `with_teacher_logits` but from one truncated pass.

    Args:
        rows: to score.
        teacher: folder of a classifier's checkpoint.
        metric: name of the section of the checkpoint's configuration.
        out: the stage's folder, for `teacher_states.parquet` (about 70 kB per story of 45 words) and
            `teacher_states.bin`, the same states as one array, written again only after the stage has changed.
        limit: maximum number of tokens per story, as for the student.
        processes: number of parallel scoring processes.
        scorer: makes a scorer from the teacher's checkpoint.

    Raises:
        ValueError: no rows, or a damaged checkpoint.
        FileNotFoundError: no checkpoint in `teacher`.
    """
    stage = _teacher_stage(out, "teacher_states", rows, teacher, limit=limit)
    if not stage.is_done():
        model = TeacherModel(scorer(load_checkpoint(teacher, metric)), limit)
        stage.run(
            len(rows),
            lambda span: _stored_outputs(model, [rows[index] for index in span]),
            CHUNK,
            STATES_SCHEMA,
            processes=processes,
        )
    logits = _standardise(row["logit"] for row in read_stage(stage.result, ["logit"]))
    states = _memory_mapped_states(stage, out / "teacher_states.bin")
    return [
        replace(row, teacher_logit=value, teacher_states=row_states)
        for row, value, row_states in zip(rows, logits, states, strict=True)
    ]


def teacher_digests(teacher: Path) -> dict[str, str]:
    """SHA-256 of the files that a teacher's scores depend on: its weights and its settings."""
    return {"teacher": checksum(weights_file(teacher)), "teacher_settings": checksum(teacher / "config.json")}


def _teacher_stage(out: Path, name: str, rows: Sequence[GroupRow], teacher: Path, **settings: int) -> Stage:
    """The stage in which a teacher scores rows; identified by the teacher's files, the rows' texts, and settings.

    Raises:
        ValueError: no rows.
        FileNotFoundError: no weights or no `config.json` in `teacher`.
    """
    if not rows:
        raise ValueError("expected rows for the teacher to score, got none")
    texts = [[row.story, row.corrupted_words is not None] for row in rows]
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    return Stage(out, name, {**teacher_digests(teacher), "stories": digest, **settings})


def _memory_mapped_states(stage: Stage, file: Path) -> list[np.ndarray]:
    """The states of each row of a finished stage, float16, as slices of one memory-mapped array in `file`.

    An array of the same result is used again. Its record, beside it, is the stage's manifest with the array's layout.
    """
    record_file = file.with_name(f"{file.name}.json")
    made_from = read_json(stage.manifest)
    record = read_json(record_file) if record_file.is_file() and file.is_file() else {}
    size = np.dtype(np.float16).itemsize
    if (
        record.get("made_from") != made_from
        or file.stat().st_size != sum(record["lengths"]) * record["width"] * size
    ):
        record_file.unlink(missing_ok=True)  # first, so that no record is ever beside another's array
        record = {"made_from": made_from, **_write_states(stage.result, file)}
        write_text(record_file, json.dumps(record) + "\n")
    values = np.memmap(file, np.float16, mode="r").reshape(-1, record["width"])
    return np.split(values, np.cumsum(record["lengths"])[:-1])


def _write_states(parquet: Path, file: Path) -> dict[str, Any]:
    """Writes the states of a stage's file as one array (lengths, width), float16; returns its `width` and each row's `lengths`."""
    width, lengths = 0, []
    with atomic_replace(file) as temporary, temporary.open("wb") as flat:
        for batch in pq.ParquetFile(parquet).iter_batches(CHUNK, columns=["width", "states"]):
            for row_width, states in zip(batch["width"].to_pylist(), batch["states"], strict=True):
                flat.write(states.as_buffer())
                width = row_width
                lengths.append(len(states.as_buffer()) // np.dtype(np.float16).itemsize // width)
    return {"width": width, "lengths": lengths}


def _standardise(logits: Iterable[float]) -> list[float]:
    """The logits standardised to mean 0 and standard deviation 1."""
    values = np.array(list(logits))
    standardised: list[float] = ((values - values.mean()) / (float(values.std()) or 1.0)).tolist()
    return standardised


def _stored_outputs(teacher: TeacherModel, rows: Sequence[GroupRow]) -> list[dict[str, Any]]:
    """The logit and the hidden states of each story, as rows of `STATES_SCHEMA`."""
    examples = [teacher.make(row) for row in rows]
    outputs: list[dict[str, Any]] = [{} for _ in examples]
    for batch in length_batches([len(e.ids) for e in examples], BATCH):
        ids, mask = pad([examples[i].ids for i in batch], teacher.padding)
        words = word_numbers([examples[i] for i in batch], ids.shape)
        logits, states = teacher(ids, mask, words, int(words.max()) + 1)
        halves = states.to(torch.float16).cpu().numpy()
        for i, story_logit, half in zip(batch, logits.tolist(), halves, strict=True):
            known = half[: max(examples[i].words) + 1]
            outputs[i] = {"logit": story_logit, "width": known.shape[1], "states": known.tobytes()}
    return outputs


def logit(score: float) -> float:
    """log(p / (1 - p)) of a probability, clipped to finite values."""
    clipped = min(max(score, MIN_DISTANCE), 1 - MIN_DISTANCE)
    return math.log(clipped / (1 - clipped))
