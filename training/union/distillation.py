"""Training pairs and other stories with the outputs of a larger UNION, for distillation (`classifier/distillation.py`)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.union.modeling import IGNORE_INDEX
from openmeva.metrics.union.scoring import UnionScorer
from openmeva.training.classifier.data import ExampleMaker
from openmeva.training.classifier.distillation import with_teacher_outputs
from openmeva.training.classifier.hidden_states import fitting_batches
from openmeva.training.negatives.groups import GroupRow
from openmeva.training.paths import resolve_path
from openmeva.training.union.config import UnionConfig
from openmeva.training.union.data import UNLABELLED, Example, UnionCollator, UnionPairs

PROJECTION_PAIRS = 320  # minimum number of pairs that the projection of states is fitted on
PROJECTION_BATCH = 16


class DistilledPairs(torch.utils.data.Dataset[tuple[Example, Example]]):
    """Pairs, repeated `epochs` times: stories with their negative samples, and the other stories in twos."""

    def __init__(self, pairs: Sequence[tuple[Example, Example]], epochs: int) -> None:
        self.pairs, self.epochs = pairs, epochs

    def __len__(self) -> int:
        return len(self.pairs) * self.epochs

    @property
    def epoch_length(self) -> int:
        """The number of rows in one pass."""
        return len(self.pairs)

    def lengths(self) -> list[int]:
        """Tokens of the longer story of each pair, for batches of similar length."""
        return [max(len(e.ids) for e in pair) for pair in self.pairs] * self.epochs

    def __getitem__(self, index: int) -> tuple[Example, Example]:
        if not 0 <= index < len(self):
            raise IndexError(f"expected a number below {len(self)}, got {index}")
        return self.pairs[index % len(self.pairs)]


def fitting_pairs(pairs: DistilledPairs, collate: UnionCollator) -> Iterator[dict[str, Tensor]]:
    """The pairs that the projection of hidden states is fitted on, in batches."""
    return fitting_batches(pairs, PROJECTION_PAIRS, PROJECTION_BATCH, collate)


def distilled_pairs(
    pairs: UnionPairs,
    others: Sequence[GroupRow],
    config: UnionConfig,
    tokenizer: Tokenizer,
    normalizer: Normalizer,
    run: Path,
) -> DistilledPairs:
    """All pairs and others, with the outputs of the configuration's teacher.

    Args:
        pairs: stories and their negative samples, sampled once.
        others: further stories; duplicates are dropped, and the last one if their number is odd.
        config: with a teacher.
        tokenizer: the student's.
        normalizer: for the texts of the others.
        run: folder of the stage that stores the teacher's outputs.

    Raises:
        ValueError: the configuration has no teacher.
    """
    if config.teacher is None:
        raise ValueError("teacher: expected a larger UNION's weights, got none")
    sampled = [example for index in track(range(len(pairs)), "sampling") for example in pairs[index]]
    rows = [GroupRow("pair", e.text, "union", e.label, corrupted_words=[]) for e in sampled]
    rows += list({row.story: row for row in others}.values())
    distilled = with_teacher_outputs(resolve_path(config.teacher.weights), rows, config, run, UnionScorer)
    make = ExampleMaker(tokenizer, normalizer, config.max_length)
    examples = []
    for index, row in enumerate(track(distilled, "tokenising")):
        tokenised = make(row)
        example = (
            sampled[index]
            if index < len(sampled)
            else Example(tokenised.ids, [IGNORE_INDEX] * len(tokenised.ids), UNLABELLED, row.story)
        )
        examples.append(
            replace(
                example,
                words=tokenised.words,
                teacher_logit=tokenised.teacher_logit,
                teacher_states=tokenised.teacher_states,
            )
        )
    return DistilledPairs(list(zip(examples[::2], examples[1::2], strict=False)), config.epochs)
