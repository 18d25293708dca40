"""WritingPrompts' plots: verbs with the adjacent phrases, by part-of-speech tags (section 5.1).

The paper takes verbs and arguments from a semantic-role labeller (Fan et al. 2019). Chunks of tags approximate it;
`semantic_roles` uses a labeller if one is available.
"""

from collections.abc import Sequence

import numpy as np

from openmeva.training.plot_guided.plots.plot import Plot

VERBS = frozenset(["VB", "VBD", "VBG", "VBN", "VBP", "VBZ"])
LIGHT_VERBS = frozenset("be is are was were 's 'm 're 've have has had 'd do does did".split())
_AUXILIARIES = frozenset(["am", "been", "being"])  # before a participle
# Pronouns before a verb that the published plots keep; the others occur in almost every sentence.
_KEPT_SUBJECTS = frozenset(["it", "you", "what"])
_RELATIVES = frozenset(["that", "who", "which"])
_COPULAS = frozenset(["feel", "felt", "seem", "seemed"])  # their adjectives are mostly excluded
_LONGEST_PHRASE = 3
_LONGEST_INFINITIVE = 5  # in words, including "to"
_NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_BEFORE_NOUN = frozenset(["DT", "PDT", "JJ", "JJR", "JJS", "CD", "VBN", "VBG", *_NOUNS])
_ADVERBS = frozenset(["RB", "RBR"])
_BETWEEN = _ADVERBS | {"RP", "PRP$"}  # may occur between a verb and the phrase after it
_PREPOSITIONS = frozenset(["IN", "TO"])
_CLAUSE_ENDS = frozenset([".", ",", ":", "``", "''", "-LRB-", "-RRB-", "CC", ""])
_PHRASE_ENDS = _CLAUSE_ENDS | _PREPOSITIONS | VERBS | {"WP", "WRB", "WDT"}


def verb_plot(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], rng: np.random.Generator | None = None
) -> Plot:
    """The verbs of each sentence, each with the noun phrase before it and the noun phrase or adjective after it.

    Auxiliaries and contractions are excluded. A phrase has at most three words and no leading possessive. The pronouns
    it, you and what count as phrases before a verb; any pronoun counts after a preposition at the end of a clause. A
    short infinitive at the end of a clause is one phrase. A labeller's arguments can be whole clauses, which are too
    long for a plot; so a verb is excluded before a longer infinitive and before a noun with a relative clause.

    Args:
        sentences: tokens of each sentence, cased or lower-cased.
        tags: their Penn Treebank tags.
        rng: not used; part of the interface of extractors.

    >>> verb_plot([["the", "old", "man", "slowly", "opened", "his", "door", "."]],
    ...           [["DT", "JJ", "NN", "RB", "VBD", "PRP$", "NN", "."]])
    [['opened', 'door']]
    >>> verb_plot([["she", "wanted", "to", "sleep", "."]], [["PRP", "VBD", "TO", "VB", "."]])
    [['wanted', 'to sleep']]
    """
    return [_Sentence(words, line).phrases() for words, line in zip(sentences, tags, strict=True)]


