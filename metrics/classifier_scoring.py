"""Scores of a story classifier's checkpoint, and the kinds of error it sees: one source, symlinked."""

from collections.abc import Sequence
from typing import Any

import torch

from .encoder import Checkpoint
from .story_classifier import StoryClassifier
from .story_scoring import Story, StoryScorer


class ClassifierScorer(StoryScorer):
    """Scores stories with one checkpoint of `training/classifier.py`.

    Explanations hold, beside the sentences, `kinds`: the probability of each kind of error that the checkpoint
    names (none where it has no head for them), the greatest over the story's windows.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        settings = checkpoint.settings
        self.kinds: list[str] = list(settings.get("kinds") or [])
        tokens = bool(settings.get("tokens"))
        super().__init__(
            checkpoint, StoryClassifier(checkpoint.model_config, kinds=len(self.kinds), tokens=tokens)
        )

    def _details(
        self, prepared: Sequence[Story], batch_size: int, device: torch.device, dtype: torch.dtype
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
