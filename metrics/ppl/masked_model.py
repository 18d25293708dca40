"""Token losses under a masked language model: pseudo-log-likelihood (Salazar et al., ACL 2020)."""

from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.batching import Progress, length_batches
from openmeva.metrics.core.runtime import PrecisionCache, inference, pad, token_id
from openmeva.metrics.ppl.losses import target_losses
from openmeva.metrics.ppl.texts import TokenizedStory
from openmeva.metrics.ppl.windows import Window, centred_windows


class MaskedModel:
    """The shared encoder as a masked language model: each token is conditioned on both sides.

    Args:
        model: a `BertForMaskedLM` in evaluation mode.
        tokenizer: the encoder's.
        max_length: maximum number of tokens in a window, [CLS] and [SEP] included.
        spacing: every `spacing`-th token is masked in the same pass, so a window takes `spacing` passes; `None`
            masks one token per pass, as in the paper.
    """

    def __init__(self, model: Any, tokenizer: Tokenizer, max_length: int, spacing: int | None) -> None:
        self.model, self.max_length, self.spacing = model, max_length, spacing
        self.cls, self.sep, self.pad, self.mask = (
            token_id(tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]", "[MASK]")
        )
        self.vocabulary_size: int = model.config.vocab_size
        self._precisions = PrecisionCache(model)

    def check_padding_side(self, side: str) -> None:
        """Raises a ValueError for a side other than the right."""
        if side != "right":
            raise ValueError(f"padding_side: expected 'right' for a masked language model, got {side!r}")

    def token_losses(
        self,
        stories: Sequence[TokenizedStory],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        padding_side: str = "right",
        progress: Progress | None = None,
    ) -> list[list[float]]:
        """The loss of each story's tokens in nats, in order; tokens of the context are never masked.

        Raises:
            ValueError: `padding_side` is not "right".
        """
        self.check_padding_side(padding_side)
        model = self._precisions.get(device, dtype)
        passes = [
            (number, window, masked)
            for number, story in enumerate(stories)
            for window in centred_windows(len(story.ids), story.context_length, self.max_length - 2)
            for masked in self._groups(window)
        ]
        losses_by_story = [[0.0] * len(story.spans) for story in stories]
        lengths = [window.end - window.begin for _, window, _ in passes]
        for batch in length_batches(lengths, batch_size, progress):
            chosen = [passes[i] for i in batch]
            rows = [
                [self.cls, *stories[number].ids[window.begin : window.end], self.sep]
                for number, window, _ in chosen
            ]
            ids, mask = pad(rows, self.pad)
            at_rows = torch.tensor([row for row, (_, _, group) in enumerate(chosen) for _ in group])
            at_tokens = torch.tensor([i - window.begin + 1 for _, window, group in chosen for i in group])
            targets = ids[at_rows, at_tokens].to(device)
            ids[at_rows, at_tokens] = self.mask
            with inference(device):
                states = model.bert(ids.to(device), attention_mask=mask.to(device)).last_hidden_state
                hidden = states[at_rows.to(device), at_tokens.to(device)]
                losses = iter(target_losses(hidden, targets, model.cls, self.vocabulary_size).tolist())
            for number, _, group in chosen:
                for i in group:
                    losses_by_story[number][i - stories[number].context_length] = next(losses)
        return losses_by_story

    def _groups(self, window: Window) -> list[range]:
        """The positions masked in each pass over a window."""
        step = self.spacing or window.last - window.first
        begins = range(window.first, min(window.last, window.first + step))
        return [range(begin, window.last, step) for begin in begins]
