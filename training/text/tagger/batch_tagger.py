"""Batched inference for NLTK's perceptron tagger, with identical tags."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from nltk.tag.perceptron import PerceptronTagger

# Names of NLTK's features of the current word and of its neighbours.
_STATIC = (
    *("i suffix", "i pref1", "i word", "i-1 word", "i-1 suffix", "i-2 word"),
    *("i+1 word", "i+1 suffix", "i+2 word"),
)
_TOKENS_AT_ONCE = 1 << 16
_PADS = 2


class BatchTagger:
    """A trained `PerceptronTagger` whose scores are summed by position over a batch of sentences.

    The tagger is greedy: a token's score depends on the two tags before it. The scores that do not depend on them
    are gathered for all tokens first; the others are added position by position, for all sentences together.
    Weights that are multiples of a power of two have exact sums in any order, so the tags are the same as NLTK's in
    any batch.

    Args:
        tagger: the trained tagger; its weights are copied into dense tables (about 10 MB).

    Raises:
        ValueError: the weights are not multiples of 1/64, so ties could be broken differently than in NLTK.
    """

    def __init__(self, tagger: PerceptronTagger):
        self._normalize = tagger.normalize
        # Ties are broken by the last label in order of name; argmax takes the first.
        self._labels = sorted(tagger.classes, reverse=True)
        label_number = {label: number for number, label in enumerate(self._labels)}
        self._fixed = {word: label_number[label] for word, label in tagger.tagdict.items()}
        self._start, self._pads = len(self._labels), (*tagger.START, *tagger.END)

        # Row 0 of the table is for unknown features.
        table = np.zeros((len(tagger.model.weights) + 1, len(self._labels)), dtype=np.float32)
        self._rows: dict[str, dict[str, int]] = {name: {} for name in (*_STATIC, "i-1 tag+i word")}
        for row, (feature, weights) in enumerate(tagger.model.weights.items(), start=1):
            for label, weight in weights.items():
                table[row, label_number[label]] = weight
            for name, rows in self._rows.items():
                if feature.startswith(name + " "):
                    rows[feature[len(name) + 1 :]] = row
        if not np.array_equal(table * 64, np.rint(table * 64)):
            raise ValueError("expected weights that are multiples of 1/64, got others")
        self._table = table
        self._bias = self._row_of(tagger, "bias")
        self._after_tags = self._tag_scores(tagger)
        tag_number = {**label_number, tagger.START[0]: self._start, tagger.START[1]: self._start + 1}
        self._tagged_words: dict[str, list[tuple[int, int]]] = {}
        for key, row in self._rows.pop("i-1 tag+i word").items():
            before, word = key.split(" ", 1)
            self._tagged_words.setdefault(word, []).append((tag_number[before], row))

    def _row_of(self, tagger: PerceptronTagger, feature: str) -> np.ndarray:
        weights = tagger.model.weights.get(feature, {})
        return np.array([weights.get(label, 0.0) for label in self._labels], dtype=np.float32)

    def _tag_scores(self, tagger: PerceptronTagger) -> np.ndarray:
        """Scores by the tag before and the one before that, shape (tags + 2, tags + 2, tags)."""
        names = [*self._labels, *tagger.START]
        row = partial(self._row_of, tagger)
        before = np.stack([row(f"i-1 tag {name}") for name in names])
        before_that = np.stack([row(f"i-2 tag {name}") for name in names])
        pair_scores = np.stack([np.stack([row(f"i tag+i-2 tag {a} {b}") for b in names]) for a in names])
        return pair_scores + before[:, None] + before_that[None, :]

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Tags by sentence; see `tagging.tag`."""
        if len(sentences) == 1:
            return [self._tag_one(sentences[0])]
        tags: list[list[str]] = []
        for batch in _batches(sentences):
            tags.extend(self._tag_batch(batch))
        return tags

    def _tag_one(self, words: Sequence[str]) -> list[str]:
        """The same tags for a single sentence, without the tables, which pay off only for many."""
        padded = (*self._pads[:_PADS], *map(self._normalize, words), *self._pads[_PADS:])
        previous, before_that = self._start, self._start + 1
        tags = []
        for at, word in enumerate(words, start=_PADS):
            best = self._fixed.get(word)
            if best is None:
                best = self._best(word, padded, at, previous, before_that)
            tags.append(self._labels[best])
            before_that, previous = previous, best
        return tags

    def _best(self, word: str, padded: Sequence[str], at: int, previous: int, before_that: int) -> int:
        current, left, right = padded[at], padded[at - 1], padded[at + 1]
        features = (
            *(("i suffix", word[-3:]), ("i pref1", word[:1]), ("i word", current)),
            *(("i-1 word", left), ("i-1 suffix", left[-3:]), ("i-2 word", padded[at - 2])),
            *(("i+1 word", right), ("i+1 suffix", right[-3:]), ("i+2 word", padded[at + 2])),
        )
        rows = [self._rows[name].get(key, 0) for name, key in features]
        rows += [row for before, row in self._tagged_words.get(current, ()) if before == previous]
        scores = self._table[rows].sum(axis=0) + self._bias + self._after_tags[previous, before_that]
        return int(scores.argmax())

    def _tag_batch(self, sentences: list[Sequence[str]]) -> list[list[str]]:
        lengths = np.array([len(words) for words in sentences])
        if not lengths.any():
            return [[] for _ in sentences]
        # All sentences in one row of word indices, with two pads on either side of each.
        numbers: dict[str, int] = {}
        words: list[int] = []
        for sentence in sentences:
            words += (0, 1, *(numbers.setdefault(word, len(numbers) + 2 * _PADS) for word in sentence), 2, 3)
        text = np.array(words)
        starts = np.concatenate(([0], np.cumsum(lengths[:-1] + 2 * _PADS))) + _PADS

        vocabulary = [*self._pads, *numbers]
        own_scores, left, left_2, right, right_2 = self._word_scores(vocabulary)
        static = own_scores[text]
        static[1:] += left[text[:-1]]
        static[2:] += left_2[text[:-2]]
        static[:-1] += right[text[1:]]
        static[:-2] += right_2[text[2:]]
        fixed = np.array([self._fixed.get(word, -1) for word in vocabulary])[text]
        with_tag = self._rows_with_tag(vocabulary)

        label_ids = np.zeros(len(text), dtype=np.int64)
        longest_first = np.argsort(-lengths, kind="stable")
        starts, ordered = starts[longest_first], lengths[longest_first]
        before = np.full(len(sentences), self._start)
        before_that = np.full(len(sentences), self._start + 1)
        for offset in range(int(ordered[0])):
            active = int(np.searchsorted(-ordered, -offset, side="left"))
            at = starts[:active] + offset
            before, before_that = before[:active], before_that[:active]
            scores = static[at] + self._after_tags[before, before_that]
            scores += self._table[with_tag[before, text[at]]]
            best = np.where(fixed[at] >= 0, fixed[at], scores.argmax(axis=1))
            label_ids[at] = best
            before_that, before = before, best
        return self._named(label_ids, lengths)

    def _word_scores(self, vocabulary: list[str]) -> tuple[np.ndarray, ...]:
        """Scores by word, for the current word and for one and two words to the left and right of it.

        The pads come first and have scores only as neighbours; NLTK uses their names unchanged.
        """
        pads = 2 * _PADS
        normal = [word if i < pads else self._normalize(word) for i, word in enumerate(vocabulary)]
        ends = [word[-3:] for word in normal]
        scores = self._gather("i suffix", [word[-3:] for word in vocabulary])
        scores += self._gather("i pref1", [word[:1] for word in vocabulary])
        scores += self._gather("i word", normal)
        scores += self._bias
        left = self._gather("i-1 word", normal) + self._gather("i-1 suffix", ends)
        right = self._gather("i+1 word", normal) + self._gather("i+1 suffix", ends)
        return scores, left, self._gather("i-2 word", normal), right, self._gather("i+2 word", normal)

    def _gather(self, name: str, keys: list[str]) -> np.ndarray:
        rows = self._rows[name]
        return self._table[[rows.get(key, 0) for key in keys]]

    def _rows_with_tag(self, vocabulary: list[str]) -> np.ndarray:
        """Row of the feature "previous tag, current word", shape (tags + 2, words), 0 if there is none."""
        rows = np.zeros((len(self._labels) + 2, len(vocabulary)), dtype=np.int64)
        for number, word in enumerate(vocabulary):
            for before, row in self._tagged_words.get(self._normalize(word), ()):
                rows[before, number] = row
        return rows

    def _named(self, label_ids: np.ndarray, lengths: np.ndarray) -> list[list[str]]:
        names = [self._labels[number] for number in label_ids.tolist()]
        tags, at = [], 0
        for length in lengths.tolist():
            at += _PADS
            tags.append(names[at : at + length])
            at += length + _PADS
        return tags


def _batches(sentences: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Sentences in order, in lists of about `_TOKENS_AT_ONCE` tokens, pads included."""
    batch: list[Sequence[str]] = []
    tokens = 0
    for words in sentences:
        batch.append(words)
        tokens += len(words) + 2 * _PADS
        if tokens >= _TOKENS_AT_ONCE:
            yield batch
            batch, tokens = [], 0
    if batch:
        yield batch
