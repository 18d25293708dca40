"""Token losses under a causal language model: each token is conditioned on the previous ones."""

import inspect
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from openmeva.metrics.core.batching import Progress, length_batches
from openmeva.metrics.core.runtime import PrecisionCache, inference, pad
from openmeva.metrics.ppl.losses import MAX_LOGITS, target_losses
from openmeva.metrics.ppl.texts import TokenizedStory
from openmeva.metrics.ppl.windows import Window, causal_windows

PADDING_SIDES = ("right", "left")


class CausalModel:
    """A causal language model of transformers, whose body and vocabulary head are called separately.

    Args:
        model: in evaluation mode.
        start: id of the token that precedes each sequence and each window.
        max_length: maximum number of tokens in a window, the start token included.
        head: name of the submodule from hidden states to logits. Default: the output embeddings, or, where the
            logits are not just these applied to the hidden states, none: the model is then called as a whole.
    """

    def __init__(self, model: Any, start: int, max_length: int, head: str | None = None) -> None:
        self.model, self.start, self.max_length = model, start, max_length
        self._precisions = PrecisionCache(model)
        self.vocabulary_size: int = model.config.get_text_config().vocab_size
        self.takes_positions = "position_ids" in inspect.signature(model.base_model.forward).parameters
        self.head = head or self._output_embeddings()

    def check_padding_side(self, side: str) -> None:
        """Raises a ValueError for left padding if it would change the losses."""
        if side == "left" and not self._supports_left_padding:
            raise ValueError(
                "padding_side: expected 'right' for this model, which counts padding among its positions, got 'left'"
            )

    def token_losses(
        self,
        stories: Sequence[TokenizedStory],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        padding_side: str = "right",
        progress: Progress | None = None,
    ) -> list[list[float]]:
        """The loss of each story's tokens in nats, in order, conditioned on the context.

        A story beyond the maximum length is read in overlapping windows (`causal_windows`), each after the start token.

        Raises:
            ValueError: left padding for a model whose losses it changes.
        """
        self.check_padding_side(padding_side)
        model = self._precisions.get(device, dtype)
        windows = [
            (number, window)
            for number, story in enumerate(stories)
            for window in causal_windows(len(story.ids), story.context_length, self.max_length - 1)
        ]
        losses_by_story = [[0.0] * len(story.spans) for story in stories]
        lengths = [window.end - window.begin for _, window in windows]
        for batch in length_batches(lengths, batch_size, progress):
            for part in self._parts(batch, windows):
                chosen = [windows[i] for i in part]
                rows = [stories[number].ids[w.begin : w.end] for number, w in chosen]
                with inference(device):
                    losses = self._losses(model, rows, [w for _, w in chosen], padding_side)
                for (number, window), values in zip(chosen, losses, strict=True):
                    offset = stories[number].context_length
                    losses_by_story[number][window.first - offset : window.last - offset] = values
        return losses_by_story

    @cached_property
    def _supports_left_padding(self) -> bool:
        """Whether left padding leaves the losses unchanged. It does not where positions count it (BART, RoBERTa)."""
        rows = [[token % self.vocabulary_size for token in range(length)] for length in (6, 2)]
        windows = [Window(0, len(row), 0, len(row)) for row in rows]
        model = self._precisions.float32_model
        with inference(model.device):
            right, left = (self._losses(model, rows, windows, side) for side in PADDING_SIDES)
        return all(np.allclose(*pair, rtol=1e-3, atol=1e-3) for pair in zip(right, left, strict=True))

    def _losses(
        self, model: Any, rows: Sequence[list[int]], windows: Sequence[Window], padding_side: str
    ) -> list[list[float]]:
        """The losses of the tokens that each window scores."""
        device = model.device
        ids, mask = pad([[self.start, *row] for row in rows], self.start)
        arguments: dict[str, Tensor] = {}
        shifts = torch.zeros(len(rows), dtype=torch.long)
        if padding_side == "left":
            shifts = mask.shape[1] - mask.sum(1)
            positions = (torch.arange(mask.shape[1])[None] - shifts[:, None]) % mask.shape[1]
            ids, mask = ids.gather(1, positions), mask.gather(1, positions)
            arguments["attention_mask"] = mask.to(device)
            if self.takes_positions:
                arguments["position_ids"] = (mask.cumsum(1) - 1).clamp_min(0).to(device)
        # Without an attention mask, the causal mask alone hides right padding, which is faster.
        states = self._body(model, ids.to(device), arguments)
        at_rows, at_tokens, counts = [], [], []
        for row, (window, shift) in enumerate(zip(windows, shifts.tolist(), strict=True)):
            scored = range(window.first - window.begin, window.last - window.begin)
            at_rows += [row] * len(scored)
            # the state at i predicts token i of the window, since the start token is at 0
            at_tokens += [i + shift for i in scored]
            counts.append(len(scored))
        row_index, token_index = torch.tensor(at_rows), torch.tensor(at_tokens)
        targets = ids[row_index, token_index + 1].to(device)
        hidden = states[row_index.to(device), token_index.to(device)]
        head = _identity if self.head is None else model.get_submodule(self.head)
        losses = target_losses(hidden, targets, head, self.vocabulary_size)
        return [values.tolist() for values in losses.cpu().split(counts)]

    def _body(self, model: Any, ids: Tensor, arguments: dict[str, Tensor]) -> Tensor:
        """Hidden states (n, tokens, width), or logits where the head cannot be called separately."""
        if self.head is None:
            return model(ids, use_cache=False, **arguments).logits
        return model.base_model(ids, use_cache=False, **arguments)[0]

    def _parts(self, batch: list[int], windows: Sequence[tuple[int, Window]]) -> Iterable[list[int]]:
        """The batch; in smaller parts where the logits of all its tokens are in memory at once."""
        if self.head is not None:
            return [batch]
        longest = max(windows[i][1].end - windows[i][1].begin for i in batch) + 1
        size = max(1, 8 * MAX_LOGITS // (longest * self.vocabulary_size))
        return [batch[i : i + size] for i in range(0, len(batch), size)]

    def _output_embeddings(self) -> str | None:
        """Name of the output embeddings where the logits are just these applied to the hidden states, else None."""
        head = self.model.get_output_embeddings()
        if head is None:
            return None
        ids = torch.arange(min(8, self.vocabulary_size), device=self.model.device)[None]
        with inference(self.model.device):
            expected = self.model(ids, use_cache=False).logits
            states = self.model.base_model(ids, use_cache=False)[0]
            if states.shape[-1] != head.weight.shape[-1]:
                return None
            if not torch.allclose(head(states), expected, rtol=1e-4, atol=1e-4):
                return None
        return next(name for name, module in self.model.named_modules() if module is head)


def _identity(logits: Tensor) -> Tensor:
    return logits
