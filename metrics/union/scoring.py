"""UNION's scores, and the words that its reconstruction head would change."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import Checkpoint
from openmeva.metrics.core.runtime import pad
from openmeva.metrics.core.story_scorer import PreparedStory, StoryScorer
from openmeva.metrics.union.modeling import UnionModel


class UnionScorer(StoryScorer):
    """Scores stories with one checkpoint; explanations hold `edits` beside the sentences."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(checkpoint, UnionModel(checkpoint.model_config))

    def _details(
        self, prepared: Sequence[PreparedStory], batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> list[dict[str, Any]]:
        return [{"edits": self._edits(story, device)} for story in prepared]

    def _edits(self, story: PreparedStory, device: torch.device) -> list[dict[str, Any]]:
        """Words whose first token the reconstruction head would change, or delete (suggestion "")."""
        predicted: list[Tensor] = [torch.empty(0, dtype=torch.long)] * len(story.tokens)
        with torch.inference_mode():
            for window in story.windows:
                ids, mask = pad(
                    [[self.special_tokens.start, *story.ids(window), self.special_tokens.end]],
                    self.special_tokens.padding,
                )
                hidden = self.model.encode(ids.to(device), mask.to(device))[0, 1:-1]
                best = self.model.reconstruct(hidden).argmax(-1).cpu()
                for i, part in zip(
                    range(*window), best.split([len(t) for t in story.tokens[slice(*window)]]), strict=True
                ):
                    predicted[i] = part
        edits = []
        sentence = -1
        for words, tokens, best in zip(story.words, story.tokens, predicted, strict=True):
            if not words:
                continue
            sentence += 1
            position = 0
            for index, word in enumerate(words):
                length = len(self.tokenizer.encode(word, add_special_tokens=False).ids)
                if position + length > len(tokens):
                    break
                if length and int(best[position]) != tokens[position]:
                    edits.append(
                        {
                            "token": word,
                            "suggestion": self._word(best[position : position + length].tolist()),
                            "sentence": sentence,
                            "start": index,
                            "end": index + 1,
                        }
                    )
                position += length
        return edits

    def _word(self, ids: list[int]) -> str:
        pieces = [self.tokenizer.id_to_token(i) for i in ids if i != self.special_tokens.padding]
        return "".join(piece.removeprefix("##") for piece in pieces if piece)
