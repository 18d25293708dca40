"""Words linked by ConceptNet: the neighbours of a word, and whether two words are related.

ConceptNet must have been fetched: `openmeva resources`.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from openmeva.training.text.inflection import lemma, with_case_of
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.conceptnet_files import COMMONSENSE_RELATIONS, KINDS_AND_PARTS, load
from openmeva.training.text.knowledge.lexicon import CONTENT_CLASSES, known_lemma, surface_forms


def neighbours(word: str, tag: str) -> tuple[str, ...]:
    """Words of the same part of speech at the other end of a ConceptNet triple, in either direction.

    The relations are `COMMONSENSE_RELATIONS` except those of kinds and parts (a shoe and its heel, a father and a
    family), since such a word often fits in the same place. A word is looked up by its form and by its lemma.

    Args:
        word: a token in any case.
        tag: its Penn Treebank tag.

    Returns:
        Single words known to WordNet, inflected to `tag` and cased as `word`, sorted; empty unless `word`
        is a noun, verb, adjective or adverb.

    Raises:
        MissingResourceError: ConceptNet or WordNet has not been fetched.
    """
    return tuple(with_case_of(word, neighbour) for neighbour in _neighbours(word.lower(), tag))


def are_linked(word: str, tag: str, other: str, other_tag: str) -> bool:
    """Whether two words are the two ends of a ConceptNet triple, in either direction, by form or by lemma.

    Args:
        word, tag: one word and its Penn Treebank tag.
        other, other_tag: the other word. Only nouns, verbs, adjectives and adverbs have links.

    Raises:
        MissingResourceError: ConceptNet has not been fetched.
    """
    links = _links(COMMONSENSE_RELATIONS)
    if tag not in CONTENT_CLASSES or other_tag not in CONTENT_CLASSES:
        return False
    others = _forms(other, other_tag)
    return any(other_form in links.get(form, ()) for form in _forms(word, tag) for other_form in others)


def _forms(word: str, tag: str) -> set[str]:
    lowered = word.lower()
    return {lowered, lemma(lowered, tag)}


@lru_cache(maxsize=1 << 16)
def _neighbours(word: str, tag: str) -> tuple[str, ...]:
    if tag not in CONTENT_CLASSES:
        return ()
    links, kinds_and_parts = _links(COMMONSENSE_RELATIONS), _links(KINDS_AND_PARTS)
    forms = _forms(word, tag)
    ends = {
        end for form in forms for end in links.get(form, frozenset()) - kinds_and_parts.get(form, frozenset())
    }
    lemmas = {known_lemma(end, tag) for end in ends} - {None}
    return surface_forms([base for base in lemmas if base], word, lemma(word, tag), tag)


@lru_cache(maxsize=2)
def _links(relations: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """For each single word, the single words that it shares a triple of these relations with."""
    links: defaultdict[str, set[str]] = defaultdict(set)
    for relation, head, tail in load(resources.require_resource("conceptnet")):
        if relation in relations and head.isalpha() and tail.isalpha() and head != tail:
            links[head].add(tail)
            links[tail].add(head)
    return {word: frozenset(linked) for word, linked in links.items()}
