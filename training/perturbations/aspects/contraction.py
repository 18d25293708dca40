"""Contraction: "it is" and "it's", "did not" and "didn't"."""

from collections.abc import Callable

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import INVARIANCE, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.contractions import contractions, expansions
from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story


def contract(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Contracts all possible forms: "not" after auxiliaries; be, have, will and would after pronouns."""
    return _all_sites(story, material, contractions)


def expand(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Expands all contractions; the possessive "'s" does not change."""
    return _all_sites(story, material, expansions)


def _all_sites(
    story: Story, material: PerturbationMaterial, find: Callable[[Sentence], list[Edit]]
) -> list[Edit] | None:
    edits = [edit for sentence in story.sentences[material.keep :] for edit in find(sentence)]
    return edits or None


ASPECT = Aspect(
    name="contraction",
    kind=INVARIANCE,
    title="Contraction",
    meaning="“did not” becomes “didn't”, or vice versa: the story's quality does not change.",
    techniques={"contraction": contract, "expansion": expand},
)
