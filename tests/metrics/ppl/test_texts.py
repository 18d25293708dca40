"""Which tokens of a text are scored, which sentence each belongs to, and how many words they are."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.ppl.scoring import PerplexityScorer
from openmeva.metrics.ppl.texts import NormalizedReader, PlainReader, TokenizedStory
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


class CountedSpans(list[tuple[int, int]]):
    """Spans that count how often they are read from beginning to end."""

    reads = 0

    def __iter__(self) -> Iterator[tuple[int, int]]:
        self.reads += 1
        return super().__iter__()


def test_explanation_of_a_long_story_takes_linear_time() -> None:
    sentences = CountedSpans((10 * number, 10 * number + 9) for number in range(50))
    spans = [(begin, begin + 3) for begin in range(0, 500, 5)]
    story = TokenizedStory([0] * 100, 0, "x" * 500, spans, sentences, 100)
    assert [story.sentence_of(index) for index in range(100)] == [index // 2 for index in range(100)]
    assert sentences.reads == 1
    reader: Any = SimpleNamespace(token=str)
    scorer = PerplexityScorer(SimpleNamespace(model=None, reader=reader))  # type: ignore[arg-type]
    explanation = scorer._explanation(story, [float(index) for index in range(100)])
    assert [sentence["nll"] for sentence in explanation["sentences"]] == [2 * n + 0.5 for n in range(50)]
    assert {sentence["tokens"] for sentence in explanation["sentences"]} == {2}


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
