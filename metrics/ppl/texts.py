"""Token ids of stories and contexts, with the character span of each token."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer

from openmeva.metrics.core.inputs import no_words
from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.core.text import Normalizer, join_words, sentence_spans


@dataclass(frozen=True)
class TokenizedStory:
    """A context and a story as one sequence, without the start token.

    Attributes:
        ids: token ids of the context and then of the story.
        context_length: number of tokens of the context, whose losses do not count.
        text: what was tokenised.
        spans: character span of each scored token in `text`; that of an end token is empty.
        sentences: character span of each of the story's sentences in `text`.
        words: number of words of the story as the Penn Treebank splits them (a punctuation mark is one), plus one where
            an end token is scored. It does not depend on a model's vocabulary.
    """

    ids: list[int]
    context_length: int
    text: str
    spans: list[tuple[int, int]]
    sentences: list[tuple[int, int]]
    words: int

    def sentence_of(self, index: int) -> int:
        """Index of the sentence of the scored token at `index`."""
        middle = sum(self.spans[index]) / 2
        return min(bisect_right(self._sentence_ends, middle), len(self.sentences) - 1)

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return [end for _, end in self.sentences]


class NormalizedReader:
    """Texts as this project's models were trained on them: normalised words, subwords, optionally an end
    token.

    Args:
        tokenizer: of the model.
        normalizer: knows the names that become placeholders, if any.
        end: the token that is appended to a story and scored; None: no token.
    """

    def __init__(self, tokenizer: Tokenizer, normalizer: Normalizer, end: str | None) -> None:
        self.tokenizer, self.normalizer = tokenizer, normalizer
        self.end = token_id(self.tokenizer, end) if end else None

    def __call__(self, stories: Sequence[str], contexts: Sequence[str] | None) -> list[TokenizedStory]:
        """Tokenises all stories, each after its context where there is one.

        Raises:
            ValueError: a story without words (the row is named).
        """
        read = []
        for row, story in enumerate(stories):
            context_sentences, story_sentences = self.normalizer.joint_sentences(
                [contexts[row] if contexts else "", story]
            )
            text, sentences = self._text(story_sentences)
            context = self.tokenizer.encode(join_words(context_sentences), add_special_tokens=False).ids
            encoding = self.tokenizer.encode(text, add_special_tokens=False)
            if not encoding.ids:
                raise no_words("predictions", row, story)
            ids, spans = [*context, *encoding.ids], list(encoding.offsets)
            words = len(text.split(" "))
            if self.end is not None:
                ids.append(self.end)
                spans.append((len(text), len(text)))
                words += 1
            read.append(TokenizedStory(ids, len(context), text, spans, sentences, words))
        return read

    def token(self, token: int) -> str:
        """A token as it is in the vocabulary."""
        return self.tokenizer.id_to_token(token) or ""

    @staticmethod
    def _text(normalized: Sequence[Sequence[str]]) -> tuple[str, list[tuple[int, int]]]:
        """The words of normalised sentences as one text, and the character span of each sentence in it."""
        spans, parts, end = [], [], 0
        for words in normalized:
            parts.append(" ".join(words))
            spans.append((end, end + len(parts[-1])))
            end = spans[-1][1] + 1
        return " ".join(parts), spans


class PlainReader:
    """Unchanged texts for a third-party model: its own tokenizer, a context joined by a space.

    Args:
        tokenizer: a fast tokenizer of transformers.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.normalizer = Normalizer()  # counts words

    def __call__(self, stories: Sequence[str], contexts: Sequence[str] | None) -> list[TokenizedStory]:
        """Tokenises all stories, each after its context where there is one.

        A token that spans the end of the context and the beginning of the story is scored.

        Raises:
            ValueError: a story without tokens (the row is named).
        """
        before = [f"{context.strip()} " if context.strip() else "" for context in contexts or ()]
        texts = [f"{c}{s.strip()}" for c, s in zip(before or [""] * len(stories), stories, strict=True)]
        # verbose=False: texts beyond the model's maximum length need no warning, they are scored in windows
        encoded = self.tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        read = []
        for row, (text, ids, spans) in enumerate(
            zip(texts, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        ):
            begin = len(before[row]) if before else 0
            context_length = next((i for i, (_, end) in enumerate(spans) if end > begin), len(ids))
            if context_length == len(ids):
                raise no_words("predictions", row, stories[row])
            sentences = [(begin + first, begin + last) for first, last in sentence_spans(text[begin:])]
            words = sum(map(len, self.normalizer.sentences(text[begin:])))
            read.append(
                TokenizedStory(ids, context_length, text, spans[context_length:], sentences, max(1, words))
            )
        return read

    def token(self, token: int) -> str:
        """A token as it appears in a text."""
        return self.tokenizer.decode([token])
