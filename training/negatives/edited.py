"""A story during editing: the argument and result of every operation."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.text.tagged_story import TaggedStory


class NegativeEdit(NamedTuple):
    """A token span that an operation changed.

    Attributes:
        operation: The technique: repetition, substitution, reordering or negation.
        level: "lexical" or "sentence".
        start: Index of the first token of the span in the flattened negative sample.
        end: Index after its last token.
    """

    operation: str
    level: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EditedStory:
    """A story and the record of its edits. Operations return a new one, so they compose.

    A substituted word, or one whose form changed, keeps the origin of the word it replaced. Inserted
    words, repeated copies and sentences of other stories have origin -1. A moved sentence keeps its
    origins. So ``origins`` aligns the sample to the original for the reconstruction task (equation 4).

    Attributes:
        sentences: The current sentences.
        applied: The names of the operations applied, in order of application.
        index: The story's index in the corpus, or None for a story that is not in it.

    >>> story = EditedStory.start(TaggedStory([["he", "ran", "."]], [["PRP", "VBD", "."]]))
    >>> story.origins, story.edits()
    ([[0, 1, 2]], [])
    """

    sentences: tuple[EditedSentence, ...]
    applied: tuple[str, ...] = ()
    index: int | None = None

    @classmethod
    def start(cls, story: TaggedStory, index: int | None = None) -> "EditedStory":
        """The unedited form of `story`."""
        sentences: list[EditedSentence] = []
        first = 0
        for words, tags in zip(story.words, story.tags, strict=True):
            last = first + len(words)
            sentences.append(EditedSentence(words, tags, range(first, last), ("",) * len(words)))
            first = last
        return cls(tuple(sentences), index=index)

    def with_sentence(self, operation: str, position: int, sentence: EditedSentence) -> "EditedStory":
        """This story with one sentence replaced by `operation`."""
        sentences = (*self.sentences[:position], sentence, *self.sentences[position + 1 :])
        return self.with_sentences(operation, sentences)

    def with_sentences(self, operation: str, sentences: tuple[EditedSentence, ...]) -> "EditedStory":
        """This story with all its sentences replaced by `operation`."""
        return replace(self, sentences=sentences, applied=(*self.applied, operation))

    @property
    def words(self) -> list[list[str]]:
        """The words, by sentence."""
        return [list(sentence.words) for sentence in self.sentences]

    @property
    def tags(self) -> list[list[str]]:
        """The Penn Treebank tags, by sentence."""
        return [list(sentence.tags) for sentence in self.sentences]

    @property
    def origins(self) -> list[list[int]]:
        """Indices into the flattened original by sentence; -1 for tokens without an origin."""
        return [list(sentence.origins) for sentence in self.sentences]

    @property
    def operations(self) -> list[list[str]]:
        """The operation that last touched each token ("" for none), by sentence."""
        return [list(sentence.operations) for sentence in self.sentences]

    def edits(self) -> list[NegativeEdit]:
        """Token spans of all edits in the flattened sample, sorted by start; a moved sentence precedes its words.

        Neighbouring tokens of one sentence that the same operation touched form one span.
        """
        edits: list[NegativeEdit] = []
        start = 0
        for sentence in self.sentences:
            if sentence.moved:
                edits.append(NegativeEdit("reordering", "sentence", start, start + len(sentence.words)))
            for name, run in groupby(sentence.operations):
                end = start + sum(1 for _ in run)
                if name:
                    level, _, technique = name.partition("_")
                    edits.append(NegativeEdit(technique, level, start, end))
                start = end
        return edits
