"""UNION's scores, and the words that its reconstruction head would change."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import Checkpoint
from openmeva.metrics.core.story_scorer import PreparedStory, SequenceScore, StoryScorer
from openmeva.metrics.union.modeling import UnionModel

MAX_RECONSTRUCTION_BATCH = (
    16  # windows reconstructed per batch: each token has a logit for every word of the vocabulary
)


class UnionScorer(StoryScorer):
    """Scores stories with one checkpoint; explanations hold `edits` in addition to the sentences."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(checkpoint, lambda: UnionModel(checkpoint.model_config))

    def _extra_explanations(
        self,
        prepared: Sequence[PreparedStory],
        window_scores: Mapping[tuple[int, ...], SequenceScore],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
    ) -> list[dict[str, Any]]:
        sequences = [story.ids(window) for story in prepared for window in story.windows]
        outputs = iter(
            self.head_outputs(
                sequences, self._most_likely_ids, min(batch_size, MAX_RECONSTRUCTION_BATCH), device, dtype
            )
        )
        return [
            {"edits": self._edits(story, [next(outputs)[1:] for _ in story.windows])} for story in prepared
        ]

    def _most_likely_ids(self, hidden: Tensor) -> Tensor:
        """Most likely token ids (n, tokens) of the reconstruction head for hidden states (n, tokens, width)."""
        return self.model.reconstruct(hidden).argmax(-1)

    def _edits(self, story: PreparedStory, best_by_window: Sequence[list[int]]) -> list[dict[str, Any]]:
        """Words whose first token the reconstruction head would change, or delete (suggestion "").

        `best_by_window` holds the most likely token ids of each window. Where windows overlap, the later window counts.
        """
        predicted: list[list[int]] = [[] for _ in story.tokens]
        for window, best in zip(story.windows, best_by_window, strict=True):
            offset = 0
            for i in range(*window):
                predicted[i] = best[offset : offset + len(story.tokens[i])]
                offset += len(story.tokens[i])
        sentences: list[tuple[list[str], list[int], list[int]]] = []
        for words, tokens, best in zip(story.words, story.tokens, predicted, strict=True):
            if words:
                sentences.append((words, [*tokens], [*best]))
            else:  # a further part of a sentence that is longer than a window: its words are with the first
                sentences[-1][1].extend(tokens)
                sentences[-1][2].extend(best)
        edits = []
        for sentence, (words, tokens, best) in enumerate(sentences):
            position = 0
            for index, word in enumerate(words):
                length = len(self.tokenizer.encode(word, add_special_tokens=False).ids)
                if position + length > len(tokens):
                    break
                if length and best[position] != tokens[position]:
                    edits.append(
                        {
                            "token": word,
                            "suggestion": self._word(best[position : position + length]),
                            "sentence": sentence,
                            "start": index,
                            "end": index + 1,
                        }
                    )
                position += length
        return edits

    def _word(self, ids: list[int]) -> str:
        pieces = [self.tokenizer.id_to_token(i) for i in ids if i != self.special_tokens.padding]
        return "".join(piece.removeprefix("##").lstrip("Ġ▁") for piece in pieces if piece)
