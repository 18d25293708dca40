"""WritingPrompts' plots: verbs with the phrases beside them, by part-of-speech tags (section 5.1).

The paper takes verbs and arguments from a semantic-role labeller (Fan et al. 2019); chunks of tags come near it,
and `semantic_roles` uses a labeller where there is one.
"""

from collections.abc import Sequence

import numpy as np

from training.plots.plot import Plot

VERBS = frozenset(["VB", "VBD", "VBG", "VBN", "VBP", "VBZ"])
LIGHT_VERBS = frozenset("be is are was were 's 'm 're 've have has had 'd do does did".split())
# Of the pronouns before a verb, the published plots keep these: the others stand in almost every sentence.
_KEPT_SUBJECTS = frozenset(["it", "you", "what"])
_RELATIVES = frozenset(["that", "who", "which"])
_COPULAS = frozenset(["feel", "felt", "seem", "seemed"])  # their adjectives are mostly left out
_LONGEST_PHRASE = 3
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_BEFORE_NOUN = frozenset(["DT", "PDT", "JJ", "JJR", "JJS", "CD", "VBN", "VBG", *_NOUNS])
_BETWEEN = frozenset(["RB", "RBR", "RP", "PRP$"])  # may stand between a verb and the phrase after it


def verb_plot(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], rng: np.random.Generator | None = None
) -> Plot:
    """The verbs of each sentence, each with the noun phrase before it and the noun phrase or adjective after it.

    Forms of be, have and do are left out where they may be auxiliaries. A phrase has at most three words and no
    possessive before it; of the pronouns, it, you and what count as phrases before a verb.

    Args:
        sentences: tokens of each sentence, cased or lower-cased.
        tags: their Penn Treebank tags.
        rng: not used: every extractor takes one.

    >>> verb_plot([["the", "old", "man", "slowly", "opened", "his", "door", "."]],
    ...           [["DT", "JJ", "NN", "RB", "VBD", "PRP$", "NN", "."]])
    [['opened', 'door']]
    """
    return [_phrases(words, line) for words, line in zip(sentences, tags, strict=True)]


def _phrases(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    lowered = [word.lower() for word in words]
    chunks = noun_phrases(tags)
    inside = {place for start, end in chunks for place in range(start, end)}
    spans: set[tuple[int, int]] = set()
    for place, tag in enumerate(tags):
        if tag not in VERBS or lowered[place] in LIGHT_VERBS:
            continue
        spans.add((place, place + 1))
        if place not in inside:
            spans.update(_before(place, lowered, chunks))
            spans.update(_after(place, lowered, tags, chunks))
    return [" ".join(words[start:end]) for start, end in sorted(spans)]


def noun_phrases(tags: Sequence[str]) -> list[tuple[int, int]]:
    """Spans (end exclusive) of base noun phrases, leading possessives left out."""
    chunks: list[tuple[int, int]] = []
    start: int | None = None
    for place in range(len(tags) + 1):
        tag = tags[place] if place < len(tags) else ""
        fits = tag in _BEFORE_NOUN or (tag == "POS" and start is not None)
        if tag in ("VBN", "VBG") and (start is None or tags[place - 1] == "NN"):
            fits = False  # a participle belongs to a phrase only after its determiner or adjective
        if tag in ("DT", "PDT", "CD") and start is not None and tags[place - 1] in _NOUNS:
            _close(chunks, start, place, tags)
            start = None
        if fits:
            start = place if start is None else start
        elif start is not None:
            _close(chunks, start, place, tags)
            start = None
    return chunks


def _close(chunks: list[tuple[int, int]], start: int, end: int, tags: Sequence[str]) -> None:
    while end > start and tags[end - 1] not in _NOUNS:
        end -= 1
    if end > start:
        chunks.append((start, end))


def _before(verb: int, words: Sequence[str], chunks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The subject just before a verb, also across a relative pronoun."""
    if verb and words[verb - 1] in _KEPT_SUBJECTS:
        return [(verb - 1, verb)]
    found = [chunk for chunk in chunks if chunk[1] == verb and chunk[1] - chunk[0] <= _LONGEST_PHRASE]
    if verb and words[verb - 1] in _RELATIVES:
        found += [chunk for chunk in chunks if chunk[1] == verb - 1]
    return found


def _after(
    verb: int, words: Sequence[str], tags: Sequence[str], chunks: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The noun phrase or adjective just after a verb, adverbs, particles and possessives between them.

    None where the phrase goes on with "of": the published plots have the whole of it or nothing.
    """
    place = verb + 1
    while place < len(tags) and tags[place] in _BETWEEN:
        place += 1
    for start, end in chunks:
        if start == place:
            goes_on = end < len(words) and words[end] == "of"
            return [] if goes_on or end - start > _LONGEST_PHRASE else [(start, end)]
    if place < len(tags) and tags[place] == "JJ" and words[verb] not in _COPULAS:
        return [(place, place + 1)]
    return []
