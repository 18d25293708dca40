"""The sentence similarity for semantic repetition, paraphrase and the selection of weakly related stories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from openmeva.training.perturbations.engine.material import Similarity

if TYPE_CHECKING:
    from openmeva.metrics.embedding_similarity.embedding import TextEncoder

_MAX_CACHED = 1 << 14
# Scores from bfloat16 states were within .0016 of those from float32, on 3,900 pairs of ROC and WP sentences.
_MARGIN = 0.01
_ROUGH, _EXACT = "auto", "float32"


class MoverSimilarity:
    """MoverScore on the shared encoder, as in `metrics/embedding_similarity`.

    The model loads at the first call, separately in each process. Sentence embeddings are cached, since each is
    compared with many others. Scores are computed in float32, so that thresholds do not depend on batching. To
    compare scores with a threshold, bfloat16 decides clear cases, in half the time on CPUs that support it.

    Args:
        device: "cpu", "cuda", …; default: chosen automatically.
        batch_size: sentences encoded at once.
        max_cached: maximum number of cached sentences, about 20 KB each.
    """

    def __init__(
        self, device: str | None = None, batch_size: int = 64, max_cached: int = _MAX_CACHED
    ) -> None:
        self.device = device
        self.batch_size = batch_size
        self.max_cached = max_cached
        self._encoder: TextEncoder | None = None
        self._cache: dict[str, dict[str, np.ndarray]] = {_ROUGH: {}, _EXACT: {}}

    def __getstate__(self) -> dict[str, Any]:
        """Settings only: each process loads the model itself."""
        return {**MoverSimilarity(self.device, self.batch_size, self.max_cached).__dict__}

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """MoverScore of each pair, in order, -1 to 1; higher is more similar.

        Raises:
            ValueError: the encoder's weights are missing or damaged (the file is named), or a text has no
                words.
        """
        return self._scores(pairs, _EXACT)

    def are_similar(self, pairs: Sequence[tuple[str, str]], threshold: float) -> list[bool]:
        """Whether each pair has at least a similarity of `threshold`.

        Raises:
            ValueError: as `__call__`.
        """
        scores = self._scores(pairs, _ROUGH)
        near = [index for index, score in enumerate(scores) if abs(score - threshold) < _MARGIN]
        for index, score in zip(near, self([pairs[index] for index in near]), strict=True):
            scores[index] = score
        return [score >= threshold for score in scores]

    def any_similar(self, pairs: Sequence[tuple[str, str]], threshold: float) -> bool:
        """Whether at least one of the pairs has a similarity of at least `threshold`.

        Raises:
            ValueError: as `__call__`.
        """
        scores = self._scores(pairs, _ROUGH)
        if max(scores, default=-1.0) >= threshold + _MARGIN:
            return True
        near = [pair for pair, score in zip(pairs, scores, strict=True) if score >= threshold - _MARGIN]
        return any(score >= threshold for score in self(near))

    def prepare(self, texts: Sequence[str]) -> None:
        """Encodes texts that will be compared: a batch takes a third of the time of encoding pair by pair.

        Raises:
            ValueError: as `__call__`.
        """
        self._embed(texts, _ROUGH)

    def _scores(self, pairs: Sequence[tuple[str, str]], dtype: str) -> list[float]:
        from openmeva.metrics.embedding_similarity.mover_score import mover_score

        self._embed([text for pair in pairs for text in pair], dtype)
        cached = self._cache[dtype]
        return [mover_score(cached[first], cached[second]) for first, second in pairs]

    def _embed(self, texts: Sequence[str], dtype: str) -> None:
        cached = self._cache[dtype]
        if len(cached) > self.max_cached:
            cached.clear()
        new = [text for text in dict.fromkeys(texts) if text not in cached]
        if new:
            embedded = self._load().embed(new, self.batch_size, self.device, dtype)
            cached.update((text, embedding.vectors) for text, embedding in zip(new, embedded, strict=True))

    def _load(self) -> TextEncoder:
        if self._encoder is None:
            from openmeva.metrics.core.checkpoint import find_checkpoint
            from openmeva.metrics.embedding_similarity import embedding_similarity as module
            from openmeva.metrics.embedding_similarity.embedding import TextEncoder

            folder = find_checkpoint("embedding_similarity", "encoder", module.HUB_IDS)
            self._encoder = TextEncoder(folder)
        return self._encoder


def any_similar(similarity: Similarity, pairs: Sequence[tuple[str, str]], threshold: float) -> bool:
    """Whether at least one of the pairs has a similarity of at least `threshold`; for any similarity function."""
    if isinstance(similarity, MoverSimilarity):
        return similarity.any_similar(pairs, threshold)
    return max(similarity(pairs), default=-1.0) >= threshold
