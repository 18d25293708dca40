"""Paraphrase: a sentence is replaced by a paraphrase."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import INVARIANCE, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.paraphrasing import good_paraphrase
from openmeva.training.text.edits import Edit
from openmeva.training.text.story import Story


def substitute_paraphrase(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces a sentence by a paraphrase, selected by `paraphrasing.good_paraphrase`."""
    for sentence in rng.shuffled(story.sentences[material.keep :]):
        new = good_paraphrase(sentence, rng, material)
        if new is not None:
            return [Edit(sentence.start, sentence.end, new)]
    return None


ASPECT = Aspect(
    name="paraphrase",
    kind=INVARIANCE,
    title="Paraphrase",
    meaning="A sentence is paraphrased: the story's quality does not change.",
    techniques={"paraphrase_substitution": substitute_paraphrase},
    needs=("paraphraser", "similarity"),
)
