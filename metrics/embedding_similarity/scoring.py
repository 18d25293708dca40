"""The nine similarities of texts and references; each text is encoded once."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.core.inputs import RowError, no_words
from openmeva.metrics.embedding_similarity.embedding import EmbeddedText, TextEncoder
from openmeva.metrics.embedding_similarity.matching import (
    bert_score,
    greedy_matching,
    min_max_pooling,
    vector_average,
    vector_extrema,
)
from openmeva.metrics.embedding_similarity.mover_score import bigrams, mover_score

SCORES = (
    "greedy_matching",
    "vector_average",
    "vector_extrema",
    "min_max_pooling",
    "bertscore_precision",
    "bertscore_recall",
    "bertscore_f1",
    "moverscore_1",
    "moverscore_2",
)
BERT_SCORES = ("bertscore_precision", "bertscore_recall", "bertscore_f1")

MAX_PAIRS = 100_000_000  # pairs of tokens of two texts: some gigabytes of distances
# of distinct texts that are embedded at once, and of those kept for later rows: about 1.5 GB with the shared encoder,
# whose embeddings take 3 KB for four characters, a token's and its share of a word's
_CHARACTERS = 2_000_000
_ROWS = 1024  # number of rows that are embedded at once


class InverseDocumentFrequency:
    """Inverse document frequency of tokens or words: ln((N + 1) / (n + 1)) for n of N documents.

    As in the package `bert_score`, the N documents are the references, duplicates included.
    """

    def __init__(self, documents: Iterable[Iterable[Any]]) -> None:
        self._counts: Counter[Any] = Counter()
        self._documents = 0
        for document in documents:
            self._counts.update(set(document))
            self._documents += 1

    def __call__(self, items: Iterable[Any]) -> np.ndarray:
        """The weight of each item; all 1 where all weights would be 0."""
        weights = np.array([math.log((self._documents + 1) / (self._counts[item] + 1)) for item in items])
        return weights if weights.sum() > 0 else np.ones_like(weights)


class SimilarityScorer:
    """Scores texts against references with one encoder, loaded once."""

    def __init__(self, encoder: TextEncoder) -> None:
        self.encoder = encoder

    def scores(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        chosen: Sequence[str] = SCORES,
        idf: bool = False,
        baseline: Mapping[str, float] | None = None,
        layer: int | None = None,
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = "auto",
        progress: Progress | None = None,
    ) -> dict[str, list[float]]:
        """The chosen ones of `SCORES`, one number per row, -1 to 1 unless rescaled, higher is more similar.

        Args:
            predictions: texts.
            references: for each text, at least one; each score is the highest over the references.
            chosen: which scores to compute.
            idf: whether BERTScore's tokens and MoverScore's words are weighted by `InverseDocumentFrequency`.
            baseline: mean BERTScore of unrelated texts, by the names of `BERT_SCORES`; scores are rescaled so that
                this is 0.
            layer, batch_size, device, dtype: see `TextEncoder.embed`.
            progress: wraps the batches of the encoder.

        Raises:
            ValueError: a text without words or two texts too long to compare (the row is named), or no such layer.
        """
        self._check(predictions, references)
        weights = self._token_weights(references) if idf else None
        best_scores: dict[str, list[float]] = {name: [] for name in SCORES if name in chosen}
        last = {text: row for row, texts in enumerate(references) for text in (*texts, predictions[row])}
        embedded: dict[str, EmbeddedText] = {}
        for rows in _row_groups(predictions, references):
            texts = dict.fromkeys(t for row in rows for t in (predictions[row], *references[row]))
            new = [text for text in texts if text not in embedded]
            embedded.update(
                zip(new, self.encoder.embed(new, batch_size, device, dtype, layer, progress), strict=True)
            )
            for row in rows:
                for text in references[row]:
                    _check_lengths(row, embedded[predictions[row]], embedded[text])
                several = [
                    self._pair(embedded[predictions[row]], embedded[text], chosen, weights)
                    for text in references[row]
                ]
                for name, values in best_scores.items():
                    best = max(pair_scores[name] for pair_scores in several)
                    values.append(_rescaled(best, baseline[name]) if baseline and name in baseline else best)
            recent = [*(text for text in embedded if text not in texts), *texts]  # the latest used last
            kept = _latest([text for text in recent if last[text] >= rows.stop])
            embedded = {text: embedded[text] for text in kept}
        return best_scores

    def _check(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:
        seen: set[str] = set()
        for row, (text, text_references) in enumerate(zip(predictions, references, strict=True)):
            for name, candidate in (
                ("predictions", text),
                *(("references", reference) for reference in text_references),
            ):
                if candidate not in seen and not self.encoder.has_words(candidate):
                    raise no_words(name, row, candidate)
                seen.add(candidate)

    def _token_weights(
        self, references: Sequence[Sequence[str]]
    ) -> tuple[InverseDocumentFrequency, InverseDocumentFrequency]:
        """Inverse document frequencies of tokens and of words, over all references."""
        prepared = [self.encoder.pieces(text) for texts in references for text in texts]
        return (
            InverseDocumentFrequency(ids for ids, _ in prepared),
            InverseDocumentFrequency(words for _, words in prepared),
        )

    def _pair(
        self,
        text: EmbeddedText,
        reference: EmbeddedText,
        chosen: Sequence[str],
        weights: tuple[InverseDocumentFrequency, InverseDocumentFrequency] | None,
    ) -> dict[str, float]:
        pair_scores: dict[str, float] = {}
        for name, score in (
            ("greedy_matching", greedy_matching),
            ("vector_average", vector_average),
            ("vector_extrema", vector_extrema),
            ("min_max_pooling", min_max_pooling),
        ):
            if name in chosen:
                pair_scores[name] = score(text.vectors, reference.vectors)
        if not set(BERT_SCORES).isdisjoint(chosen):
            tokens = [_without_special(t, weights[0] if weights else None) for t in (text, reference)]
            pair_scores |= zip(BERT_SCORES, bert_score(text.tokens, reference.tokens, *tokens), strict=True)
        words = [weights[1](t.words) if weights else np.ones(len(t.words)) for t in (text, reference)]
        if "moverscore_1" in chosen:
            pair_scores["moverscore_1"] = mover_score(text.vectors, reference.vectors, *words)
        if "moverscore_2" in chosen:
            first, second = bigrams(text.vectors, words[0]), bigrams(reference.vectors, words[1])
            pair_scores["moverscore_2"] = mover_score(first[0], second[0], first[1], second[1])
        return pair_scores


def _row_groups(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[range]:
    """Rows that are embedded at once: as many as `_ROWS` and `_CHARACTERS` allow, at least one."""
    start, texts, size = 0, set[str](), 0
    for row, (text, text_references) in enumerate(zip(predictions, references, strict=True)):
        own = {text, *text_references}
        more = sum(map(len, own - texts))
        if row > start and (row - start == _ROWS or size + more > _CHARACTERS):
            yield range(start, row)
            start, texts, size, more = row, set(), 0, sum(map(len, own))
        texts |= own
        size += more
    if predictions:
        yield range(start, len(predictions))


def _latest(texts: Sequence[str]) -> list[str]:
    """The last of the texts, in order, that have at most `_CHARACTERS` together."""
    sizes = accumulate(map(len, reversed(texts)))
    return list(texts[len(texts) - sum(size <= _CHARACTERS for size in sizes) :])


def _check_lengths(row: int, text: EmbeddedText, reference: EmbeddedText) -> None:
    tokens = len(text.tokens), len(reference.tokens)
    if math.prod(tokens) > MAX_PAIRS:
        raise RowError(
            "predictions",
            row,
            f"expected at most {MAX_PAIRS:,} pairs of tokens of a text and its reference, "
            f"got {tokens[0]:,} and {tokens[1]:,} tokens",
        )


def _without_special(text: EmbeddedText, weights: InverseDocumentFrequency | None) -> np.ndarray:
    """Weights of a text's tokens (t,): 0 for special tokens; their sum is above 0."""
    token_weights = np.where(text.special, 0.0, 1.0)
    if weights:
        token_weights[~text.special] = weights(text.ids[~text.special])
    return token_weights


def _rescaled(score: float, baseline: float) -> float:
    return (score - baseline) / (1 - baseline)
