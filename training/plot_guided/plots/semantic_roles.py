"""WritingPrompts' plots by a semantic-role labeller of the Hub, as in the paper (Fan et al. 2019; section 5.1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.plot_guided.plots.verbs import LIGHT_VERBS, VERBS

PREFIX = "srl:"  # prefix of a model's id or folder in the name of an extractor
OUTSIDE = "O"


class SemanticRoles:
    """Verbs and their arguments from a BERT for semantic-role labelling (Shi and Lin 2019).

    The input is a sentence and, as the second text, one of its verbs. The model labels the words in the BIO scheme
    (`B-V`, `B-ARG0`, `I-ARG0`, …). Verbs are found by their tags; every argument counts as a phrase.

    Args:
        model: Hub id or folder of a token classification model with a fast tokenizer.

    Raises:
        ValueError: the model's labels are not in the BIO scheme.
    """

    def __init__(self, model: str) -> None:
        from transformers import AutoModelForTokenClassification, AutoTokenizer

        self._tokenizer: Any = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
        self._model: Any = AutoModelForTokenClassification.from_pretrained(
            model, trust_remote_code=False
        ).eval()
        self._labels: dict[int, str] = self._model.config.id2label
        if not any(label.startswith("B-") for label in self._labels.values()):
            raise ValueError(
                f"{model}: expected labels such as B-ARG0, got {', '.join(sorted(self._labels.values())[:5])}"
            )

    def __call__(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]],
        rng: np.random.Generator | None = None,
    ) -> Plot:
        """The phrases of each sentence, in order, without duplicates; `rng` is not used."""
        return [self._phrases(words, line) for words, line in zip(sentences, tags, strict=True)]

    def _phrases(self, words: Sequence[str], tags: Sequence[str]) -> list[str]:
        verbs = [
            w for w, tag in zip(words, tags, strict=True) if tag in VERBS and w.lower() not in LIGHT_VERBS
        ]
        spans = {span for verb in dict.fromkeys(verbs) for span in role_spans(self._label(words, verb))}
        return [" ".join(words[start:end]) for start, end in sorted(spans)]

    @torch.inference_mode()
    def _label(self, words: Sequence[str], verb: str) -> list[str]:
        """The label of each word, which is that of its first wordpiece; 'O' past the model's maximum length."""
        encoded = self._tokenizer(
            list(words), [verb], is_split_into_words=True, truncation="only_first", return_tensors="pt"
        )
        best = self._model(**encoded).logits[0].argmax(-1).tolist()
        labels = [OUTSIDE] * len(words)
        pairs = zip(encoded.word_ids(0), encoded.sequence_ids(0), best, strict=True)
        for word, text, label in reversed(list(pairs)):
            if text == 0 and word is not None:
                labels[word] = self._labels[label]
        return labels


def role_spans(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Spans (end exclusive) of the roles in BIO labels; an `I-` without a `B-` begins a span.

    >>> role_spans(["B-ARG0", "I-ARG0", "O", "B-V", "B-ARG1"])
    [(0, 2), (3, 4), (4, 5)]
    """
    spans: list[tuple[int, int]] = []
    previous = OUTSIDE
    for index, label in enumerate(labels):
        if label != OUTSIDE:
            goes_on = label.startswith("I-") and previous[2:] == label[2:]
            spans.append((spans.pop()[0] if goes_on else index, index + 1))
        previous = label
    return spans
