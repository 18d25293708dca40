"""SENTAVG (Lai and Tetreault, 2018), the baseline of plot-guided's section 5.3: an LSTM over word vectors.

Sentence vectors are averaged, and a hidden layer tells human stories from others. The paper's word vectors are
GloVe's; here they are the shared encoder's, which every checkout has.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from metrics.encoder import pad, read_tensors
from metrics.inference import Normalizer, length_batches
from training.encoder import ENCODER


@dataclass(frozen=True)
class SentAvgSettings:
    """How the baseline is trained."""

    hidden: int = 128
    epochs: int = 3
    batch: int = 64
    learning_rate: float = 1e-3
    words_a_sentence: int = 50
    sentences: int = 60
    seed: int = 42


class SentAvg(torch.nn.Module):
    """Logits of stories: LSTM by sentence, mean over sentences, a hidden layer.

    Args:
        vectors: word vectors (vocabulary, width), kept as they are.
        hidden: width of the LSTM and of the hidden layer.
    """

    def __init__(self, vectors: Tensor, hidden: int) -> None:
        super().__init__()
        self.words = torch.nn.Embedding.from_pretrained(vectors, freeze=True)
        self.lstm = torch.nn.LSTM(vectors.shape[1], hidden, batch_first=True)
        self.hidden = torch.nn.Linear(hidden, hidden)
        self.out = torch.nn.Linear(hidden, 1)

    def forward(self, ids: Tensor, mask: Tensor, story: Tensor, stories: int) -> Tensor:
        """Logits (stories,).

        Args:
            ids: token ids (sentences, tokens).
            mask: 1 at tokens.
            story: the story (0 … stories-1) that each sentence belongs to.
            stories: how many there are.
        """
        states, _ = self.lstm(self.words(ids))
        last = states[torch.arange(len(ids)), mask.sum(1) - 1]
        total = torch.zeros(stories, last.shape[1]).index_add(0, story, last)
        count = torch.zeros(stories).index_add(0, story, torch.ones(len(ids)))
        mean = total / count[:, None].clamp_min(1)
        return self.out(torch.tanh(self.hidden(mean))).squeeze(-1)


class SentAvgScorer:
    """Trains the baseline and scores stories with it.

    Args:
        settings: see `SentAvgSettings`.
        vectors, tokenizer: word vectors by token id, and their tokenizer; the shared encoder's unless given.
    """

    def __init__(
        self,
        settings: SentAvgSettings | None = None,
        vectors: Tensor | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.settings = settings or SentAvgSettings()
        torch.manual_seed(self.settings.seed)
        self.tokenizer = tokenizer or Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        if vectors is None:
            state = read_tensors(ENCODER / "model.safetensors")
            vectors = state["bert.embeddings.word_embeddings.weight"].float()
        self.normalizer = Normalizer.load(ENCODER / "names.json")
        # of about length 1 in each coordinate, as an LSTM likes its input
        self.model = SentAvg(vectors / vectors.std(), self.settings.hidden)

    def rows(self, stories: Sequence[str]) -> list[list[list[int]]]:
        """Token ids of stories by sentence.

        Raises:
            ValueError: a story without a word (its row).
        """
        found = []
        for row, text in enumerate(stories):
            sentences = [" ".join(words) for words in self.normalizer.sentences(text)]
            if not sentences:
                raise ValueError(f"row {row}: expected a story with words, got {text[:60]!r}")
            encoded = self.tokenizer.encode_batch(
                sentences[: self.settings.sentences], add_special_tokens=False
            )
            found.append([e.ids[: self.settings.words_a_sentence] for e in encoded if e.ids])
        return found

    def logits(self, rows: Sequence[list[list[int]]]) -> Tensor:
        """Logits (n,) of stories as token ids."""
        ids, mask = pad([sentence for row in rows for sentence in row], 0)
        story = torch.tensor([number for number, row in enumerate(rows) for _ in row])
        return self.model(ids, mask, story, len(rows))

    def fit(self, stories: Sequence[str], labels: Sequence[int]) -> list[float]:
        """Trains on stories and labels (1 human, 0 other), both as heavy as a whole; mean loss of each epoch."""
        rows = self.rows(stories)
        share = sum(labels) / len(labels)
        weight = torch.tensor((1 - share) / share if 0 < share < 1 else 1.0)
        rng = np.random.default_rng(self.settings.seed)
        optimizer = torch.optim.Adam(
            [p for p in self.model.parameters() if p.requires_grad], lr=self.settings.learning_rate
        )
        losses = []
        self.model.train()
        for _ in track(range(self.settings.epochs), "training SENTAVG"):
            sizes = [sum(map(len, row)) + int(rng.integers(8)) for row in rows]  # other batches in each epoch
            batches = list(length_batches(sizes, self.settings.batch))
            total = 0.0
            for at in rng.permutation(len(batches)):
                batch = batches[at]
                target = torch.tensor([float(labels[i]) for i in batch])
                loss = F.binary_cross_entropy_with_logits(
                    self.logits([rows[i] for i in batch]), target, pos_weight=weight
                )
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                optimizer.step()
                total += loss.item() * len(batch)
            losses.append(total / len(rows))
        return losses

    def __call__(self, stories: Sequence[str], batch_size: int = 64) -> list[float]:
        """Scores 0..1 of stories, in order, higher is better."""
        rows = self.rows(stories)
        scores = [0.0] * len(rows)
        self.model.eval()
        with torch.inference_mode():
            for batch in length_batches([sum(map(len, row)) for row in rows], batch_size):
                for i, score in zip(
                    batch, torch.sigmoid(self.logits([rows[i] for i in batch])).tolist(), strict=True
                ):
                    scores[i] = score
        return scores
