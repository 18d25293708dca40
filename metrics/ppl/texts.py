"""From stories and contexts to token ids, with the place of each token in the story."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer

from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.core.text import Normalizer, plain_text, sentence_spans


@dataclass(frozen=True)
class TokenizedStory:
    """A context and a story as one sequence, without the start token.

    Attributes:
        ids: token ids of the context and then of the story.
        counted: index of the story's first token, the first one whose loss counts.
        text: what was tokenised.
        spans: where each counted token stands in `text`; an end token's span is empty.
        sentences: where each of the story's sentences stands in `text`.
        words: of the story, as the Penn Treebank splits them (a punctuation mark is one); its end is one more where
            an end token counts. They depend on no model's vocabulary.
    """

    ids: list[int]
    counted: int
    text: str
    spans: list[tuple[int, int]]
    sentences: list[tuple[int, int]]
    words: int

    def sentence_of(self, index: int) -> int:
        """The sentence of the counted token at `index`."""
        middle = sum(self.spans[index]) / 2
        ends = [end for _, end in self.sentences]
        return next((number for number, end in enumerate(ends) if middle < end), len(ends) - 1)


class NormalizedReader:
    """Texts as this project's models were trained on: normalised words, wordpieces, perhaps an end token.

    Args:
        tokenizer: of the model.
        normalizer: with the names that become placeholders, if any.
        end: the token whose loss counts at a story's end; None: none.
    """

    def __init__(self, tokenizer: Tokenizer, normalizer: Normalizer, end: str | None) -> None:
        self.tokenizer, self.normalizer = tokenizer, normalizer
        self.end = token_id(self.tokenizer, end) if end else None
        self.vocabulary_size = self.tokenizer.get_vocab_size()

    def __call__(self, stories: Sequence[str], contexts: Sequence[str] | None) -> list[TokenizedStory]:
        """Tokenises all stories, each after its context where there is one.

        Raises:
            ValueError: a story without a word (its row).
        """
        read = []
        for row, story in enumerate(stories):
            before, own = self.normalizer.together([contexts[row] if contexts else "", story])
            text, sentences = self._text(own)
            context = self.tokenizer.encode(plain_text(before), add_special_tokens=False).ids
            encoding = self.tokenizer.encode(text, add_special_tokens=False)
            if not encoding.ids:
                raise ValueError(f"predictions, row {row}: expected a text with words, got {story[:60]!r}")
            ids, spans = [*context, *encoding.ids], list(encoding.offsets)
            words = len(text.split(" "))
            if self.end is not None:
                ids.append(self.end)
                spans.append((len(text), len(text)))
                words += 1
            read.append(TokenizedStory(ids, len(context), text, spans, sentences, words))
        return read

    def token(self, token: int) -> str:
        """A token as it stands in the vocabulary."""
        return self.tokenizer.id_to_token(token) or ""

    @staticmethod
    def _text(normalized: Sequence[Sequence[str]]) -> tuple[str, list[tuple[int, int]]]:
        """The words of normalised sentences as one text, and where each sentence stands in it."""
        spans, parts, end = [], [], 0
        for words in normalized:
            parts.append(" ".join(words))
            spans.append((end, end + len(parts[-1])))
            end = spans[-1][1] + 1
        return " ".join(parts), spans


class PlainReader:
    """Texts as they are, for a model of others: its own tokenizer, a context joined by a space.

    Args:
        tokenizer: a fast tokenizer of transformers.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.normalizer = Normalizer()  # counts words
        self.vocabulary_size = len(tokenizer)

    def __call__(self, stories: Sequence[str], contexts: Sequence[str] | None) -> list[TokenizedStory]:
        """Tokenises all stories, each after its context where there is one.

        A token that holds the end of the context and the beginning of the story counts.

        Raises:
            ValueError: a story that has no token (its row).
        """
        before = [f"{context.strip()} " if context.strip() else "" for context in contexts or ()]
        texts = [f"{c}{s.strip()}" for c, s in zip(before or [""] * len(stories), stories, strict=True)]
        # longer texts than the model reads are scored by windows: there is nothing to warn of
        encoded = self.tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        read = []
        for row, (text, ids, spans) in enumerate(
            zip(texts, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        ):
            begin = len(before[row]) if before else 0
            counted = next((i for i, (_, end) in enumerate(spans) if end > begin), len(ids))
            if counted == len(ids):
                raise ValueError(f"predictions, row {row}: expected a text with words, got {text[:60]!r}")
            sentences = [(begin + first, begin + last) for first, last in sentence_spans(text[begin:])]
            words = sum(map(len, self.normalizer.sentences(text[begin:])))
            read.append(TokenizedStory(ids, counted, text, spans[counted:], sentences, max(1, words)))
        return read

    def token(self, token: int) -> str:
        """A token as it reads in a text."""
        return self.tokenizer.decode([token])
