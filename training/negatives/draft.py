"""A story during graded damage: its words, the changed ones, and the error types introduced so far."""

from dataclasses import dataclass, replace

from openmeva.training.negatives.edited import EditedStory

# Technique of UNION's sampler to the error type that it introduces (named after plot-guided's manipulations).
KIND_OF = {
    "repetition": "repetition",
    "substitution": "off_topic",
    "reordering": "wrong_order",
    "negation": "contradiction",
}
KINDS = ("repetition", "contradiction", "wrong_order", "off_topic")


@dataclass(frozen=True, slots=True)
class Draft:
    """A story's words by sentence, the damaged ones, and the error types introduced so far.

    Attributes:
        words: words by sentence.
        damaged: flags by sentence, true for a word that an edit inserted, replaced or moved.
        kinds: error types, of `KINDS`.
        index: the story's index in its corpus.
        edits: the names of the edits applied, in order.

    >>> draft = Draft.start([["he", "ran", "."], ["he", "fell", "."]], 0)
    >>> draft.with_sentence(1, ["she", "sang", "."], "off_topic", "nearest").damaged
    ((False, False, False), (True, True, True))
    """

    words: tuple[tuple[str, ...], ...]
    damaged: tuple[tuple[bool, ...], ...]
    kinds: frozenset[str]
    index: int
    edits: tuple[str, ...] = ()

    @classmethod
    def start(cls, sentences: list[list[str]], index: int) -> "Draft":
        """The undamaged story."""
        return cls(
            tuple(map(tuple, sentences)),
            tuple((False,) * len(words) for words in sentences),
            frozenset(),
            index,
        )

    @classmethod
    def from_edited(cls, story: EditedStory, index: int) -> "Draft":
        """UNION's negative sample as a draft."""
        damaged = tuple(
            tuple(bool(name) or sentence.moved for name in sentence.operations)
            for sentence in story.sentences
        )
        kinds = frozenset(KIND_OF[name.partition("_")[2] or name] for name in story.applied)
        return cls(tuple(map(tuple, story.words)), damaged, kinds, index, story.applied)

    def untouched(self, keep: int) -> list[int]:
        """Indices of sentences without damaged words, from sentence `keep` on."""
        return [i for i in range(keep, len(self.words)) if not any(self.damaged[i])]

    def with_sentence(
        self, at: int, words: list[str], kind: str, edit: str, damaged: list[bool] | None = None
    ) -> "Draft":
        """This draft with sentence `at` replaced; `damaged` flags its words, default: all of them."""
        flags = [True] * len(words) if damaged is None else damaged
        return replace(
            self,
            words=(*self.words[:at], tuple(words), *self.words[at + 1 :]),
            damaged=(*self.damaged[:at], tuple(flags), *self.damaged[at + 1 :]),
            kinds=self.kinds | {kind},
            edits=(*self.edits, edit),
        )

    def exchanged(self, first: int, second: int) -> "Draft":
        """This draft with two sentences swapped."""
        words, damaged = list(self.words), list(self.damaged)
        words[first], words[second] = words[second], words[first]
        for at in (first, second):
            damaged[at] = (True,) * len(words[at])
        return replace(
            self,
            words=tuple(words),
            damaged=tuple(damaged),
            kinds=self.kinds | {"wrong_order"},
            edits=(*self.edits, "exchange"),
        )
