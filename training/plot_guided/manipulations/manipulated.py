"""A manipulated plot: the argument and the result of every manipulation."""

from dataclasses import dataclass, replace

from openmeva.training.plot_guided.plots.plot import Plot


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase and the manipulation that wrote it ("" for an original phrase)."""

    text: str
    manipulation: str = ""


@dataclass(frozen=True, slots=True)
class ManipulatedPlot:
    """Phrases by sentence, and the manipulations applied, in order; manipulations return a new one.

    Attributes:
        sentences: phrases of each sentence.
        applied: names of the manipulations applied.
        index: the story's index among the stories that phrases are sampled from, or None if it is not one of them.

    >>> ManipulatedPlot.start([["ann hungry"], ["ate"]]).plot
    [['ann hungry'], ['ate']]
    """

    sentences: tuple[tuple[Phrase, ...], ...]
    applied: tuple[str, ...] = ()
    index: int | None = None

    @classmethod
    def start(cls, plot: Plot, index: int | None = None) -> "ManipulatedPlot":
        """`plot` without manipulations."""
        return cls(tuple(tuple(map(Phrase, phrases)) for phrases in plot), index=index)

    @property
    def plot(self) -> Plot:
        """The current phrases."""
        return [[phrase.text for phrase in phrases] for phrases in self.sentences]

    def untouched_phrases(self) -> list[tuple[int, int]]:
        """Positions (sentence, phrase) of the phrases that no manipulation has touched."""
        return [
            (row, index)
            for row, phrases in enumerate(self.sentences)
            for index, phrase in enumerate(phrases)
            if not phrase.manipulation
        ]

    def with_phrases(self, row: int, start: int, end: int, *new: Phrase) -> "ManipulatedPlot":
        """This plot with the phrases `start` to `end` (exclusive) of a sentence replaced by `new`."""
        old = self.sentences[row]
        sentences = (
            *self.sentences[:row],
            (*old[:start], *new, *old[end:]),
            *self.sentences[row + 1 :],
        )
        return replace(self, sentences=sentences)

    def with_manipulation(self, name: str) -> "ManipulatedPlot":
        """This plot with a manipulation recorded as applied."""
        return replace(self, applied=(*self.applied, name))
