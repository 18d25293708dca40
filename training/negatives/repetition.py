"""Repetition (section 3.2): an n-gram or a whole sentence is repeated."""

from collections.abc import Sequence

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.text.rewrite import Rewrite, Token

LEXICAL = "lexical_repetition"
SENTENCE = "sentence_repetition"


def repeat_ngram(story: EditedStory, rng: BufferedRandom, material: NegativeMaterial) -> EditedStory | None:
    """Repeat an n-gram, n in 1 .. `material.ngram_max`, of a random sentence right after itself.

    N-grams contain no punctuation and do not separate a word from its clitic ("did" from "n't"). Returns None if no
    sentence has such an n-gram.
    """
    made = sentence_with_ngram_repeated(story.sentences, rng, material)
    return None if made is None else story.with_sentence(LEXICAL, *made)


def sentence_with_ngram_repeated(
    sentences: Sequence[EditedSentence], rng: BufferedRandom, material: NegativeMaterial
) -> tuple[int, EditedSentence] | None:
    """The index of a random sentence and the sentence in which an n-gram is repeated, as by `repeat_ngram`."""
    for number in rng.permutation(len(sentences) - material.keep):
        position = material.keep + number
        sentence = sentences[position]
        by_size = ngram_starts(sentence, material.ngram_max)
        if not by_size:
            continue
        size = rng.choice(sorted(by_size))
        start = rng.choice(by_size[size])
        end = start + size
        copy = tuple(Token(sentence.words[at], sentence.tags[at]) for at in range(start, end))
        return position, sentence.apply_rewrite(Rewrite(end, end, copy), LEXICAL)
    return None


def repeat_sentence(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Replace a sentence with a copy of the one before it, so that the number of sentences is unchanged.

    The replaced sentence is untouched, so no earlier edit is lost, and differs from the copy. Returns None if there
    is no such sentence.
    """
    sentences = story.sentences
    places = [
        position
        for position in range(material.keep, len(sentences) - 1)
        if sentences[position + 1].untouched
        and list(sentences[position].words) != list(sentences[position + 1].words)
    ]
    if not places:
        return None
    position = rng.choice(places)
    copy = EditedSentence.foreign(sentences[position].words, sentences[position].tags, SENTENCE)
    return story.with_sentence(SENTENCE, position + 1, copy)


def ngram_starts(sentence: EditedSentence, longest: int) -> dict[int, list[int]]:
    """Start indices of the n-grams that may be repeated, by n; values of n without any are omitted."""
    words = sentence.words
    is_word = [any(map(str.isalnum, word)) for word in words]
    # an n-gram may begin or end before a word, but not before a clitic
    is_edge = [not (word == "n't" or word.startswith("'")) for word in words] + [True]
    starts: dict[int, list[int]] = {}
    for start in range(len(words)):
        if not is_edge[start]:
            continue
        for size in range(1, longest + 1):
            if start + size > len(words) or not is_word[start + size - 1]:
                break
            if is_edge[start + size]:
                starts.setdefault(size, []).append(start)
    return starts
