"""The similarity that semantic repetition, paraphrase and the choice of weakly related stories go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metrics.embedding_similarity.embedding import TextEncoder

_KEPT = 1 << 14


class MoverSimilarity:
    """MoverScore on the shared encoder, as `metrics/embedding_similarity` has it.

    The model loads at the first call, in each process by itself. Embeddings of sentences are kept, since each
    is compared with many. Computed in float32, so that thresholds do not depend on how sentences are batched.

    Args:
        device: "cpu", "cuda", …; chosen by itself where not given.
        batch_size: sentences encoded at once.
    """

    def __init__(self, device: str | None = None, batch_size: int = 64) -> None:
        self.device = device
        self.batch_size = batch_size
        self._encoder: TextEncoder | None = None
        self._kept: dict[str, np.ndarray] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Settings only: a process loads the model anew."""
        return {"device": self.device, "batch_size": self.batch_size, "_encoder": None, "_kept": {}}

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """MoverScore of each pair, in order, -1 to 1, higher is more alike.

        Raises:
            ValueError: the encoder's weights are missing or damaged (the file is named), or a text has no
                word.
        """
        from metrics.embedding_similarity.mover_score import mover_score

        self.prepare([text for pair in pairs for text in pair])
        return [mover_score(self._kept[first], self._kept[second]) for first, second in pairs]

    def prepare(self, texts: Sequence[str]) -> None:
        """Encode texts that are going to be compared: many at once take a third of the time of pair by pair.

        Raises:
            ValueError: as `__call__`.
        """
        if len(self._kept) > _KEPT:
            self._kept.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if not new:
            return
        embedded = self._load().embed(new, self.batch_size, self.device, "float32")
        self._kept.update((text, one.vectors) for text, one in zip(new, embedded, strict=True))

    def _load(self) -> TextEncoder:
        if self._encoder is None:
            from metrics.embedding_similarity import embedding_similarity as module
            from metrics.embedding_similarity.embedding import TextEncoder
            from metrics.embedding_similarity.encoder import find_checkpoint

            folder = find_checkpoint("embedding_similarity", "encoder", str(module.__file__), module.HUB_IDS)
            self._encoder = TextEncoder(folder)
        return self._encoder
