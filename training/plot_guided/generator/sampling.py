"""Top-k sampling of stories from plots (section 5.1: k = 50, temperature 0.8), seeded and in batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, choose_device, choose_dtype
from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.common.bounds import Positive, Rate
from openmeva.training.plot_guided.generator.data import plot_ids
from openmeva.training.plot_guided.generator.decoding import story_decoder
from openmeva.training.plot_guided.generator.model import Generator, check_lengths
from openmeva.training.plot_guided.generator.text import story_names, text_form
from openmeva.training.plot_guided.plots.plot import Plot

NEVER_SAMPLED = ("[PAD]", "[UNK]", "[CLS]", "[MASK]", "<pad>", "<unk>", "<s>", "<mask>")
SHRINK_BATCH_AT = 0.1  # finished stories are removed from the batch above this share


@dataclass(frozen=True)
class Sampling:
    """Settings of top-k sampling.

    Attributes:
        top_k: k of top-k sampling.
        temperature: divides the logits; above 0.
        max_tokens: maximum length of a story in tokens (the paper: 200 in ROC, 1024 in WP).
        max_plot: maximum length of a plot in tokens.
        batch_size: stories per batch.
        end_with_plot: whether to end a story after as many sentences as its plot has, if not before. A manipulated
            plot is longer than the plots in training, and the generator may never end its story.
    """

    top_k: Positive = 50
    temperature: Rate = 0.8
    max_tokens: Positive = 200
    max_plot: Positive = 128
    batch_size: Positive = 128
    end_with_plot: bool = False

    def __post_init__(self) -> None:
        if self.top_k < 1 or self.temperature <= 0 or self.max_tokens < 1 or self.batch_size < 1:
            raise ValueError(
                f"expected top_k, max_tokens and batch_size of 1 or more and a temperature above 0: {self}"
            )


class StorySampler:
    """Writes stories from plots.

    A story's random numbers come from its own key, so they do not depend on the other stories in the batch.

    Args:
        generator: a trained generator.
        sampling: the sampling settings.
        dtype: `auto` is bfloat16 if the processor is faster in it.
        delexicalize: whether the names of a generator that writes prose become placeholders; another one writes
            what it was trained on.

    Raises:
        ValueError: longer plots and stories than the model has positions for.
    """

    def __init__(
        self,
        generator: Generator,
        sampling: Sampling | None = None,
        dtype: str = "auto",
        delexicalize: bool = True,
    ) -> None:
        tokenizer = self.tokenizer = generator.tokenizer
        self.sampling = sampling or Sampling()
        check_lengths(generator.model, max_plot=self.sampling.max_plot, max_tokens=self.sampling.max_tokens)
        self.form = text_form(tokenizer, generator.prose, delexicalize)
        device = choose_device(None)
        model: Any = generator.model
        self.model = model.eval().to(device, choose_dtype(dtype, device))
        self.special_tokens = SpecialTokens.from_tokenizer(tokenizer)
        added = tokenizer.get_added_tokens_decoder().items()
        never_sampled = {
            index for index, token in added if token.special and token.content not in PLACEHOLDERS
        }
        never_sampled |= {
            index for name in NEVER_SAMPLED if (index := tokenizer.token_to_id(name)) is not None
        }
        self.never = torch.tensor(sorted(never_sampled - {self.special_tokens.end}), dtype=torch.long)

    def write(self, plots: Sequence[Plot], keys: Sequence[tuple[int, ...]]) -> list[str]:
        """A story for each plot, in order.

        Args:
            plots: phrases by sentence.
            keys: seed of each story's random numbers: non-negative integers.

        Raises:
            ValueError: the numbers of keys and plots differ.
        """
        if len(plots) != len(keys):
            raise ValueError(f"expected a key for each of {len(plots)} plots, got {len(keys)}")
        texts = [self.form.plot(plot, story_names(key)) for plot, key in zip(plots, keys, strict=True)]
        sources = plot_ids(self.tokenizer, self.special_tokens, texts, self.sampling.max_plot)
        order = sorted(range(len(plots)), key=lambda index: (len(sources[index]), index))
        stories = [""] * len(plots)
        for start in range(0, len(order), self.sampling.batch_size):
            rows = order[start : start + self.sampling.batch_size]
            sentences = [len(plots[row]) for row in rows] if self.sampling.end_with_plot else None
            written = self._write_batch(
                [sources[row] for row in rows], [keys[row] for row in rows], sentences
            )
            for row, ids in zip(rows, written, strict=True):
                stories[row] = self.form.words(ids)
        return stories

    @torch.inference_mode()
    def _write_batch(
        self, sources: list[list[int]], keys: list[tuple[int, ...]], sentences: Sequence[int] | None = None
    ) -> list[list[int]]:
        device = self.model.device
        limit = self.sampling.max_tokens
        numbers = np.stack([np.random.default_rng(key).random(limit, dtype=np.float32) for key in keys])
        uniforms = torch.from_numpy(numbers).to(device)
        decoder = story_decoder(self.model, self.special_tokens, sources)
        alive = list(range(len(sources)))  # rows of the batch, as indices into `written`
        token: Tensor | None = None
        written: list[list[int]] = [[] for _ in sources]
        ended: set[int] = set()
        for step in range(limit):
            token = self._sample_tokens(decoder.logits(token), uniforms[alive, step])
            for row, index in zip(alive, token[:, 0].tolist(), strict=True):
                if row in ended:
                    continue
                if index != self.special_tokens.end:
                    written[row].append(index)
                if index == self.special_tokens.end or (
                    sentences and self.form.complete(written[row], sentences[row])
                ):
                    ended.add(row)
            gone = sum(row in ended for row in alive)
            if gone == len(alive):
                break
            if gone > SHRINK_BATCH_AT * len(alive):
                kept = torch.tensor([position for position, row in enumerate(alive) if row not in ended])
                kept = kept.to(device)
                decoder.keep(kept)
                token = token[kept]
                alive = [row for row in alive if row not in ended]
        return written

    def _sample_tokens(self, logits: Tensor, numbers: Tensor) -> Tensor:
        """Tokens (n, 1) by inverse transform sampling: the first whose cumulative probability reaches the number."""
        logits = logits.index_fill(1, self.never.to(logits.device), -torch.inf)
        best, places = logits.topk(min(self.sampling.top_k, logits.shape[1]), dim=1)
        shares = (best.float() / self.sampling.temperature).softmax(1).cumsum(1)
        sampled = (shares < numbers[:, None]).sum(1, keepdim=True).clamp(max=best.shape[1] - 1)
        return places.gather(1, sampled)
