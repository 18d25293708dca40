"""One sentence of a story: words, tags, and their spans in the text."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import with_case_of
from openmeva.training.text.names import FUNCTION_WORDS, always_capitalized
from openmeva.training.text.rewrite import Rewrite
from openmeva.training.text.tagger.tagging import tag
from openmeva.training.text.tokens import CLITICS, MARKS

if TYPE_CHECKING:
    from openmeva.training.text.story import Story


class Sentence:
    """Sentence number `index` of `story`.

    Attributes:
        words: tokens with straight quotes, in their original case.
        spans: start and end of each token in the story's text.
        tags: Penn Treebank tags, computed at the first use if `tag_stories` has not set them.
    """

    def __init__(self, story: Story, index: int, words: list[str], spans: list[tuple[int, int]]) -> None:
        self.story = story
        self.index = index
        self.words = words
        self.spans = spans

    @cached_property
    def tags(self) -> list[str]:
        """Penn Treebank tags."""
        return tag([self.words])[0]

    @cached_property
    def lowered(self) -> list[str]:
        """The words in lower case."""
        return [word if word[:1] == "[" else word.lower() for word in self.words]

    @property
    def start(self) -> int:
        """Offset of the start of the sentence in the text."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.spans[-1][1]

    @property
    def text(self) -> str:
        """The text of the sentence in the story."""
        return self.story.text[self.start : self.end]

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.words)

    def surface(self, start: int, end: int) -> str:
        """The text of tokens `start` to `end` (excluded)."""
        return self.story.text[self.spans[start][0] : self.spans[end - 1][1]] if end > start else ""

    def is_first_word(self, at: int) -> bool:
        """Whether the token at `at` is the first word of the sentence, ignoring opening quotes."""
        return not any(any(map(str.isalnum, word)) for word in islice(self.words, at))

    def is_capital_position(self, at: int) -> bool:
        """Whether a word at `at` is capitalised only because of its position.

        These positions are the start of the sentence, of a quotation, of a line of verse, and after a name and a colon.
        """
        if not at or (self._starts_line(at) and self.story.lines_have_capitals):
            return True
        before = self.words[at - 1]
        if before == ":" and at > 1:  # "TOM: I am here."
            return self.words[at - 2][:1].isupper() and (at == 2 or self._starts_line(at - 2))
        return not before[:1].isalnum() and (self._opens_quotation(at - 1) or self.is_first_word(at))

    def _starts_line(self, at: int) -> bool:
        return "\n" in self.story.text[self.spans[at - 1][1] : self.spans[at][0]]

    def _opens_quotation(self, at: int) -> bool:
        mark = self.story.text[slice(*self.spans[at])]
        if at and mark in {'"', "'"} and self.spans[at][1] == self.spans[at + 1][0]:
            return self.spans[at - 1][1] < self.spans[at][0]
        if mark == '"':
            return self.story.tokenized and self.words[:at].count('"') % 2 == 0
        return mark in {"“", "‘", "``"}

    @cached_property
    def in_capitals(self) -> bool:
        """Whether all words are in capitals (except placeholders for names), and one has more than one letter."""
        words = [word for word in self.words if word[:1].isalpha()]
        return any(len(word) > 1 for word in words) and all(map(str.isupper, words))

    def mid_sentence_text(self, start: int, end: int) -> str:
        """As `surface`, for use inside a sentence: without a capital that is due to the position only."""
        text = self.surface(start, end)
        return self.decapitalize(text, start) if self.is_capital_position(start) else text

    def decapitalize(self, text: str, at: int) -> str:
        """`text` without its capital, unless the word at `at` is always capitalised ("I", names, "Dad", "Chinese")."""
        word = self.words[at]
        is_article = word == "A" and self.tags[at] == "DT"
        if not word[:1].isupper() or self.in_capitals or (word.isupper() and not is_article):
            return text
        low = word.lower()
        if low not in FUNCTION_WORDS and (
            self.story.is_name(word) or self.tags[at].startswith("NNP") or always_capitalized(low)
        ):
            return text
        return text[:1].lower() + text[1:]

    def capitalize_start(self, text: str) -> str:
        """`text` for the start of a sentence: capitalised if this story is cased."""
        return text[:1].upper() + text[1:] if self.words[0][:1].isupper() or self.story.cased else text

    def replacement_edit(self, at: int, word: str, end: int | None = None) -> Edit:
        """The edit that replaces the token at `at` (or the tokens up to `end`) by `word`."""
        last = at if end is None else end - 1
        old = self.words[at]
        if self.in_capitals:
            word = word.upper()
        elif old == "I" and word != "I":
            word = word if not self.is_capital_position(at) else word[:1].upper() + word[1:]
        elif old[:1].isalpha():
            word = (
                with_case_of(old, word)
                if not (old[:1].isupper() and len(old) == 1)
                else self.capitalize_start(word)
            )
        return Edit(self.spans[at][0], self.spans[last][1], word)

    def join_words(self, words: list[str]) -> str:
        """Words joined in the style of this story: clitics and punctuation with or without a blank before them.

        Apostrophes are the story's; the text is in capitals if the sentence is.
        """
        parts: list[str] = []
        for word in words:
            if parts and not self._attaches_to_previous(word.lower()):
                parts.append(" ")
            word = word.upper() if self.in_capitals else word
            parts.append(word.replace("'", self.story.apostrophe))
        return "".join(parts)

    def _attaches_to_previous(self, word: str) -> bool:
        if word in CLITICS:
            return not self.story.clitics_separate
        return word in MARKS and not self.story.tokenized

    def rewrite_edits(self, rewrite: Rewrite) -> list[Edit]:
        """The edits of the text for a rewrite of the lower-cased words.

        Copied tokens keep their surface form; blanks follow the style of this story.
        """
        words: list[str] = []
        for token in rewrite.tokens:
            if token.source >= 0 and token.word == self.lowered[token.source]:
                words.append(self.words[token.source])
            elif token.source >= 0:
                words.append(with_case_of(self.words[token.source], token.word))
            else:
                words.append(token.word)
        start, end = rewrite.start, rewrite.end
        if start < end and self.words[start][:1].isupper() and self.is_capital_position(start):
            words[0] = words[0][:1].upper() + words[0][1:]
            for index, token in enumerate(rewrite.tokens[1:], start=1):
                if token.source == start:
                    words[index] = token.word
        text = self.join_words(words)
        if start == end:  # an insertion before the token at `start`
            at = self.spans[start][0] if start < len(self) else self.end
            if words[0] == "n't" and self._attaches_to_previous("n't"):
                return [Edit(self.spans[start - 1][1], self.spans[start - 1][1], text)]
            if start < len(self) and self.is_capital_position(start) and self.words[start][:1].isupper():
                first = self.mid_sentence_text(start, start + 1)
                return [Edit(at, self.spans[start][1], text[:1].upper() + text[1:] + " " + first)]
            return [Edit(at, at, text + " ")]
        at = self.spans[start][0]
        was_glued = self.lowered[start] in CLITICS and start and self.spans[start - 1][1] == at
        if was_glued and words[0].lower() not in CLITICS:  # "she'd" has become "she would"
            text = f" {text}"
        return [Edit(at, self.spans[end - 1][1], text)]
