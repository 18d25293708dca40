"""Semantic repetition: a sentence is repeated as a paraphrase."""

from dataclasses import replace

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.paraphrasing import good_paraphrase
from openmeva.training.text.edits import Edit
from openmeva.training.text.story import Story

# Words that make a paraphrase after its sentence a further event: "then he proceeded to leave".
_FURTHER = frozenset({"then", "after", "proceeded", "ahead", "next", "later"})


def repeat_meaning(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Inserts a paraphrase of a sentence after it; `paraphrasing.good_paraphrase` selects the paraphrase.

    It adds no word for a further event.
    """
    material = replace(material, avoided=material.avoided | _FURTHER)
    for sentence in rng.shuffled(story.sentences[material.keep :]):
        new = good_paraphrase(sentence, rng, material)
        if new is not None:
            blank = story.separator if "\n" not in story.separator and story.separator.isspace() else " "
            return [Edit(sentence.end, sentence.end, blank + new)]
    return None


ASPECT = Aspect(
    name="semantic_repetition",
    kind=DISCRIMINATION,
    title="Semantic repetition",
    meaning="A sentence is repeated as a paraphrase.",
    techniques={"paraphrase_repetition": repeat_meaning},
    needs=("paraphraser", "similarity"),
)
