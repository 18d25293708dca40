"""Common sense: things and actions are replaced by neighbors in ConceptNet."""

from functools import lru_cache

from nltk.corpus.reader.wordnet import Synset

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.nominals import lexicographer_file, noun_fits
from openmeva.training.perturbations.rules.replacing import replace_word
from openmeva.training.perturbations.rules.set_phrases import is_replaceable
from openmeva.training.perturbations.rules.valency import LIGHT_VERBS, verb_fits
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge.commonsense import are_linked, neighbours
from openmeva.training.text.knowledge.lexicon import (
    CONTENT_CLASSES,
    STOP_WORDS,
    is_keyword,
    known_lemma,
    wordnet,
)
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import COARSE_WORDS, word_set

SHARE = 0.1
_SENSES = 4  # the frequent ones
_FITS_ANYWHERE = word_set(
    "cheat walk learn live love laugh resource family person"
)  # make sense in most places
_INDEFINITE = word_set(
    "everything something anything nothing everyone someone anyone nobody everybody somebody case"
)


def entities(story: Story, keep: int = 0) -> list[tuple[Sentence, int]]:
    """Nouns and verbs of a story from sentence `keep` on, except names, auxiliaries and function words."""
    return [
        (sentence, at)
        for sentence in story.sentences[keep:]
        for at, (word, tag) in enumerate(zip(sentence.lowered, sentence.tags, strict=True))
        if tag in CONTENT_CLASSES
        and tag[0] in "NV"
        and word not in _INDEFINITE
        and is_keyword(word, tag)
        and not story.is_name(sentence.words[at])
    ]


def is_example(story: Story, material: PerturbationMaterial) -> bool:
    """Stories with both ends of a ConceptNet triple among their nouns and verbs (Table 1)."""
    tagged_words = sorted({(sentence.lowered[at], sentence.tags[at]) for sentence, at in entities(story)})
    return any(
        are_linked(word, tag, other, other_tag)
        for index, (word, tag) in enumerate(tagged_words)
        for other, other_tag in tagged_words[index + 1 :]
        if lemma(word, tag) != lemma(other, other_tag)
    )


def substitute_neighbours(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces a tenth of the entities, at least one, by neighbors of the same part of speech and form."""
    positions = entities(story, material.keep)
    wanted = max(1, round(SHARE * len(positions)))
    held = {word for sentence in story.sentences for word in sentence.lowered}
    edits: list[Edit] = []
    num_replaced = 0
    for sentence, at in rng.shuffled(positions):
        new = neighbour(sentence, at, held, rng)
        if new is None or not is_replaceable(sentence, at):
            continue
        edits += replace_word(sentence, at, new)
        num_replaced += 1
        if num_replaced == wanted:
            return edits
    return edits or None


@lru_cache(maxsize=1 << 16)
def breaks_common_sense(word: str, new: str, tag: str) -> bool:
    """Whether `new` differs in meaning from `word`: neither is a hypernym of the other, and `new` is no proper noun.

    ConceptNet links a dog to an animal and to a dalmatian; both leave the story sensible. So does a word of the same
    field: artifacts ("floor" and "chair"), times, verbs of thought ("decided" and "learned"). A verb that SemCor never
    has is a noun's rare use ("to lunch").
    """
    part = CONTENT_CLASSES[tag]
    first, second = lemma(word, tag), lemma(new, tag)
    if second in STOP_WORDS or new in STOP_WORDS or second in COARSE_WORDS | _FITS_ANYWHERE:
        return False
    own, others = wordnet().synsets(first, part)[:_SENSES], wordnet().synsets(second, part)[:_SENSES]
    if not others or not any(entry.name() == second for synset in others for entry in synset.lemmas()):
        return False  # a name: "Italy"
    if lexicographer_file(first, part) == lexicographer_file(second, part):
        return False
    if part == "v" and not any(sense.mentions for sense in senses(second, part)):
        return False
    for one in own:
        for other in others:
            if one == other or other in _near_hypernyms(one) or one in _near_hypernyms(other):
                return False
    return True


def _near_hypernyms(synset: Synset) -> set[Synset]:
    """The hypernyms of a thing or an action, up to three steps away."""
    hypernyms: set[Synset] = set()
    level = [synset]
    for _ in range(3):
        level = [parent for child in level for parent in child.hypernyms()]
        hypernyms.update(level)
    return hypernyms


def neighbour(sentence: Sentence, at: int, held: set[str], rng: BufferedRandom) -> str | None:
    """A neighbor that fits in the place of the word at `at` and is not in the story yet."""
    word, tag = sentence.lowered[at], sentence.tags[at]
    base = lemma(word, tag)
    if base in LIGHT_VERBS or known_lemma(word, tag) != base:
        return None  # the second: a mistagged word
    candidates = [
        new
        for new in neighbours(word, tag)
        if new not in held and breaks_common_sense(word, new, tag) and noun_fits(sentence, at, new)
    ]
    if tag.startswith("V"):
        candidates = [
            new
            for new in candidates
            if lemma(new, tag) not in LIGHT_VERBS and verb_fits(sentence, at, lemma(new, tag))
        ]
    return rng.choice(candidates) if candidates else None


ASPECT = Aspect(
    name="common_sense",
    kind=DISCRIMINATION,
    title="Common sense",
    meaning="A word is replaced by a related one that makes no sense there.",
    techniques={"neighbor_substitution": substitute_neighbours},
    needs=("wordnet", "conceptnet"),
    selects=is_example,
    selection_needs=("wordnet", "conceptnet"),
)
