"""Causal relationship: cause and effect are exchanged, or causal words replaced by their opposites."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.causal_words import (
    OPPOSITES,
    is_causal,
    is_causal_since,
    is_causal_so,
    result_opener,
)
from openmeva.training.perturbations.rules.clause_order import exchange_one
from openmeva.training.perturbations.rules.phrase_table import substitute_one
from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story


def is_example(story: Story, material: PerturbationMaterial) -> bool:
    """Stories with causal words (Table 12)."""
    return any(is_causal(sentence, at) for sentence in story.sentences for at in range(len(sentence)))


def conjunction_size(sentence: Sentence, at: int) -> int:
    """Number of tokens at `at` that are a causal conjunction; 0 for none."""
    word = sentence.lowered[at]
    if word == "because" and sentence.lowered[at + 1 : at + 2] != ["of"]:
        return 1
    return 1 if is_causal_so(sentence, at) or is_causal_since(sentence, at) else 0


def _reason_size(sentence: Sentence, at: int) -> int:
    return conjunction_size(sentence, at) if sentence.lowered[at] != "so" else 0


def exchange_cause_and_effect(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Exchanges cause and effect: two clauses around a conjunction, or two sentences with a linking word."""
    return exchange_one(
        story.sentences[material.keep :],
        rng,
        conjunction_size,
        _reason_size,
        lambda _, second: result_opener(second) or None,
    )


def substitute_causal_words(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces one causal word or phrase by its opposite."""
    return substitute_one(OPPOSITES, story.sentences[material.keep :], rng)


ASPECT = Aspect(
    name="causal_relationship",
    kind=DISCRIMINATION,
    title="Causal relationship",
    meaning="Cause and effect are exchanged, or a causal word is replaced by its opposite.",
    techniques={
        "cause_effect_exchange": exchange_cause_and_effect,
        "antonym_substitution": substitute_causal_words,
    },
    needs=("wordnet",),  # whether a word after "due to" may be a verb
    selects=is_example,
)
