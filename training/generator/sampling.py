"""Top-k sampling of stories from plots (section 5.1: k = 50, temperature 0.8), seeded and in batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from metrics.encoder import choose_dtype, pad
from training.generator.pairs import Marks, plot_ids
from training.generator.text import words_of
from training.plots.plot import Plot

NEVER = ("[PAD]", "[UNK]", "[CLS]", "[MASK]", "<pad>", "<unk>", "<s>", "<mask>")
COMPACT_EVERY = 8  # steps after which finished stories leave the batch


@dataclass(frozen=True)
class Sampling:
    """How the next token is drawn.

    Attributes:
        top_k: only so many most likely tokens are drawn from.
        temperature: the logits are divided by it; above 0.
        max_tokens: a story ends here at the latest (the paper: 200 in ROC, 1024 in WP).
        max_plot: tokens of a plot that are read.
        batch_size: stories written at once.
    """

    top_k: int = 50
    temperature: float = 0.8
    max_tokens: int = 200
    max_plot: int = 128
    batch_size: int = 128

    def __post_init__(self) -> None:
        if self.top_k < 1 or self.temperature <= 0 or self.max_tokens < 1 or self.batch_size < 1:
            raise ValueError(
                f"expected top_k, max_tokens and batch_size of 1 or more and a temperature above 0: {self}"
            )


class StorySampler:
    """Writes stories from plots.

    A story's random numbers come from its own key, so they do not depend on the stories written beside it.

    Args:
        model, tokenizer: a trained generator.
        sampling: how tokens are drawn.
        dtype: `auto` takes bfloat16 where the processor has it.
    """

    def __init__(
        self, model: Any, tokenizer: Tokenizer, sampling: Sampling | None = None, dtype: str = "auto"
    ) -> None:
        self.tokenizer, self.sampling = tokenizer, sampling or Sampling()
        self.model = model.eval().to(choose_dtype(dtype, model.device))
        self.marks = Marks.of(tokenizer)
        found = [tokenizer.token_to_id(name) for name in NEVER]
        self.never = torch.tensor([index for index in found if index is not None and index != self.marks.end])

    def write(self, plots: Sequence[Plot], keys: Sequence[tuple[int, ...]]) -> list[str]:
        """A story for each plot, in order.

        Args:
            plots: phrases by sentence.
            keys: of each story's random numbers; non-negative integers.

        Raises:
            ValueError: not as many keys as plots.
        """
        if len(plots) != len(keys):
            raise ValueError(f"expected a key for each of {len(plots)} plots, got {len(keys)}")
        sources = plot_ids(self.tokenizer, self.marks, plots, self.sampling.max_plot)
        order = sorted(range(len(plots)), key=lambda index: (len(sources[index]), index))
        texts = [""] * len(plots)
        for start in range(0, len(order), self.sampling.batch_size):
            rows = order[start : start + self.sampling.batch_size]
            written = self._write_batch([sources[row] for row in rows], [keys[row] for row in rows])
            for row, ids in zip(rows, written, strict=True):
                texts[row] = words_of(self.tokenizer, ids)
        return texts

    @torch.inference_mode()
    def _write_batch(self, sources: list[list[int]], keys: list[tuple[int, ...]]) -> list[list[int]]:
        device = self.model.device
        limit = self.sampling.max_tokens
        numbers = np.stack([np.random.default_rng(key).random(limit, dtype=np.float32) for key in keys])
        draws = torch.from_numpy(numbers).to(device)
        ids, mask = (tensor.to(device) for tensor in pad(sources, self.marks.padding))
        encoded = self.model.get_encoder()(input_ids=ids, attention_mask=mask)
        state = encoded.last_hidden_state
        alive = torch.arange(len(sources), device=device)  # the batch's rows, by place in `written`
        token = torch.full((len(sources), 1), self.marks.start, device=device)
        written: list[list[int]] = [[] for _ in sources]
        ended = torch.zeros(len(sources), dtype=torch.bool, device=device)
        cache: Any = None
        for step in range(limit):
            output = self.model(
                encoder_outputs=(state,),
                attention_mask=mask,
                decoder_input_ids=token,
                past_key_values=cache,
                use_cache=True,
            )
            cache = output.past_key_values
            token = self._draw(output.logits[:, -1], draws[alive, step])
            for place, row, index in zip(
                range(len(alive)), alive.tolist(), token[:, 0].tolist(), strict=True
            ):
                if ended[place]:
                    continue
                if index == self.marks.end:
                    ended[place] = True
                else:
                    written[row].append(index)
            if bool(ended.all()):
                break
            if step % COMPACT_EVERY == COMPACT_EVERY - 1 and bool(ended.any()):
                kept = (~ended).nonzero()[:, 0]
                cache.batch_select_indices(kept)
                state, mask, token, alive = state[kept], mask[kept], token[kept], alive[kept]
                ended = torch.zeros(len(kept), dtype=torch.bool, device=device)
        return written

    def _draw(self, logits: Tensor, numbers: Tensor) -> Tensor:
        """Tokens (n, 1) by inverse transform: the first whose cumulative probability passes the number."""
        logits = logits.float().index_fill(1, self.never.to(logits.device), -torch.inf)
        best, places = logits.topk(min(self.sampling.top_k, logits.shape[1]), dim=1)
        shares = (best / self.sampling.temperature).softmax(1).cumsum(1)
        drawn = (shares < numbers[:, None]).sum(1, keepdim=True).clamp(max=best.shape[1] - 1)
        return places.gather(1, drawn)
