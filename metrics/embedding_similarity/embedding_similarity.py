"""Similarity of texts by contextual embeddings of their words: MoverScore (Zhao et al., EMNLP 2019)."""

import datasets
import evaluate
import torch
import transformers
from tqdm.auto import tqdm

from .encoder import find_checkpoint
from .encoder import load_checkpoint
from .inference import Normalizer
from .mover_score import mover_score
from .scoring import MoverScorer
from .version import __version__

# evaluate copies only the siblings that this file imports itself
__all__ = ["EmbeddingSimilarity", "Normalizer", "mover_score"]

HUB_IDS = {"default": "openmeva/embedding-similarity"}

_DESCRIPTION = """
MoverScore compares a text with a reference by the least work of moving the words of one to those of the other,
words being contextual embeddings. The transport problem is solved exactly. Higher is more alike.
"""

_CITATION = """
@inproceedings{zhao-etal-2019-moverscore,
    title = "{M}over{S}core: Text Generation Evaluating with Contextualized Embeddings and Earth Mover Distance",
    author = "Zhao, Wei and Peyrard, Maxime and Liu, Fei and Gao, Yang and Meyer, Christian M. and Eger, Steffen",
    booktitle = "Proceedings of EMNLP-IJCNLP 2019",
    year = "2019",
    pages = "563--578",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: texts, a list of strings, raw or tokenised.
    references: one text a prediction.
    batch_size: texts encoded at once.
    device: "cpu", "cuda", ...; chosen by itself where not given.
    dtype: "auto" (bfloat16 where the processor multiplies it natively), "float32" or "bfloat16".
    show_progress: a progress bar, which shows after five seconds.
Returns:
    mover_score: the mean of the scores, -1 to 1.
    mover_scores: one a pair, in order, -1 to 1, 1 for equal texts; higher is more alike.
Raises:
    ValueError: no texts; a row that is no text, is blank or has no word; a text beyond 512 tokens.
Examples:
    >>> similarity = evaluate.load("metrics/embedding_similarity")
    >>> near, far = similarity.compute(
    ...     predictions=["He employed a lawyer.", "It rained in May."],
    ...     references=["He hired an attorney.", "He hired an attorney."],
    ... )["mover_scores"]
    >>> near > far
    True
"""


class EmbeddingSimilarity(evaluate.Metric):
    """The evaluate module; `config_name` is `default`, a folder or a Hub id."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
            ),
            reference_urls=["https://aclanthology.org/D19-1053"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        name = self.config_name or "default"
        folder = find_checkpoint("embedding_similarity", name, __file__, HUB_IDS)
        checkpoint = load_checkpoint(folder, "embedding_similarity")
        self._scorer = MoverScorer(checkpoint)
        self._revision = f"{name}@{checkpoint.revision}"

    def signature(self, dtype: str = "auto") -> str:
        """What a score depends on: checkpoint, revision, maximum length, precision and versions."""
        return "|".join(
            [
                "mover_score",
                f"checkpoint:{self._revision}",
                f"max_length:{self._scorer.max_length}",
                f"dtype:{dtype}",
                f"version:{__version__}",
                f"torch:{torch.__version__}",
                f"transformers:{transformers.__version__}",
            ]
        )

    def _compute(self, predictions, references, batch_size=64, device=None, dtype="auto", show_progress=True):
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size: expected a whole number above 0, got {batch_size!r}")

        def progress(batches, texts):
            return tqdm(
                batches, desc=f"mover_score, {texts} texts", unit="batch", delay=5, disable=not show_progress
            )

        pairs = list(zip(predictions, references, strict=True))
        scores = self._scorer.scores(pairs, batch_size, device, dtype, progress)
        return {"mover_score": sum(scores) / len(scores), "mover_scores": scores}
