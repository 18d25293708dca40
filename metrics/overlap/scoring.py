"""Word overlap of a text with its references: sentence BLEU, ROUGE and METEOR."""

from collections.abc import Iterable, Sequence
from typing import Any

from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.metrics import BLEU

from openmeva.metrics.core.batching import Progress
from openmeva.metrics.core.inputs import no_words
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.overlap.meteor import find_wordnet, meteor

SCORES = ("bleu", "rouge1", "rouge2", "rougeL", "meteor")


class OverlapScorer:
    """Scores texts against their references by the words that they share.

    Texts are normalised first (`Normalizer`: lower case, Penn Treebank tokens, a placeholder such as `[MALE]` is one
    word), so raw and tokenised texts get the same scores.
    """

    def __init__(self) -> None:
        self._normalizer = Normalizer()
        # Add .1 to a numerator of 0: method 1 of Chen and Cherry (2014).
        self._bleu = BLEU(tokenize="none", smooth_method="floor", smooth_value=0.1, effective_order=True)
        self._bleu.num_refs = -1  # part of sacrebleu's signature; it varies
        self._rouge_words = DefaultTokenizer(
            use_stemmer=False
        )  # without a tokenizer, rouge-score logs through absl, which takes over logging

    def scores(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        chosen: Sequence[str] = SCORES,
        progress: Progress | None = None,
    ) -> dict[str, list[float]]:
        """The chosen ones of `SCORES`, one number per row, 0 to 1, higher is more similar.

        Args:
            predictions: texts.
            references: for each text, at least one.
            chosen: which scores to compute.
            progress: wraps the rows.

        Raises:
            ValueError: a text without words (the row is named), or METEOR without WordNet.
        """
        if "meteor" in chosen:
            find_wordnet()
        all_scores: dict[str, list[float]] = {name: [] for name in SCORES if name in chosen}
        rows: Iterable[Any] = list(zip(predictions, references, strict=True))
        for row, (text, row_references) in enumerate(progress(rows, len(predictions)) if progress else rows):
            words = self._words(text, "predictions", row)
            targets = [self._words(reference, "references", row) for reference in row_references]
            row_scores = self._score(words, targets, chosen)
            for name, values in all_scores.items():
                values.append(row_scores[name])
        return all_scores

    def signature(self) -> str:
        """sacrebleu's signature of BLEU, which names its version, tokenization and smoothing."""
        signature: Any = self._bleu.get_signature()
        return ",".join(part for part in str(signature).split("|") if not part.startswith("nrefs:"))

    def _words(self, text: str, column: str, row: int) -> list[str]:
        words = [word for sentence in self._normalizer.sentences(text) for word in sentence]
        if not words:
            raise no_words(column, row, text)
        return words

    def _score(self, words: list[str], targets: list[list[str]], chosen: Sequence[str]) -> dict[str, float]:
        line, lines = " ".join(words), [" ".join(target) for target in targets]
        scores: dict[str, float] = {}
        if "bleu" in chosen:
            scores["bleu"] = min(self._bleu.sentence_score(line, lines).score / 100, 1.0)  # rounding
        if rouge_names := [name for name in ("rouge1", "rouge2", "rougeL") if name in chosen]:
            rouge = RougeScorer(rouge_names, tokenizer=self._rouge_words).score_multi(lines, line)
            scores |= {name: float(score.fmeasure) for name, score in rouge.items()}  # 0 is an int there
        if "meteor" in chosen:
            scores["meteor"] = meteor(words, targets)
        return scores