class _Sentence:
    """The phrases of one sentence; spans of words have exclusive ends."""

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words, self.lowered, self.tags = words, [word.lower() for word in words], tags
        chunks = noun_phrases(tags)
        self.chunk_from, self.chunk_to = dict(chunks), {end: start for start, end in chunks}
        self.inside = {index for start, end in chunks for index in range(start, end)}

    def phrases(self) -> list[str]:
        """All phrases, in the order of the text."""
        spans: set[tuple[int, int]] = set()
        infinitive_end = 0  # words before this index belong to an infinitive
        for verb in range(len(self.words)):
            if verb < infinitive_end or not self._is_main_verb(verb):
                continue
            infinitive = self._infinitive(verb)
            if infinitive and self._ends_clause(infinitive[1]):
                spans |= {(verb, verb + 1), infinitive, *self._before(verb)}
                infinitive_end = infinitive[1]
            elif infinitive:  # the argument is too long; its own verb represents both
                continue
            elif verb in self.inside:
                spans.add((verb, verb + 1))
            else:
                after = self._after(verb)
                spans |= {*self._before(verb), *(after or ())}
                if after is not None:
                    spans.add((verb, verb + 1))
        return [" ".join(self.words[start:end]) for start, end in sorted(spans)]

    def _tag(self, index: int) -> str:
        return self.tags[index] if index < len(self.tags) else ""

    def _word(self, index: int) -> str:
        return self.lowered[index] if index < len(self.words) else ""

    def _past(self, index: int, tags: frozenset[str]) -> int:
        """The first index from `index` on with none of these tags."""
        while self._tag(index) in tags:
            index += 1
        return index

    def _ends_clause(self, index: int) -> bool:
        return self._tag(index) in _CLAUSE_ENDS

    def _is_main_verb(self, index: int) -> bool:
        word = self.lowered[index]
        if self.tags[index] not in VERBS or word in LIGHT_VERBS or "'" in word:
            return False
        return not (word in _AUXILIARIES and self._tag(self._past(index + 1, _ADVERBS)) in ("VBN", "VBG"))

    def _infinitive(self, verb: int) -> tuple[int, int] | None:
        """The infinitive after a verb: a short one that ends a clause, or a longer one that a preposition follows."""
        start = self._past(verb + 1, _ADVERBS)
        if self._word(start) != "to" or self._tag(start + 1) != "VB":
            return None
        end = start + 2
        while self._tag(end) not in _PHRASE_ENDS:
            end += 1
        if self._ends_clause(end):
            return (start, end) if end - start <= _LONGEST_PHRASE else None
        own_phrase = 2 < end - start <= _LONGEST_INFINITIVE
        return (start, end) if own_phrase and self._tag(end) in _PREPOSITIONS else None

    def _before(self, verb: int) -> list[tuple[int, int]]:
        """The subject directly before a verb, also across a relative pronoun; not the object of a preposition."""
        if verb and self.lowered[verb - 1] in _KEPT_SUBJECTS:
            return [(verb - 1, verb)]
        spans = []
        start = self.chunk_to.get(verb, 0)
        governed = start > 0 and self.tags[start - 1] in _PREPOSITIONS
        if verb in self.chunk_to and verb - start <= _LONGEST_PHRASE and not governed:
            spans.append((start, verb))
        if verb and self.lowered[verb - 1] in _RELATIVES and verb - 1 in self.chunk_to:
            spans.append((self.chunk_to[verb - 1], verb - 1))
        return spans

    def _after(self, verb: int) -> list[tuple[int, int]] | None:
        """The complement of a verb, after adverbs, particles and possessives; None if it is a whole clause.

        Empty if the phrase continues with "of": the published plots have the whole phrase or nothing.
        """
        start = self._past(verb + 1, _BETWEEN)
        end = self.chunk_from.get(start)
        if end is not None:
            if self._word(end) in _RELATIVES:
                return None
            goes_on = self._word(end) == "of" or self._tag(end) == "PRP"  # "the man I saw"
            return [] if goes_on or end - start > _LONGEST_PHRASE else [(start, end)]
        if self._tag(start) == "JJ" and self.lowered[verb] not in _COPULAS:
            return [(start, start + 1)]
        if self._tag(start) in _PREPOSITIONS and self._tag(start + 1) == "PRP":
            rest = self._tag(start + 2)
            if rest in _CLAUSE_ENDS or rest in _PREPOSITIONS:
                return [(start + 1, start + 2)]
        return []


def noun_phrases(tags: Sequence[str]) -> list[tuple[int, int]]:
    """Spans (end exclusive) of base noun phrases, without leading possessives."""
    chunks: list[tuple[int, int]] = []
    start: int | None = None
    for index in range(len(tags) + 1):
        tag = tags[index] if index < len(tags) else ""
        fits = tag in _BEFORE_NOUN or (tag == "POS" and start is not None)
        if tag in ("VBN", "VBG") and (start is None or tags[index - 1] == "NN"):
            fits = False  # a participle is part of a phrase only after its determiner or adjective
        if tag in ("DT", "PDT", "CD") and start is not None and tags[index - 1] in _NOUNS:
            _close(chunks, start, index, tags)
            start = None
        if fits:
            start = index if start is None else start
        elif start is not None:
            _close(chunks, start, index, tags)
            start = None
    return chunks


def _close(chunks: list[tuple[int, int]], start: int, end: int, tags: Sequence[str]) -> None:
    while end > start and tags[end - 1] not in _NOUNS:
        end -= 1
    if end > start:
        chunks.append((start, end))
