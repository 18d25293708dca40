"""Trains SENTAVG and applies it to texts."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.core.backbone import encoder_state
from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.runtime import pad
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.sentavg.modeling import SentAvg, word_vectors
from openmeva.training.common.backbone import SHARED, backbone_tokenizer, find_backbone
from openmeva.training.paths import NAMES_FILE
from openmeva.training.sentavg.config import SentAvgSettings
from openmeva.training.sentavg.glove import read_glove


class SentAvgTrainer:
    """Trains the baseline and scores stories with it.

    Args:
        settings: see `SentAvgSettings`.
        vectors, tokenizer: word vectors (tokens, width) and their tokenizer; default: the shared encoder's.
        seed: of all random sampling.
    """

    def __init__(
        self,
        settings: SentAvgSettings | None = None,
        vectors: Tensor | None = None,
        tokenizer: Tokenizer | None = None,
        seed: int = 42,
    ) -> None:
        self.settings, self.seed = settings or SentAvgSettings(), seed
        torch.manual_seed(seed)
        base = find_backbone(SHARED)
        self.tokenizer = tokenizer or backbone_tokenizer(base)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        if vectors is None:
            vectors = encoder_state(base.folder)["bert.embeddings.word_embeddings.weight"]
        self.normalizer = Normalizer.load(NAMES_FILE)
        self.model = SentAvg(vectors.shape[0], vectors.shape[1], self.settings.hidden)
        self.model.words.weight.copy_(word_vectors(vectors))

    @classmethod
    def on_glove(
        cls, path: Path, stories: Sequence[str], settings: SentAvgSettings | None = None, seed: int = 42
    ) -> "SentAvgTrainer":
        """A trainer with GloVe's vectors for the words of some stories; other words are unknown.

        Raises:
            ValueError, OSError: as `read_glove`.
        """
        normalizer = Normalizer.load(NAMES_FILE)
        words = {
            word.lower() for story in stories for sentence in normalizer.sentences(story) for word in sentence
        }
        return cls(settings, *read_glove(path, words | normalizer.names.keys()), seed)

    def rows(self, stories: Sequence[str]) -> list[list[list[int]]]:
        """Token ids of each sentence of each story.

        Raises:
            ValueError: a story without words (the row is named).
        """
        encoded_stories = []
        for row, text in enumerate(stories):
            sentences = [" ".join(words) for words in self.normalizer.sentences(text)]
            if not sentences:
                raise ValueError(f"row {row}: expected a story with words, got {text[:60]!r}")
            encoded = self.tokenizer.encode_batch(
                sentences[: self.settings.sentences], add_special_tokens=False
            )
            ids = [e.ids[: self.settings.tokens_per_sentence] for e in encoded if e.ids]
            if not ids:  # only characters that the tokenizer drops
                raise ValueError(f"row {row}: expected a story with words, got {text[:60]!r}")
            encoded_stories.append(ids)
        return encoded_stories

    def logits(self, rows: Sequence[list[list[int]]]) -> Tensor:
        """Logits (n,) of stories that are given as token ids."""
        ids, mask = pad([sentence for row in rows for sentence in row], 0)
        story = torch.tensor([number for number, row in enumerate(rows) for _ in row])
        return self.model.score(self.model.encode(ids, mask), story, len(rows))

    def fit(self, stories: Sequence[str], labels: Sequence[int]) -> list[float]:
        """Trains on stories and labels (1 human-written, 0 other; equal total weights); returns the mean loss of each epoch."""
        rows = self.rows(stories)
        share = sum(labels) / len(labels)
        weight = torch.tensor((1 - share) / share if 0 < share < 1 else 1.0)
        rng = np.random.default_rng(self.seed)
        optimizer = torch.optim.Adam(
            [p for p in self.model.parameters() if p.requires_grad], lr=self.settings.learning_rate
        )
        losses = []
        self.model.train()
        for _ in track(range(self.settings.epochs), "training SENTAVG"):
            sizes = [
                sum(map(len, row)) + int(rng.integers(8)) for row in rows
            ]  # different batches in each epoch
            batches = list(length_batches(sizes, self.settings.batch))
            total = 0.0
            for number in rng.permutation(len(batches)):
                batch = batches[number]
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
        """Scores of stories, 0 to 1, in order; higher is better."""
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
