"""An ensemble of classifiers: the mean of their scores, scaled to unit standard deviation."""

from collections.abc import Callable, Sequence

import numpy as np

from openmeva.training.plot_guided.adversarial_filtering.filtering import TextClassifier
from openmeva.training.plot_guided.adversarial_filtering.lstm import LstmMember
from openmeva.training.plot_guided.adversarial_filtering.ngrams import LinearMember, ngram_matrix
from openmeva.training.plot_guided.adversarial_filtering.probe import encoder_features
from openmeva.training.text.tagger.tagging import tag

WORD_NGRAMS, TAG_NGRAMS = 2, 4


def _words(texts: Sequence[str]) -> TextClassifier:
    return LinearMember(ngram_matrix([text.split() for text in texts], WORD_NGRAMS))


def _tags(texts: Sequence[str]) -> TextClassifier:
    return LinearMember(ngram_matrix(tag([text.split() for text in texts]), TAG_NGRAMS))


def _encoder(texts: Sequence[str]) -> TextClassifier:
    return LinearMember(encoder_features(texts), penalty=10.0)


MEMBERS: dict[str, Callable[[Sequence[str]], TextClassifier]] = {
    "words": _words,
    "tags": _tags,
    "encoder": _encoder,
    "lstm": LstmMember,
}


class Committee:
    """The mean of its members' scores, each divided by its standard deviation.

    Args:
        members: one classifier or more.
    """

    def __init__(self, members: Sequence[TextClassifier]) -> None:
        if not members:
            raise ValueError("expected at least one member, got none")
        self._members = list(members)
        self._standard_deviations = [1.0] * len(members)

    @classmethod
    def of(cls, names: Sequence[str], texts: Sequence[str]) -> "Committee":
        """A committee of members by name, over the texts that rows refer to.

        Raises:
            ValueError: an unknown member.
        """
        unknown = [name for name in names if name not in MEMBERS]
        if unknown or not names:
            raise ValueError(f"expected members of {', '.join(MEMBERS)}, got {', '.join(unknown) or 'none'}")
        return cls([MEMBERS[name](texts) for name in names])

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Trains every member, and computes the standard deviation of its scores on the training rows."""
        for index, member in enumerate(self._members):
            member.fit(rows, labels, rng)
            self._standard_deviations[index] = max(float(member.score(rows).std()), 1e-9)

    def score(self, rows: np.ndarray) -> np.ndarray:
        """The members' mean, (n,)."""
        scores = [
            m.score(rows) / deviation
            for m, deviation in zip(self._members, self._standard_deviations, strict=True)
        ]
        return np.mean(scores, axis=0)
