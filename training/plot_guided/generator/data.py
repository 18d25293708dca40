"""Plots and stories as token ids, and their batches."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad, token_id
from openmeva.training.plot_guided.plots.plot import Plot, plot_text

IGNORED = -100
LINE_END = "Ċ"  # as byte-level tokenizers write it


def plot_ids(
    tokenizer: Tokenizer, marks: SpecialTokens, plots: Sequence[Plot], limit: int
) -> list[list[int]]:
    """Token ids of plots, begun and ended, at most `limit` each.

    Where one mark begins and ends texts (GPT-2's), it would part plot and story: the plot is a line of its own.
    """
    encoded = tokenizer.encode_batch([plot_text(plot) for plot in plots], add_special_tokens=False)
    end = marks.end if marks.end != marks.start else token_id(tokenizer, LINE_END)
    return [[marks.start, *encoding.ids[: limit - 2], end] for encoding in encoded]


def story_ids(
    tokenizer: Tokenizer, marks: SpecialTokens, texts: Sequence[str], limit: int
) -> list[list[int]]:
    """Token ids of stories with the end mark; a story past `limit` is cut and has none."""
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [[*encoding.ids, marks.end][:limit] for encoding in encoded]


class PlotPairs(torch.utils.data.Dataset[tuple[list[int], list[int]]]):
    """Plot and story of each index; `count` runs over the corpus more than once where it is larger."""

    def __init__(self, sources: list[list[int]], targets: list[list[int]], count: int | None = None) -> None:
        self.sources, self.targets = sources, targets
        self.count = len(targets) if count is None else count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[list[int], list[int]]:
        if index >= self.count:
            raise IndexError(f"expected a number below {self.count}, got {index}")
        place = index % len(self.targets)
        return self.sources[place], self.targets[place]

    def lengths(self) -> list[int]:
        """Tokens of the story at each index, for batches of similar length."""
        return [len(self.targets[index % len(self.targets)]) for index in range(self.count)]


@dataclass(frozen=True)
class PairCollator:
    """Pads pairs to a batch: the decoder reads the story shifted by one and is to say the next token.

    Attributes:
        marks: of the tokenizer.
        is_encoder_decoder: whether an encoder reads the plot; else it stands before the story, in the same row.
    """

    marks: SpecialTokens
    is_encoder_decoder: bool = True

    def __call__(self, pairs: list[tuple[list[int], list[int]]]) -> dict[str, Tensor]:
        if not self.is_encoder_decoder:
            ids, mask = pad([[*plot, *story] for plot, story in pairs], self.marks.padding)
            labels = ids.masked_fill(mask == 0, IGNORED)
            for row, (plot, _) in enumerate(pairs):
                labels[row, : len(plot)] = IGNORED
            return {"input_ids": ids[:, :-1], "attention_mask": mask[:, :-1], "labels": labels[:, 1:]}
        source, mask = pad([plot for plot, _ in pairs], self.marks.padding)
        target, target_mask = pad([story for _, story in pairs], self.marks.padding)
        shifted = torch.cat([torch.full((len(pairs), 1), self.marks.start), target[:, :-1]], dim=1)
        return {
            "input_ids": source,
            "attention_mask": mask,
            "decoder_input_ids": shifted,
            "labels": target.masked_fill(target_mask == 0, IGNORED),
        }
