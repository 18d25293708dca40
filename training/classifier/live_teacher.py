"""A teacher that judges each batch as its student learns it.

The stage of `distillation.py` writes the judgments of all rows before the training: on a processor, where a judgment costs more
than a step, they are made once. On a GPU to judge again is cheaper than to read some 100 kB a story.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.classifier_scorer import ClassifierScorer
from openmeva.metrics.core.runtime import PrecisionCache, choose_device, choose_dtype
from openmeva.metrics.core.story_scorer import StoryScorer
from openmeva.training.classifier.data import ExampleMaker
from openmeva.training.classifier.distillation import Student, judged_by
from openmeva.training.classifier.states import word_states
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import located


class LiveTeacher:
    """Judgments and hidden states of batches of `GroupCollator` whose examples have `for_teacher`.

    Args:
        scorer: of the teacher's checkpoint.
        limit: tokens of a story that are read, as many as the student reads.
    """

    def __init__(self, scorer: StoryScorer, limit: int) -> None:
        self.device = choose_device(None)
        self.model = PrecisionCache(scorer.model.eval()).on(self.device, choose_dtype("auto", self.device))
        self.make = ExampleMaker(scorer.tokenizer, scorer.normalizer, limit)
        self.padding: int = scorer.special_tokens.padding
        self.mean, self.spread = 0.0, 1.0

    @torch.no_grad()
    def __call__(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """The batch with `teacher_logit`, standardised; `teacher_states` (n, 1 + words, width); and `states_known`."""
        logits, hidden = self._judged(batch)
        words = batch["teacher_words"].to(self.device)
        count = int(max(words.max(), batch["words"].max())) + 1
        numbers = torch.arange(count, device=self.device)
        # a word that either cuts off has no state that both know
        both = torch.minimum(words.amax(1), batch["words"].to(self.device).amax(1))
        known = {
            "teacher_logit": (logits - self.mean) / self.spread,
            "teacher_states": word_states(hidden.float(), words, count),
            "states_known": numbers[None] <= both[:, None],
        }
        where = batch["input_ids"].device
        return {**batch, **{name: tensor.to(where) for name, tensor in known.items()}}

    def fit(self, batches: Iterable[dict[str, Tensor]]) -> None:
        """Takes the mean and the spread of the judgments from some batches."""
        logits = torch.cat([self._judged(batch)[0] for batch in batches])
        self.mean, self.spread = float(logits.mean()), float(logits.std(correction=0)) or 1.0

    def of(self, batches: Iterable[dict[str, Tensor]]) -> Iterator[dict[str, Tensor]]:
        """The batches as it judges them."""
        return (self(batch) for batch in batches)

    @torch.no_grad()
    def _judged(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Logits (n,) and hidden states (n, tokens, width)."""
        read = (batch[f"teacher_{name}"].to(self.device) for name in ("input_ids", "attention_mask"))
        hidden = self.model.encode(*read)
        return self.model.score(hidden), hidden


def taught(
    rows: Sequence[GroupRow], config: Student, run: Path
) -> tuple[Sequence[GroupRow], LiveTeacher | None]:
    """The rows with the judgments of the configuration's teacher; or, where that is live, as they are, and the teacher.

    Args:
        rows: to train on.
        config: of the student.
        run: of the stage that keeps judgments made beforehand.
    """
    if config.teacher is None:
        return rows, None
    folder = located(config.teacher.weights)
    if not config.teacher.live:
        return judged_by(folder, rows, config, run), None
    return rows, LiveTeacher(ClassifierScorer(load_checkpoint(folder, config.metric)), config.max_length)
