"""Synonym: a word is replaced by a synonym."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import INVARIANCE, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.replacing import keyword_places, replace_word
from openmeva.training.perturbations.rules.synonyms import fitting_synonyms
from openmeva.training.text.edits import Edit
from openmeva.training.text.story import Story


def substitute_synonym(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces one keyword by a WordNet synonym in the same form."""
    candidates = keyword_places(story, material.keep)
    for sentence, at in rng.shuffled(candidates):
        synonyms = fitting_synonyms(sentence, at)
        if synonyms:
            return replace_word(sentence, at, rng.choice(synonyms))
    return None


ASPECT = Aspect(
    name="synonym",
    kind=INVARIANCE,
    title="Synonym",
    meaning="A word is replaced by a synonym: the story's quality does not change.",
    techniques={"synonym_substitution": substitute_synonym},
    needs=("wordnet",),
)
