"""Stories as token ids."""

from collections.abc import Sequence

from tokenizers import Tokenizer

from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.core.text import join_words
from openmeva.training.corpora.splits import Sentences


def token_rows(
    stories: Sequence[Sentences],
    tokenizer: Tokenizer,
    limit: int,
    special_tokens: tuple[int, int] | None = None,
) -> list[list[int]]:
    """Token ids of each story between [CLS] and [SEP], or other special tokens `special_tokens`; truncated to `limit` tokens."""
    start, end = special_tokens or (token_id(tokenizer, "[CLS]"), token_id(tokenizer, "[SEP]"))
    encodings = tokenizer.encode_batch([join_words(story) for story in stories], add_special_tokens=False)
    return [[start, *encoding.ids, end][:limit] for encoding in encodings]


def count_words(
    stories: Sequence[Sentences], rows: Sequence[list[int]], tokenizer: Tokenizer, end: int
) -> int:
    """Number of words in the `token_rows` of the stories, plus one end token for each story that is not truncated.

    A word that is cut off counts as a word.
    """
    total = 0
    for story, row in zip(stories, rows, strict=True):
        if row[-1] == end:
            total += sum(map(len, story)) + 1
        else:
            text = join_words(story)
            _, read = tokenizer.encode(text, add_special_tokens=False).offsets[len(row) - 2]
            total += len(text[:read].split())
    return total
