"""Words and short phrases of a text, extracted by sentence."""

from collections.abc import Iterable

from openmeva.training.text.tokens import plain_word, sentence_ends, token_spans

_LONGEST = 3  # maximum number of tokens of a phrase
Features = frozenset[str]


def opening_features(text: str) -> Features:
    """The first one, two and three tokens of each sentence, in lower case.

    >>> sorted(opening_features("He ran home. Oh no!"))
    ['he', 'he ran', 'he ran home', 'oh', 'oh no', 'oh no !']
    """
    return frozenset(
        " ".join(sentence[:size])
        for sentence in _sentences(text)
        for size in range(1, min(_LONGEST, len(sentence)) + 1)
    )


def word_features(text: str) -> Features:
    """The tokens of a text, in lower case."""
    return _ngrams(text, 1, 1)


def phrase_features(text: str) -> Features:
    """The bigrams and trigrams of the sentences of a text, in lower case."""
    return _ngrams(text, 2, _LONGEST)


def phrases_and_openings(text: str) -> Features:
    """The n-grams of the sentences of a text, n from 1 to 3, in lower case; those that open a sentence also as "^ and then".

    >>> sorted(phrases_and_openings("He ran."))
    ['.', '^ he', '^ he ran', '^ he ran .', 'he', 'he ran', 'he ran .', 'ran', 'ran .']
    """
    return _ngrams(text, 1, _LONGEST) | {f"^ {opening}" for opening in opening_features(text)}


def _ngrams(text: str, shortest: int, longest: int) -> Features:
    return frozenset(
        " ".join(sentence[at : at + size])
        for sentence in _sentences(text)
        for size in range(shortest, longest + 1)
        for at in range(len(sentence) - size + 1)
    )


def _sentences(text: str) -> Iterable[list[str]]:
    tokens = [(start, plain_word(text[start:end]).lower()) for start, end in token_spans(text)]
    begin = 0
    for end in sentence_ends(text):
        yield [word for start, word in tokens if begin <= start < end]
        begin = end
