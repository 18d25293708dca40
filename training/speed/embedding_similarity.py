"""Embedding similarity compared with the `bert_score` package, with the same encoder and batch size."""

import warnings

from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import SCORES, SimilarityScorer
from openmeva.training.paths import ENCODER, ROOT
from openmeva.training.speed.parts import Rows, bench_stories, seconds

_BATCH = 64


def embedding_similarity_rows(pairs: int = 1000) -> Rows:
    """Time of all nine scores for pairs of stories, compared with BERTScore only, by the package."""
    from bert_score import BERTScorer

    stories = bench_stories(2 * pairs)
    predictions, references = stories[:pairs], stories[pairs:]
    settings = ROOT / "metrics" / "embedding_similarity" / "weights" / "encoder"
    scorer = SimilarityScorer(TextEncoder(settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = BERTScorer(
            model_type=str(ENCODER),
            num_layers=scorer.encoder.layers,
            batch_size=_BATCH,
            device="cpu",
        )
    package._model.float()  # transformers loads half precision from the files, which is slow on a CPU
    lists = [[text] for text in references]

    def ours(dtype: str, count: int = pairs) -> None:
        scorer.scores(predictions[:count], lists[:count], batch_size=_BATCH, device="cpu", dtype=dtype)

    package.score(predictions[:_BATCH], references[:_BATCH], batch_size=_BATCH)
    usual = seconds(lambda: package.score(predictions, references, batch_size=_BATCH))
    rows: Rows = [(f"bert_score package, {pairs:,} pairs (float32)", f"{usual:.1f} s", "1", "")]
    for dtype, target in (("float32", ""), ("auto", "1")):
        ours(dtype, _BATCH)
        time = seconds(lambda dtype=dtype: ours(dtype))  # type: ignore[misc]
        title = f"embedding_similarity, all {len(SCORES)} scores, {pairs:,} pairs ({dtype})"
        rows.append((title, f"{time:.1f} s", f"{usual / time:.1f}", target))
    return rows
