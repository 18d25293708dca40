"""Relatedness: words and sentences are replaced by unrelated ones."""

from functools import lru_cache
from itertools import combinations

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.aspects.common_sense import entities, is_replaceable
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.similarity import any_similar
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.rules.nominals import noun_fits
from openmeva.training.perturbations.rules.replacing import replace_word
from openmeva.training.perturbations.rules.valency import LIGHT_VERBS, verb_fits
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import inflect, lemma
from openmeva.training.text.knowledge.lexicon import CONTENT_CLASSES, known_lemma, wordnet
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story

SHARE = 0.25
_TRIALS = 12


def is_example(story: Story, material: PerturbationMaterial) -> bool:
    """Stories whose sentences are weakly related: no pair reaches the threshold in MoverScore (Table 1).

    Raises:
        ValueError: the material has no similarity.
    """
    if material.similarity is None:
        raise ValueError("relatedness: expected a similarity to select coherent examples, got none")
    texts = [sentence.text for sentence in story.sentences]
    pairs = list(combinations(texts, 2))
    return bool(pairs) and not any_similar(material.similarity, pairs, material.thresholds.relatedness)


def substitute_words(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Replaces a quarter of the nouns and verbs, or as many as can be, by random ones of the corpus in the same form."""
    corpus = _corpus(material)
    places = entities(story, material.keep)
    wanted = max(1, round(SHARE * len(places)))
    edits: list[Edit] = []
    num_replaced = 0
    for sentence, at in rng.shuffled([index for index in places if is_replaceable(*index)]):
        new = random_word(sentence, at, corpus, rng)
        if new is not None:
            edits += replace_word(sentence, at, new)
            num_replaced += 1
        if num_replaced == wanted:
            break
    return edits or None


def random_word(sentence: Sentence, at: int, corpus: StoryPool, rng: BufferedRandom) -> str | None:
    """A noun or verb, sampled by frequency, that fits in the place of the one at `at`."""
    word, tag = sentence.lowered[at], sentence.tags[at]
    own = lemma(word, tag)
    if tag == "VBP" and inflect(own, "VBD") == word:
        return None  # "he beat me": a mistagged past tense
    if own in LIGHT_VERBS or not _is_form(word, own, tag) or (tag == "NN" and word.endswith("ing")):
        return None
    for _ in range(_TRIALS):
        new = corpus.word_for(sentence, at, rng)
        if new is None:
            return None
        base = lemma(new, tag)
        if base == own or new in sentence.lowered or not _is_form(new, base, tag):
            continue  # the last: a mistagged word of the corpus
        if tag == "NN" and not noun_fits(sentence, at, new):
            continue
        if tag.startswith("V") and (base in LIGHT_VERBS or not verb_fits(sentence, at, base)):
            continue
        return new
    return None


@lru_cache(maxsize=1 << 15)
def _is_form(word: str, base: str, tag: str) -> bool:
    """Whether `word` is the form for `tag` of a lemma in common use; a mistagged word is not.

    WordNet finds "Sat" for "sat".
    """
    if inflect(base, tag) != word or known_lemma(word, tag) != base:
        return False
    part = CONTENT_CLASSES[tag]
    if any(sense.mentions for sense in senses(base, part)):
        return True  # much faster than reading the entries
    return any(entry.name().islower() for entry in wordnet().lemmas(base, part))


def substitute_sentence(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces a sentence by one of another story in the same style."""
    corpus = _corpus(material)
    if len(story) <= material.keep or len(story) < 2:
        return None
    sentence = rng.choice(story.sentences[material.keep :])
    new = corpus.sentence_for(sentence, rng)
    return None if new is None else [Edit(sentence.start, sentence.end, new)]


def _corpus(material: PerturbationMaterial) -> StoryPool:
    if material.corpus is None:
        raise ValueError("relatedness: expected a corpus of other stories, got none")
    return material.corpus


ASPECT = Aspect(
    name="relatedness",
    kind=DISCRIMINATION,
    title="Relatedness",
    meaning="Words or a sentence are replaced by ones from other stories.",
    techniques={"word_substitution": substitute_words, "sentence_substitution": substitute_sentence},
    needs=("wordnet", "corpus"),
    selects=is_example,
    selection_needs=("similarity",),
)
