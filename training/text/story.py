"""A story for perturbations: its text, and the spans of its sentences and words."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from openmeva.training.text.names import is_name
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.tagger.tagging import tag
from openmeva.training.text.tokens import CLITICS, MARKS, plain_word, sentence_ends, token_spans


class Story:
    """A story, parsed once; its text is never changed.

    Attributes:
        text: the original text.
        sentences: in order; together they contain every token.
        cased: whether any word of the text is capitalised, not counting placeholders for names.
        tokenized: whether most punctuation follows a blank ("ran ."), or most clitics if there is no punctuation.
        clitics_separate: whether most clitics follow a blank ("did n't"); False if there are none.

    >>> story = Story("I can't go. Why?")
    >>> [sentence.words for sentence in story.sentences], story.tokenized
    ([['I', 'ca', "n't", 'go', '.'], ['Why', '?']], False)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        spans = token_spans(text)
        self.cased = any(
            text[start].isupper() for start, _ in spans
        )  # no placeholder for a name begins with these characters
        self.sentences: list[Sentence] = []
        at = 0
        for end in sentence_ends(text):
            first = at
            while at < len(spans) and spans[at][0] < end:
                at += 1
            if at > first:
                words = [plain_word(text[start:stop]) for start, stop in spans[first:at]]
                self.sentences.append(Sentence(self, len(self.sentences), words, spans[first:at]))
        marks, clitics = self._attachment_votes(MARKS), self._attachment_votes(CLITICS)
        self.tokenized = sum(marks or clitics) > 0
        self.clitics_separate = sum(clitics) > 0

    def _attachment_votes(self, words: frozenset[str]) -> list[int]:
        """For each occurrence of `words` in the text, 1 if it follows a blank, else -1."""
        return [
            1 if self.text[start - 1].isspace() else -1
            for sentence in self.sentences
            for word, (start, _) in zip(sentence.words, sentence.spans, strict=True)
            if start and word.lower() in words
        ]

    @cached_property
    def apostrophe(self) -> str:
        """The apostrophe of its clitics: "’" if most of them have it, else a straight one."""
        curly = [
            "’" in self.text[start:end]
            for sentence in self.sentences
            for word, (start, end) in zip(sentence.words, sentence.spans, strict=True)
            if word.lower() in CLITICS
        ]
        return "’" if 2 * sum(curly) > len(curly) else "'"

    @cached_property
    def lines_have_capitals(self) -> bool:
        """Whether each line begins with a capital, as in verse, but not in wrapped prose."""
        firsts = (next(filter(str.isalpha, line), "") for line in self.text.splitlines())
        return all(first.isupper() for first in firsts if first)

    @cached_property
    def capitalized_inside(self) -> frozenset[str]:
        """Lower-cased words that are capitalised inside a sentence, except "I": names of this story."""
        return frozenset(
            word.lower()
            for sentence in self.sentences
            for at, word in enumerate(sentence.words)
            if at and word[:1].isupper() and word != "I"
            if sentence.words[at - 1] != '"' and not sentence.is_capital_position(at)
        )

    def is_name(self, word: str) -> bool:
        """Whether a word is a name, by the word lists or by its capitalisation in this story."""
        return is_name(word) or (word[:1].isupper() and word.lower() in self.capitalized_inside)

    @cached_property
    def separator(self) -> str:
        """The text between the first two sentences; a blank if there is only one sentence."""
        if len(self.sentences) < 2:
            return " "
        return self.text[self.sentences[0].end : self.sentences[1].start] or " "

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.sentences)


def tag_stories(stories: Iterable[Story]) -> None:
    """Tag all sentences of many stories in one call, which is much faster than one by one."""
    sentences = [sentence for story in stories for sentence in story.sentences]
    for sentence, tags in zip(sentences, tag([s.words for s in sentences]), strict=True):
        sentence.tags = tags


def parse(texts: Sequence[str]) -> list[Story]:
    """Parses texts to tagged stories."""
    stories = [Story(text) for text in texts]
    tag_stories(stories)
    return stories
