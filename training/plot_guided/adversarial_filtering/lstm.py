"""A small LSTM over wordpieces as a member of the committee."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.runtime import pad, token_id
from openmeva.training.common.backbone import SHARED, backbone_tokenizer, find_backbone

WIDTH = 64
LIMIT = 256  # maximum length in tokens
BATCH = 64


class LstmMember:
    """One LSTM layer, trained from scratch in every round.

    Args:
        texts: all texts that rows refer to.
        epochs: number of passes over the training rows.
    """

    def __init__(self, texts: Sequence[str], epochs: int = 2) -> None:
        tokenizer = backbone_tokenizer(find_backbone(SHARED))
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        self._ids = [row.ids[:LIMIT] or [0] for row in encoded]
        self._padding, self._size = token_id(tokenizer, "[PAD]"), tokenizer.get_vocab_size()
        self._epochs = epochs
        self._network: _Network | None = None

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Trains from scratch to classify rows as human or generated."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**31)))
            self._network = _Network(self._size, self._padding)
        optimizer = torch.optim.Adam(self._network.parameters(), lr=3e-3)
        balance = torch.tensor((labels == 0).sum() / max((labels == 1).sum(), 1), dtype=torch.float32)
        for _ in range(self._epochs):
            batches = list(length_batches([len(self._ids[row]) for row in rows], BATCH))
            for at in rng.permutation(len(batches)):
                places = batches[at]
                target = torch.from_numpy(labels[places]).float()
                loss = F.binary_cross_entropy_with_logits(
                    self._logits(rows[places]), target, pos_weight=balance
                )
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self._network.parameters(), 1.0)
                optimizer.step()

    @torch.no_grad()
    def score(self, rows: np.ndarray) -> np.ndarray:
        """Log-odds of being human-written, (n,)."""
        scores = np.zeros(len(rows))
        for places in length_batches([len(self._ids[row]) for row in rows], 4 * BATCH):
            scores[places] = self._logits(rows[places]).numpy()
        return scores

    def _logits(self, rows: np.ndarray) -> Tensor:
        if self._network is None:
            raise RuntimeError("the member has to be fitted before it scores")
        return self._network(*pad([self._ids[row] for row in rows], self._padding))


class _Network(nn.Module):
    def __init__(self, size: int, padding: int) -> None:
        super().__init__()
        self.words = nn.Embedding(size, WIDTH, padding_idx=padding)
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Log-odds (n,) from the mean of the tokens' states."""
        states, _ = self.lstm(self.words(ids))
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.head(mean)[:, 0]
