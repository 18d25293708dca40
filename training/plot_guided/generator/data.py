"""Plots and stories as token ids, and their batches."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad, token_id

IGNORED = -100
LINE_END = "Ċ"  # the newline of byte-level tokenizers


def plot_ids(
    tokenizer: Tokenizer, special_tokens: SpecialTokens, texts: Sequence[str], limit: int
) -> list[list[int]]:
    """Token ids of plots with start and end tokens, at most `limit` each.

    If the start and end tokens are the same (as in GPT-2), it would end the text between plot and story; then a newline
    ends the plot.
    """
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    end = special_tokens.end if special_tokens.end != special_tokens.start else token_id(tokenizer, LINE_END)
    return [[special_tokens.start, *encoding.ids[: limit - 2], end] for encoding in encoded]


def story_ids(
    tokenizer: Tokenizer, special_tokens: SpecialTokens, texts: Sequence[str], limit: int
) -> list[list[int]]:
    """Token ids of stories with the end token; a story longer than `limit` is truncated and has no end token."""
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [[*encoding.ids, special_tokens.end][:limit] for encoding in encoded]


class PlotPairs(torch.utils.data.Dataset[tuple[list[int], list[int]]]):
    """Plot and story by index; if `count` exceeds the size of the corpus, the stories repeat."""

    def __init__(self, sources: list[list[int]], targets: list[list[int]], count: int | None = None) -> None:
        self.sources, self.targets = sources, targets
        self.count = len(targets) if count is None else count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[list[int], list[int]]:
        if index >= self.count:
            raise IndexError(f"expected a number below {self.count}, got {index}")
        position = index % len(self.targets)
        return self.sources[position], self.targets[position]

    @property
    def epoch_length(self) -> int:
        """The number of rows in one pass."""
        return len(self.targets)

    def lengths(self) -> list[int]:
        """Number of story tokens at each index, for batches of similar length."""
        return [len(self.targets[index % len(self.targets)]) for index in range(self.count)]


@dataclass(frozen=True)
class PairCollator:
    """Pads pairs to a batch: the decoder reads the story shifted by one and predicts the next token.

    Attributes:
        special_tokens: special tokens of the tokenizer.
        is_encoder_decoder: whether an encoder reads the plot; else the plot precedes the story in the same row.
    """

    special_tokens: SpecialTokens
    is_encoder_decoder: bool = True

    def __call__(self, pairs: list[tuple[list[int], list[int]]]) -> dict[str, Tensor]:
        if not self.is_encoder_decoder:
            ids, mask = pad([[*plot, *story] for plot, story in pairs], self.special_tokens.padding)
            labels = ids.masked_fill(mask == 0, IGNORED)
            for row, (plot, _) in enumerate(pairs):
                labels[row, : len(plot)] = IGNORED
            return {"input_ids": ids[:, :-1], "attention_mask": mask[:, :-1], "labels": labels[:, 1:]}
        source, mask = pad([plot for plot, _ in pairs], self.special_tokens.padding)
        target, target_mask = pad([story for _, story in pairs], self.special_tokens.padding)
        shifted = torch.cat([torch.full((len(pairs), 1), self.special_tokens.start), target[:, :-1]], dim=1)
        return {
            "input_ids": source,
            "attention_mask": mask,
            "decoder_input_ids": shifted,
            "labels": target.masked_fill(target_mask == 0, IGNORED),
        }
