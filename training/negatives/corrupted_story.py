"""A story during graded corruption: its words, the changed ones, and the error types introduced so far."""

from dataclasses import dataclass, replace

from openmeva.training.negatives.edited import EditedStory

# Technique of UNION's sampler to the error type that it introduces (named after plot-guided's manipulations).
ERROR_TYPE_OF_TECHNIQUE = {
    "repetition": "repetition",
    "substitution": "off_topic",
    "reordering": "wrong_order",
    "negation": "contradiction",
}
ERROR_TYPES = ("repetition", "contradiction", "wrong_order", "off_topic")


@dataclass(frozen=True, slots=True)
class CorruptedStory:
    """A story's words by sentence, the corrupted ones, and the error types introduced so far.

    Attributes:
        words: words by sentence.
        corrupted: flags by sentence, true for a word that an edit inserted, replaced or moved.
        error_types: error types, of `ERROR_TYPES`.
        index: the story's index in its corpus.
        edits: the names of the edits applied, in order.

    >>> story = CorruptedStory.start([["he", "ran", "."], ["he", "fell", "."]], 0)
    >>> story.with_sentence(1, ["she", "sang", "."], "off_topic", "nearest_sentence").corrupted
    ((False, False, False), (True, True, True))
    """

    words: tuple[tuple[str, ...], ...]
    corrupted: tuple[tuple[bool, ...], ...]
    error_types: frozenset[str]
    index: int
    edits: tuple[str, ...] = ()

    @classmethod
    def start(cls, sentences: list[list[str]], index: int) -> "CorruptedStory":
        """The uncorrupted story."""
        return cls(
            tuple(map(tuple, sentences)),
            tuple((False,) * len(words) for words in sentences),
            frozenset(),
            index,
        )

    @classmethod
    def from_edited(cls, story: EditedStory, index: int) -> "CorruptedStory":
        """UNION's negative sample as a corrupted story."""
        corrupted = tuple(
            tuple(bool(name) or sentence.moved for name in sentence.operations)
            for sentence in story.sentences
        )
        error_types = frozenset(
            ERROR_TYPE_OF_TECHNIQUE[name.partition("_")[2] or name] for name in story.applied
        )
        return cls(tuple(map(tuple, story.words)), corrupted, error_types, index, story.applied)

    def untouched(self, keep: int) -> list[int]:
        """Indices of sentences without corrupted words, from sentence `keep` on."""
        return [i for i in range(keep, len(self.words)) if not any(self.corrupted[i])]

    def with_sentence(
        self, at: int, words: list[str], error_type: str, edit: str, corrupted: list[bool] | None = None
    ) -> "CorruptedStory":
        """This story with sentence `at` replaced; `corrupted` flags its words, default: all of them."""
        flags = [True] * len(words) if corrupted is None else corrupted
        return replace(
            self,
            words=(*self.words[:at], tuple(words), *self.words[at + 1 :]),
            corrupted=(*self.corrupted[:at], tuple(flags), *self.corrupted[at + 1 :]),
            error_types=self.error_types | {error_type},
            edits=(*self.edits, edit),
        )

    def with_swapped_sentences(self, first: int, second: int) -> "CorruptedStory":
        """This story with two sentences swapped."""
        words, corrupted = list(self.words), list(self.corrupted)
        words[first], words[second] = words[second], words[first]
        for at in (first, second):
            corrupted[at] = (True,) * len(words[at])
        return replace(
            self,
            words=tuple(words),
            corrupted=tuple(corrupted),
            error_types=self.error_types | {"wrong_order"},
            edits=(*self.edits, "sentence_swap"),
        )
