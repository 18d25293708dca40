"""A teacher that scores each batch during the student's training.

In contrast, the stage of `distillation.py` stores the outputs for all rows before the training. That suits a CPU, where
scoring a story costs more than a training step. On a GPU, scoring again is cheaper than reading about 100 kB per story.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.story_scorer import StoryScorer
from openmeva.training.classifier.distillation import StudentConfig, with_teacher_outputs
from openmeva.training.classifier.teacher_model import TeacherModel
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import resolve_path


class LiveTeacher:
    """Adds a teacher's logits and hidden states to batches of `GroupCollator` whose examples have `for_teacher`.

    Each of several processes scores its shard of the batch and gathers the others' outputs, so all must call it.

    Args:
        scorer: of the teacher's checkpoint.
        limit: maximum number of tokens per story, as for the student.
    """

    def __init__(self, scorer: StoryScorer, limit: int) -> None:
        self.model = TeacherModel(scorer, limit)
        self.make, self.padding = self.model.make, self.model.padding
        self.mean, self.deviation = 0.0, 1.0

    def __call__(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """The batch with standardised `teacher_logit` (n,), `teacher_states` (n, 1 + words, width) and their mask `states_known`."""
        logits, states = self._outputs(batch)
        numbers = torch.arange(states.shape[1], device=states.device)
        # a word that either model truncates has no state in both
        last_word = torch.minimum(batch["teacher_words"].amax(1), batch["words"].amax(1)).to(states.device)
        outputs = {
            "teacher_logit": (logits - self.mean) / self.deviation,
            "teacher_states": states,
            "states_known": numbers[None] <= last_word[:, None],
        }
        device = batch["input_ids"].device
        return {**batch, **{name: tensor.to(device) for name, tensor in outputs.items()}}

    def fit(self, batches: Iterable[dict[str, Tensor]]) -> None:
        """Estimates the mean and the standard deviation of the logits from some batches."""
        logits = torch.cat([self._outputs(batch)[0] for batch in batches])
        self.mean, self.deviation = float(logits.mean()), float(logits.std(correction=0)) or 1.0

    def _outputs(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Logits (n,) and states (n, 1 + words, width) of the whole batch, on the teacher's device."""
        shard = BatchShard.for_batch(len(batch["teacher_input_ids"]))
        ids, mask, words = (
            shard(batch[f"teacher_{name}"]) for name in ("input_ids", "attention_mask", "words")
        )
        count = int(max(batch["teacher_words"].max(), batch["words"].max())) + 1
        logits, states = self.model(ids, mask, words, count)
        with torch.no_grad():
            outputs = shard.gather({"logits": logits, "states": states})
        return outputs["logits"], outputs["states"]


def prepare_distillation(
    rows: Sequence[GroupRow], config: StudentConfig, run: Path
) -> tuple[Sequence[GroupRow], LiveTeacher | None]:
    """The rows with the stored outputs of the configuration's teacher and None; or the unchanged rows and a live teacher.

    Args:
        rows: to train on.
        config: of the student; without a teacher, the rows are returned unchanged.
        run: folder of the stage that stores a teacher's outputs.
    """
    if config.teacher is None:
        return rows, None
    folder = resolve_path(config.teacher.weights)
    if not config.teacher.live:
        return with_teacher_outputs(folder, rows, config, run), None
    return rows, LiveTeacher(ClassifierScorer(load_checkpoint(folder, config.metric)), config.max_length)
