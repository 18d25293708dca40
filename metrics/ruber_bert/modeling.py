"""RUBER's model: an encoder of contexts and stories, and a head that scores whether they belong together."""

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import PreTrainedConfig

from openmeva.metrics.core.classifier import new_encoder

POOLINGS = ("max", "mean", "cls")
ENCODERS = ("bert", "rnn")


class RelatednessHead(torch.nn.Module):
    """A bilinear form and a layer over both vectors, their product and their difference (RUBER, equation 4).

    The product and the difference are an addition to the paper, so that the layer need not learn to compare.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.bilinear = torch.nn.Parameter(torch.eye(width) / width)
        self.hidden = torch.nn.Linear(4 * width + 1, hidden)
        self.output = torch.nn.Linear(hidden, 1)

    def forward(self, contexts: Tensor, stories: Tensor) -> Tensor:
        """Logits (n,) of contexts (n, width) and stories (n, width); above 0 they belong together."""
        first, second = self.norm(contexts), self.norm(stories)
        related = ((first @ self.bilinear) * second).sum(-1, keepdim=True)
        features = torch.cat([first, second, first * second, (first - second).abs(), related], dim=-1)
        return self.output(F.relu(self.hidden(features))).squeeze(-1)


class RuberModel(torch.nn.Module):
    """Encodes texts with BERT (RUBER-BERT) or with a recurrent network over word embeddings (RUBER).

    Args:
        config: of the encoder.
        encoder: one of `ENCODERS`.
        pooling: for `bert`, one of `POOLINGS`: how hidden states are pooled into the head's input.
        hidden: width of the head's hidden layer.
        recurrent: for `rnn`, width of each direction.

    Raises:
        ValueError: an unknown encoder or pooling.
    """

    def __init__(
        self,
        config: PreTrainedConfig,
        encoder: str,
        pooling: str = "mean",
        hidden: int = 128,
        recurrent: int = 128,
    ) -> None:
        super().__init__()
        if encoder not in ENCODERS:
            raise ValueError(f"encoder: expected one of {ENCODERS}, got {encoder!r}")
        if pooling not in POOLINGS:
            raise ValueError(f"pooling: expected one of {POOLINGS}, got {pooling!r}")
        self.encoder, self.pooling = encoder, pooling
        width = config.hidden_size
        if encoder == "bert":
            self.bert = new_encoder(config)
            self.head = RelatednessHead(width, hidden)
        else:
            self.words = torch.nn.Embedding(config.vocab_size, width)
            self.rnn = torch.nn.GRU(width, recurrent, batch_first=True, bidirectional=True)
            self.head = RelatednessHead(2 * recurrent, hidden)

    def encode(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors (n, width) for the head, and the extremes (n, 2, width of the hidden states): maxima and minima.

        Args:
            ids: (n, tokens), [CLS] first and [SEP] last, at least one token between them.
            mask: (n, tokens), 1 at tokens, padding on the right.
        """
        inner = inner_tokens(mask)
        if self.encoder == "bert":
            states = self.bert(ids, attention_mask=mask).last_hidden_state.float()
            return pool(states, inner, self.pooling), extremes(states, inner)
        states = self.words(ids)
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            states[:, 1:], (mask.sum(1) - 2).cpu(), batch_first=True, enforce_sorted=False
        )
        _, last = self.rnn(packed)
        return torch.cat([last[0], last[1]], dim=-1).float(), extremes(states.float(), inner)


def inner_tokens(mask: Tensor) -> Tensor:
    """True at tokens other than the first and the last of each row, (n, tokens)."""
    positions = torch.arange(mask.shape[1], device=mask.device)[None]
    return (positions > 0) & (positions < mask.sum(1, keepdim=True) - 1)


def pool(states: Tensor, inner: Tensor, pooling: str) -> Tensor:
    """Hidden states (n, tokens, width) pooled to (n, width): at [CLS], or the mean or maximum of inner tokens."""
    if pooling == "cls":
        return states[:, 0]
    if pooling == "mean":
        return (states * inner[..., None]).sum(1) / inner.sum(1, keepdim=True)
    return extremes(states, inner)[:, 0]


def extremes(states: Tensor, inner: Tensor) -> Tensor:
    """Maximum and minimum of the inner tokens' states in each dimension, (n, 2, width)."""
    out = ~inner[..., None]
    high = states.masked_fill(out, -torch.inf).amax(1)
    low = states.masked_fill(out, torch.inf).amin(1)
    return torch.stack([high, low], dim=1)
