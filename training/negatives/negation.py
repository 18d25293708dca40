"""Negation alteration (section 3.2, Table 8): one negation added to a sentence, or removed from it."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.text.negation.adding import addition_sites, negate
from openmeva.training.text.negation.removal import removal_sites, rewrite_without_negation
from openmeva.training.text.rewrite import Rewrite

LEXICAL = "lexical_negation"


def alter_negation(story: EditedStory, rng: BufferedRandom, material: NegativeMaterial) -> EditedStory | None:
    """Add or remove one negation in a random sentence, and adjust the verb forms.

    If the story allows both, each has probability 0.5, so that the word "not" alone says little about a
    sample. Tokens that an earlier operation touched do not change. Returns None if no verb and no negation
    can be altered.
    """
    order = rng.shuffled(range(material.keep, len(story.sentences)))
    directions = (remove_one, add_one) if rng.chance(0.5) else (add_one, remove_one)
    for direction in directions:
        for position in order:
            sentence = story.sentences[position]
            rewrite = direction(sentence, rng, material)
            if rewrite is not None:
                return story.with_sentence(LEXICAL, position, sentence.apply_rewrite(rewrite, LEXICAL))
    return None


def add_one(sentence: EditedSentence, rng: BufferedRandom, material: NegativeMaterial) -> Rewrite | None:
    """Negate one of the sentence's verbs; None if no rule applies."""
    words, tags, operations = sentence.words, sentence.tags, sentence.operations
    sites = [site for site in addition_sites(words, tags) if not operations[site[0]]]
    if not sites:
        return None
    at, rule = rng.choice(sites)
    return negate(words, tags, at, rule, rng.chance(material.contraction), material.language)


def remove_one(sentence: EditedSentence, rng: BufferedRandom, material: NegativeMaterial) -> Rewrite | None:
    """Remove one of the sentence's negations; None if there is none."""
    words, tags, operations = sentence.words, sentence.tags, sentence.operations
    sites = [at for at in removal_sites(words, tags) if not operations[at]]
    rewrites = [rewrite_without_negation(words, tags, at, material.language) for at in sites]
    untouched = [rewrite for rewrite in rewrites if not any(operations[rewrite.start : rewrite.end])]
    return rng.choice(untouched) if untouched else None
