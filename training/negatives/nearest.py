"""Hard negatives by nearest neighbours: sentences of other stories with close embeddings."""

from collections.abc import Sequence

import numpy as np
import torch
from rich.progress import track
from torch import Tensor

from openmeva.metrics.core.batching import length_batches
from openmeva.metrics.core.runtime import choose_device, choose_dtype, pad, token_id
from openmeva.training.common.backbone import SHARED, backbone_tokenizer, find_backbone, load_encoder

Words = Sequence[str]
OPENING_SENTENCES = 2  # number of sentences that the similarity of stories is computed from


class TextEmbedder:
    """Mean hidden states of the shared encoder's last layer, with L2 norm 1."""

    def __init__(self) -> None:
        base = find_backbone(SHARED)
        self.tokenizer = backbone_tokenizer(base)
        self.model = load_encoder(base, attn_implementation="eager")
        self.device = choose_device(None)
        self.model.eval().to(self.device, choose_dtype("auto", self.device))
        self.ends = [token_id(self.tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]")]

    def __call__(self, texts: Sequence[Words], batch_size: int = 128, limit: int = 64) -> Tensor:
        """Vectors (n, width), float32, of n texts (lists of words), which are truncated to `limit` tokens."""
        first, last, padding = self.ends
        encodings = self.tokenizer.encode_batch(
            [" ".join(words) for words in texts], add_special_tokens=False
        )
        rows = [[first, *encoding.ids[: limit - 2], last] for encoding in encodings]
        vectors = torch.empty(len(rows), self.model.config.hidden_size)
        batches = list(length_batches([len(row) for row in rows], batch_size))
        with torch.inference_mode():
            for batch in track(batches, f"embedding {len(rows):,} texts"):
                ids, mask = (t.to(self.device) for t in pad([rows[i] for i in batch], padding))
                hidden = self.model(ids, attention_mask=mask).last_hidden_state.float()
                weight = mask.unsqueeze(-1).float()
                vectors[batch] = ((hidden * weight).sum(1) / weight.sum(1)).cpu()
        return torch.nn.functional.normalize(vectors, dim=1)


def nearest_indices(queries: Tensor, pool: Tensor, count: int, block: int = 1024) -> np.ndarray:
    """Indices (n, count) into `pool` (m, width) of the rows of largest dot product with each query (n, width).

    >>> nearest_indices(torch.eye(2), torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]]), 2).tolist()
    [[1, 2], [0, 2]]
    """
    count = min(count, len(pool))
    parts = [(part @ pool.T).topk(count, dim=1).indices for part in queries.split(block)]
    return torch.cat(parts).numpy()


class Neighbours:
    """Stories of a corpus with the most similar openings, and sentences similar to given ones.

    Args:
        stories: the corpus: words by sentence.
        chosen: indices of the stories that need neighbours, all of them in `pool`.
        pool: indices of the stories that can be neighbours.
        count: number of neighbours per story.
        sentences: number of stories of the pool whose sentences `similar_sentences` searches.
        embed: maps texts (lists of words) to unit vectors; default: the shared encoder's mean hidden states.
    """

    def __init__(
        self,
        stories: Sequence[Sequence[Words]],
        chosen: Sequence[int],
        pool: Sequence[int],
        count: int = 30,
        sentences: int = 8000,
        embed: "TextEmbedder | None" = None,
    ) -> None:
        embed = embed or TextEmbedder()
        self.stories = stories

        def opening(i: int) -> list[str]:
            return [word for sentence in stories[i][:OPENING_SENTENCES] for word in sentence]

        vectors = embed([opening(i) for i in pool])
        index = {i: number for number, i in enumerate(pool)}
        nearest = nearest_indices(vectors[[index[i] for i in chosen]], vectors, count + 1)
        self.similar_stories = {
            i: [pool[j] for j in row if pool[j] != i][:count] for i, row in zip(chosen, nearest, strict=True)
        }
        # sentences after the first seldom introduce a character, so they fit other stories
        self.pool_sentences = [words for i in pool[:sentences] for words in stories[i][1:]]
        self._vectors = embed(self.pool_sentences)
        self._embed = embed

    def similar_sentences(self, sentences: Sequence[Words], count: int = 8) -> list[list[list[str]]]:
        """For each sentence, the `count` nearest sentences with a different wording, nearest first."""
        nearest = nearest_indices(self._embed(sentences), self._vectors, count + 2)
        return [
            [list(self.pool_sentences[j]) for j in row if list(self.pool_sentences[j]) != list(words)][:count]
            for words, row in zip(sentences, nearest, strict=True)
        ]
