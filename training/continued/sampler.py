"""Continues texts with a causal language model."""

from collections.abc import Sequence
from typing import Any

import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.classifier import max_positions
from openmeva.metrics.core.runtime import choose_device, choose_dtype
from openmeva.metrics.core.text import split_sentences


class ContinuationSampler:
    """Continues texts with a causal language model, one batch at a time. On one CPU, equal seeds give equal texts.

    Args:
        model, tokenizer: of the language model.
        top_k: k of top-k sampling.
        start: id of a token to put before each text; None: no token.
        end: id of the end-of-text token; None: every continuation has the requested length.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Tokenizer,
        top_k: int = 40,
        start: int | None = None,
        end: int | None = None,
    ) -> None:
        device = choose_device(None)
        self.model = model.to(device, choose_dtype("auto", device)).eval()
        self.tokenizer, self.top_k, self.start, self.end = tokenizer, top_k, start, end

    def _rows(self, texts: Sequence[str]) -> list[list[int]]:
        first = [] if self.start is None else [self.start]
        return [
            [*first, *encoding.ids]
            for encoding in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]

    def check_length(self, texts: Sequence[str], tokens: int) -> None:
        """Raises a ValueError if the model lacks positions for one of the texts with `tokens` new tokens."""
        length, limit = max(map(len, self._rows(texts))) + tokens, max_positions(self.model.config)
        if limit is not None and length > limit:
            raise ValueError(
                f"words: expected openings and continuations of at most {limit} tokens, the positions of the language model, "
                f"got {length}"
            )

    @torch.inference_mode()
    def __call__(self, texts: list[str], tokens: int, temperature: float, seed: int) -> list[str]:
        """Each text with up to `tokens` new tokens (exactly `tokens` if `end` is None), cut after a whole sentence."""
        rows = self._rows(texts)
        longest = max(map(len, rows))
        device = self.model.device
        ids = torch.tensor([[0] * (longest - len(row)) + row for row in rows]).to(device)
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows]).to(device)
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(seed)
            written = self.model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=True,
                temperature=temperature,
                top_k=self.top_k,
                max_new_tokens=tokens,
                pad_token_id=0,
                use_cache=True,
                **({"min_new_tokens": tokens} if self.end is None else {"eos_token_id": self.end}),
            )
        new_ids = [
            row[: row.index(self.end)] if self.end in row else row for row in written[:, longest:].tolist()
        ]
        more = self.tokenizer.decode_batch(new_ids, skip_special_tokens=False)
        return [
            f"{text} {_whole_sentences(' '.join(new.split()))}" for text, new in zip(texts, more, strict=True)
        ]


def _whole_sentences(text: str) -> str:
    """The text up to its last complete sentence; the whole text if there is none."""
    sentences = split_sentences(text)
    ended = sentences if sentences and sentences[-1].rstrip("\"') ")[-1:] in ".!?" else sentences[:-1]
    return " ".join(ended or sentences)
