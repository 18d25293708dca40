"""Scores of a story classifier's checkpoint, and its predicted error types."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.core.checkpoint import Checkpoint
from openmeva.metrics.core.classifier import StoryClassifier
from openmeva.metrics.core.story_scorer import Judged, PreparedStory, StoryScorer


class ClassifierScorer(StoryScorer):
    """Scores stories with a checkpoint of `training/classifier`.

    If the checkpoint's `token_share` w is above 0, the score is (1 - w) times the probability of the story plus w times
    the mean probability of its tokens to belong where they are.

    In addition to the sentences, explanations hold `kinds`: the probability of each error type of the checkpoint (none
    without a head for them), the maximum over the story's windows.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        settings = checkpoint.settings
        self.kinds: list[str] = list(settings.get("kinds") or [])
        tokens = bool(settings.get("tokens"))
        self.token_share: float = settings.get("token_share", 0.0)
        super().__init__(
            checkpoint, lambda: StoryClassifier(checkpoint.model_config, len(self.kinds), tokens)
        )

    def judged(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None = None,
    ) -> list[Judged]:
        """The score and error types of each sequence of token ids (without special tokens), in order."""
        share, kinds = self.token_share, len(self.kinds)
        if not share and not kinds:
            return super().judged(sequences, batch_size, device, dtype, progress)

        def read(
            hidden: Tensor,
        ) -> Tensor:  # (n, 1 + kinds + tokens): of the story, its kinds, then each token, special tokens too
            logits = [self.model.score(hidden)[:, None]]
            logits += [self.model.name_kinds(hidden)] if kinds else []
            logits += [self.model.judge_tokens(hidden)] if share else []
            return torch.sigmoid(torch.cat(logits, 1))

        judged = []
        found = self.outputs(sequences, read, batch_size, device, dtype, progress)
        for ids, (score, *values) in zip(sequences, found, strict=True):
            if share:
                tokens = values[kinds + 1 : kinds + 1 + len(ids)]
                score = (1 - share) * score + share * sum(tokens) / len(ids)
            judged.append(Judged(score, values[:kinds]))
        return judged

    def _details(
        self,
        prepared: Sequence[PreparedStory],
        known: Mapping[tuple[int, ...], Judged],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
    ) -> list[dict[str, Any]]:
        if not self.kinds:
            return [{} for _ in prepared]
        found = [[known[tuple(story.ids(window))].kinds for window in story.windows] for story in prepared]
        greatest = [map(max, zip([0.0] * len(self.kinds), *windows, strict=True)) for windows in found]
        return [{"kinds": dict(zip(self.kinds, values, strict=True))} for values in greatest]
