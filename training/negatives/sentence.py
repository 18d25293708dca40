"""One sentence of an edited story."""

from collections.abc import Sequence
from typing import NamedTuple

from openmeva.training.text.rewrite import Rewrite


class EditedSentence(NamedTuple):
    """Parallel sequences, one entry per token; never changed in place, so sentences may be shared.

    Attributes:
        words: The current words.
        tags: Their Penn Treebank tags.
        origins: The index of each token in the flattened original, -1 for a token without an origin.
        operations: The name of the operation that last touched each token, "" for an untouched one.
        moved: Whether reordering gave the sentence another position.
    """

    words: Sequence[str]
    tags: Sequence[str]
    origins: Sequence[int]
    operations: Sequence[str]
    moved: bool = False

    @classmethod
    def foreign(cls, words: Sequence[str], tags: Sequence[str], operation: str) -> "EditedSentence":
        """A sentence that is not from this position of the original: a copy, or a sentence of another story."""
        size = len(words)
        return cls(words, tags, [-1] * size, [operation] * size)

    @property
    def untouched(self) -> bool:
        """Whether no token was edited and the sentence was not moved."""
        return not self.moved and not any(self.operations)

    def apply_rewrite(self, rewrite: Rewrite, operation: str) -> "EditedSentence":
        """This sentence with one rewrite applied, which records `operation` at the touched tokens."""
        start, end = rewrite.start, rewrite.end
        tokens = rewrite.tokens
        origins = [self.origins[t.source] if t.source >= 0 else -1 for t in tokens]
        operations = [operation if t.touched else self.operations[t.source] for t in tokens]
        return EditedSentence(
            [*self.words[:start], *(t.word for t in tokens), *self.words[end:]],
            [*self.tags[:start], *(t.tag for t in tokens), *self.tags[end:]],
            [*self.origins[:start], *origins, *self.origins[end:]],
            [*self.operations[:start], *operations, *self.operations[end:]],
            self.moved,
        )
