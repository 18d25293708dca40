"""Scores of a story classifier's checkpoint, and its predicted error types."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.core.checkpoint import Checkpoint
from openmeva.metrics.core.classifier import StoryClassifier
from openmeva.metrics.core.story_scorer import PreparedStory, SequenceScore, StoryScorer


class ClassifierScorer(StoryScorer):
    """Scores stories with a checkpoint of `training/classifier`.

    If the checkpoint's `token_share` w is above 0, the score is (1 - w) times the probability of the story plus w times
    the mean probability of its tokens to belong where they are.

    In addition to the sentences, explanations hold `error_types`: the probability of each error type of the checkpoint (none
    without a head for them), the maximum over the story's windows.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        settings = checkpoint.settings
        self.error_types: list[str] = list(settings.get("error_types") or [])
        tokens = bool(settings.get("tokens"))
        self.token_share: float = settings.get("token_share", 0.0)
        super().__init__(
            checkpoint, lambda: StoryClassifier(checkpoint.model_config, len(self.error_types), tokens)
        )

    def score_sequences(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None = None,
    ) -> list[SequenceScore]:
        """The score and error types of each sequence of token ids (without special tokens), in order."""
        share, type_count = self.token_share, len(self.error_types)
        if not share and not type_count:
            return super().score_sequences(sequences, batch_size, device, dtype, progress)

        # (n, 1 + error types + tokens): of the story, its error types, then each token, special tokens too
        def read(hidden: Tensor) -> Tensor:
            logits = [self.model.score(hidden)[:, None]]
            logits += [self.model.error_type_logits(hidden)] if type_count else []
            logits += [self.model.token_logits(hidden)] if share else []
            return torch.sigmoid(torch.cat(logits, 1))

        def keep(values: list[float], length: int) -> SequenceScore:
            score, rest = values[0], values[1:]
            if share:
                tokens = rest[type_count + 1 : type_count + 1 + length]
                score = (1 - share) * score + share * sum(tokens) / length
            return SequenceScore(score, rest[:type_count])

        return self.head_outputs(sequences, read, batch_size, device, dtype, progress, keep)

    def _extra_explanations(
        self,
        prepared: Sequence[PreparedStory],
        window_scores: Mapping[tuple[int, ...], SequenceScore],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
    ) -> list[dict[str, Any]]:
        if not self.error_types:
            return [{} for _ in prepared]
        error_types_by_story = [
            [window_scores[tuple(story.ids(window))].error_types for window in story.windows]
            for story in prepared
        ]
        greatest = [
            map(max, zip([0.0] * len(self.error_types), *windows, strict=True))
            for windows in error_types_by_story
        ]
        return [{"error_types": dict(zip(self.error_types, values, strict=True))} for values in greatest]
