"""The similarity that semantic repetition, paraphrase and the choice of weakly related stories go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metrics.embedding_similarity.scoring import MoverScorer

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
        self._scorer: MoverScorer | None = None
        self._kept: dict[str, np.ndarray] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Settings only: a process loads the model anew."""
        return {"device": self.device, "batch_size": self.batch_size, "_scorer": None, "_kept": {}}

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """MoverScore of each pair, in order, -1 to 1, higher is more alike.

        Raises:
            ValueError: the encoder's weights are missing or damaged (the file is named), or a text has no
                word.
        """
        from metrics.embedding_similarity.mover_score import mover_score

        texts = dict.fromkeys(text for pair in pairs for text in pair)
        if len(self._kept) > _KEPT:
            self._kept.clear()
        new = [text for text in texts if text not in self._kept]
        self._kept.update(
            zip(new, self._load().embed(new, self.batch_size, self.device, "float32"), strict=True)
        )
        return [mover_score(self._kept[first], self._kept[second]) for first, second in pairs]

    def _load(self) -> MoverScorer:
        if self._scorer is None:
            from metrics.embedding_similarity import embedding_similarity as module
            from metrics.embedding_similarity.encoder import find_checkpoint, load_checkpoint
            from metrics.embedding_similarity.scoring import MoverScorer

            folder = find_checkpoint("embedding_similarity", "default", str(module.__file__), module.HUB_IDS)
            self._scorer = MoverScorer(load_checkpoint(folder, "embedding_similarity"))
        return self._scorer
