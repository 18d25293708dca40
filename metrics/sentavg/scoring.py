"""SENTAVG's scores of stories."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from openmeva.metrics.core.batching import Progress, length_batches
from openmeva.metrics.core.checkpoint import Checkpoint
from openmeva.metrics.core.runtime import choose_device, choose_dtype, inference, pad
from openmeva.metrics.core.story_scorer import StoryScorer
from openmeva.metrics.sentavg.modeling import SentAvg, word_vectors


class SentAvgScorer(StoryScorer):
    """Scores stories with one checkpoint of `training/sentavg`, with its own word vectors or the story encoder's."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        trained_words = checkpoint.state.get("words.weight")
        vectors = (
            word_vectors(checkpoint.state["bert.embeddings.word_embeddings.weight"])
            if trained_words is None
            else trained_words.float()
        )
        state = {**checkpoint.state, "words.weight": vectors}
        vocabulary, width = vectors.shape
        super().__init__(
            replace(checkpoint, state=state),
            lambda: SentAvg(vocabulary, width, checkpoint.settings["hidden"]),
        )

    def score(
        self,
        stories: Sequence[str],
        contexts: Sequence[str] | None = None,
        batch_size: int = 64,
        device: str | torch.device | None = None,
        dtype: str = "auto",
        explain: bool = False,
        progress: Progress | None = None,
        joins_context: bool | None = None,
        costs: bool = True,
    ) -> tuple[list[float], list[dict[str, Any]] | None]:
        """Scores in 0..1, higher is better, in order, and None, since there are no explanations.

        Every sentence is encoded, however long the story. A sentence above `max_length` tokens is split; a sentence
        that occurs in several stories is encoded once.

        Raises:
            ValueError: a story without a single word (its row is named), or `explain` is True.
        """
        if explain:
            raise ValueError("explain: expected False, SENTAVG has no explanations")
        target_device = choose_device(device)
        self.model = self._precisions.get(target_device, choose_dtype(dtype, target_device))
        prepared = self.prepare(stories, contexts, joins_context)
        sentence_numbers: dict[tuple[int, ...], int] = {}
        for story in prepared:
            for ids in story.tokens:
                sentence_numbers.setdefault(tuple(ids), len(sentence_numbers))
        sentences = list(sentence_numbers)
        vectors: list[Any] = [None] * len(sentences)
        with inference(target_device):
            for batch in length_batches([len(ids) for ids in sentences], batch_size, progress):
                tokens, mask = pad([sentences[i] for i in batch], self.special_tokens.padding)
                encoded = self.model.encode(tokens.to(target_device), mask.to(target_device))
                for index, vector in zip(batch, encoded, strict=True):
                    vectors[index] = vector
            order = [sentence_numbers[tuple(ids)] for story in prepared for ids in story.tokens]
            owner = [number for number, story in enumerate(prepared) for _ in story.tokens]
            logits = self.model.score(
                torch.stack(vectors)[order], torch.tensor(owner, device=target_device), len(prepared)
            )
            return torch.sigmoid(logits).tolist(), None
