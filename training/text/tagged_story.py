"""A human-written story for the negative samplers: words and tags by sentence."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaggedStory:
    """A normalised story: lower case, Penn-tokenised, names as ``[MALE]``, ``[FEMALE]``, ``[NEUTRAL]``.

    Attributes:
        words: One sequence of words per sentence.
        tags: The Penn Treebank tag of each word, in the same shape.

    Raises:
        ValueError: No sentence, an empty sentence, or tags whose shape differs from that of the words.

    >>> story = TaggedStory([["he", "ran", "."]], [["PRP", "VBD", "."]])
    >>> len(story)
    1
    """

    words: Sequence[Sequence[str]]
    tags: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        if not self.words:
            raise ValueError("a story needs at least one sentence, got none")
        if len(self.words) != len(self.tags):
            raise ValueError(f"expected tags for {len(self.words)} sentences, got {len(self.tags)}")
        for row, (words, tags) in enumerate(zip(self.words, self.tags, strict=True)):
            if not words:
                raise ValueError(f"sentence {row}: expected at least one word, got none")
            if len(words) != len(tags):
                raise ValueError(f"sentence {row}: expected {len(words)} tags, got {len(tags)}")

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.words)

    def flat_words(self) -> list[str]:
        """All words in order; ``origins`` of an edited story are indices into this list."""
        return [word for sentence in self.words for word in sentence]
