"""Scores of stories from the losses of their tokens."""

import math
import sys
from collections.abc import Sequence
from typing import Any

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.core.contexts import begins_with_context
from openmeva.metrics.core.runtime import choose_device, choose_dtype
from openmeva.metrics.ppl.causal_model import PADDING_SIDES
from openmeva.metrics.ppl.loading import LoadedModel
from openmeva.metrics.ppl.repetition import repeated_ngram_mask
from openmeva.metrics.ppl.texts import TokenizedStory


class PerplexityScorer:
    """Scores stories with one language model."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.model, self.reader = loaded.model, loaded.reader

    def score(
        self,
        stories: Sequence[str],
        contexts: Sequence[str] | None = None,
        batch_size: int = 32,
        device: str | None = None,
        dtype: str = "auto",
        padding_side: str = "right",
        repeated_ngram: int | None = None,
        explain: bool = False,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Lists with one entry per story; see the module's `inputs_description`.

        Raises:
            ValueError: a story without words (the row is named), an unknown dtype or padding side, n below 1.
        """
        self.check_padding_side(padding_side)
        target_device = choose_device(device)
        target_dtype = choose_dtype(dtype, target_device)
        if contexts is not None:  # a story that begins with its context would be read after it once more
            contexts = [
                "" if begins_with_context(story, context) else context
                for story, context in zip(stories, contexts, strict=True)
            ]
        read = self.reader(stories, contexts)
        losses = self.model.token_losses(
            read, batch_size, target_device, target_dtype, padding_side, progress
        )
        nll = [math.fsum(values) / len(values) for values in losses]
        result: dict[str, Any] = {
            "scores": [-perplexity(value) for value in nll],
            "perplexities": [perplexity(value) for value in nll],
            "nll": nll,
            "log_scores": [-value for value in nll],
            "word_perplexities": [
                perplexity(math.fsum(values) / story.words)
                for story, values in zip(read, losses, strict=True)
            ],
        }
        if repeated_ngram is not None:
            result.update(repetition_corrected_scores(read, losses, repeated_ngram))
        if explain:
            result["explanations"] = [
                self._explanation(story, values) for story, values in zip(read, losses, strict=True)
            ]
        return result

    def check_padding_side(self, side: str) -> None:
        """Raises a ValueError for an unknown side, or one that changes the model's losses."""
        if side not in PADDING_SIDES:
            raise ValueError(f"padding_side: expected one of {PADDING_SIDES}, got {side!r}")
        self.model.check_padding_side(side)

    def _explanation(self, story: TokenizedStory, losses: list[float]) -> dict[str, Any]:
        """The loss of each token, and the mean loss of each sentence."""
        owners = [story.sentence_of(index) for index in range(len(losses))]
        tokens = [
            {"token": self.reader.token(token), "nll": loss, "sentence": owner}
            for token, loss, owner in zip(story.ids[story.context_length :], losses, owners, strict=True)
        ]
        losses_of: list[list[float]] = [[] for _ in story.sentences]
        for loss, owner in zip(losses, owners, strict=True):
            losses_of[owner].append(loss)
        sentences = []
        for (begin, end), sentence_losses in zip(story.sentences, losses_of, strict=True):
            mean = math.fsum(sentence_losses) / len(sentence_losses) if sentence_losses else None
            sentences.append({"text": story.text[begin:end], "nll": mean, "tokens": len(sentence_losses)})
        return {"sentences": sentences, "tokens": tokens}


def perplexity(nll: float) -> float:
    """The exponential of a mean loss, at most the largest float."""
    return math.exp(nll) if nll < 709 else sys.float_info.max


def repetition_corrected_scores(
    stories: Sequence[TokenizedStory], losses: Sequence[list[float]], n: int
) -> dict[str, Any]:
    """Scores over the tokens that do not end an n-gram seen before, and the share of tokens that do.

    A story in which every token ends one (for `n` of 1, say, a copy of its context) gets its largest token loss.
    """
    scores, log_scores, shares = [], [], []
    for story, values in zip(stories, losses, strict=True):
        again = repeated_ngram_mask(story.ids, n)[story.context_length :]
        first_losses = [value for value, is_repeated in zip(values, again, strict=True) if not is_repeated]
        mean = math.fsum(first_losses) / len(first_losses) if first_losses else max(values)
        scores.append(-perplexity(mean))
        log_scores.append(-mean)
        shares.append(sum(again) / len(again))
    return {"corrected_scores": scores, "corrected_log_scores": log_scores, "repeated_shares": shares}
