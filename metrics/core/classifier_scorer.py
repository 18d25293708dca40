"""Scores of a story classifier's checkpoint, and the kinds of error it sees."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import Checkpoint
from openmeva.metrics.core.classifier import StoryClassifier
from openmeva.metrics.core.story_scorer import PreparedStory, Progress, StoryScorer


class ClassifierScorer(StoryScorer):
    """Scores stories with one checkpoint of `training/classifier.py`.

    Where the checkpoint's `token_share` w is above 0, the score is (1 - w) times the story's probability plus w times
    the mean probability of its tokens to belong where they stand.

    Explanations hold, beside the sentences, `kinds`: the probability of each kind of error that the checkpoint
    names (none where it has no head for them), the greatest over the story's windows.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        settings = checkpoint.settings
        self.kinds: list[str] = list(settings.get("kinds") or [])
        tokens = bool(settings.get("tokens"))
        self.token_share: float = settings.get("token_share", 0.0)
        super().__init__(
            checkpoint, StoryClassifier(checkpoint.model_config, kinds=len(self.kinds), tokens=tokens)
        )

    def probabilities(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None = None,
    ) -> list[float]:
        """The score of each sequence of token ids (without special tokens), in order."""
        if not self.token_share:
            return super().probabilities(sequences, batch_size, device, dtype, progress)

        def read(hidden: Tensor) -> Tensor:  # (n, 1 + tokens): the story's, then each token's, marks too
            return torch.sigmoid(
                torch.cat([self.model.score(hidden)[:, None], self.model.judge_tokens(hidden)], 1)
            )

        found = self.outputs(sequences, read, batch_size, device, dtype, progress)
        share = self.token_share
        return [
            (1 - share) * values[0] + share * sum(values[2 : 2 + len(ids)]) / len(ids)
            for ids, values in zip(sequences, found, strict=True)
        ]

    def _details(
        self, prepared: Sequence[PreparedStory], batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> list[dict[str, Any]]:
        if not self.kinds:
            return [{} for _ in prepared]
        owners = [s for s, story in enumerate(prepared) for _ in story.windows]
        sequences = [story.ids(window) for story in prepared for window in story.windows]
        found = self.outputs(
            sequences,
            lambda hidden: torch.sigmoid(self.model.name_kinds(hidden)),
            batch_size,
            device,
            dtype,
        )
        greatest = [[0.0] * len(self.kinds) for _ in prepared]
        for owner, values in zip(owners, found, strict=True):
            greatest[owner] = [max(a, b) for a, b in zip(greatest[owner], values, strict=True)]
        return [{"kinds": dict(zip(self.kinds, values, strict=True))} for values in greatest]
