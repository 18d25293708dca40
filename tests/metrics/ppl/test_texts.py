"""Which tokens of a text are scored, which sentence each belongs to, and how many words they are."""

from typing import Any

import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.ppl.texts import NormalizedReader, PlainReader
from tests.tiny.models import tiny_tokenizer


@pytest.mark.parametrize("end", [None, "[SEP]"])
def test_words_and_sentences_of_a_normalised_story(end: str | None) -> None:
    read = NormalizedReader(tiny_tokenizer(), Normalizer(), end)
    (story,) = read(["She ran home. The dog slept!"], ["He ate."])
    assert story.text == "she ran home . the dog slept !"
    assert story.words == 8 + (end is not None)
    assert story.context_length == 3
    owners = [story.sentence_of(index) for index in range(len(story.spans))]
    assert owners == [0] * 4 + [1] * (4 + (end is not None))


class Pieces:
    """A tokenizer that cuts a text at given places."""

    def __init__(self, *cuts: int) -> None:
        self.cuts = cuts

    def __call__(self, texts: list[str], **options: Any) -> dict[str, Any]:
        spans = [list(zip(self.cuts, [*self.cuts[1:], len(text)], strict=True)) for text in texts]
        return {"input_ids": [list(range(len(each))) for each in spans], "offset_mapping": spans}


@pytest.mark.parametrize(
    ("cuts", "context_length"),
    [
        ((0, 7, 8, 11), 2),  # "He ate.", " ", "She", " ran."
        ((0, 7, 11), 1),  # "He ate.", " She", " ran."
        ((0, 8, 11), 1),  # "He ate. ", "She", " ran."
        ((0, 3, 9, 12), 1),  # "ate. S" belongs to both, so it is scored
    ],
)
def test_plain_story_begins_with_the_first_token_past_the_context(
    cuts: tuple[int, ...], context_length: int
) -> None:
    (story,) = PlainReader(Pieces(*cuts))(["She ran."], ["He ate. "])
    assert story.text == "He ate. She ran."
    assert story.context_length == context_length
    assert len(story.spans) == len(cuts) - context_length
    assert story.words == 3
