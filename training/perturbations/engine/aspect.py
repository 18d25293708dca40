"""One aspect: what it tests, its techniques, and which stories are coherent examples of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.text.edits import Edit
from openmeva.training.text.story import Story

Technique = Callable[[Story, BufferedRandom, PerturbationMaterial], list[Edit] | None]
"""Returns the edits of one perturbation, or None if the story does not qualify."""

Selection = Callable[[Story, PerturbationMaterial], bool]
"""Whether a story is a coherent example of an aspect (Table 1)."""

DISCRIMINATION, INVARIANCE = "discrimination", "invariance"


def every_story(story: Story, material: PerturbationMaterial) -> bool:
    """The selection of aspects for which any story qualifies."""
    return True


@dataclass(frozen=True)
class Aspect:
    """An aspect of OpenMEVA's section 3.2.

    Attributes:
        name: as in the registry and on the command line.
        kind: "discrimination" (the story becomes incoherent) or "invariance" (its quality does not change).
        title: display name.
        meaning: description of the change, in one sentence.
        techniques: by name, at least one.
        needs: requirements: "wordnet", "conceptnet" (downloaded), or "corpus", "paraphraser",
            "similarity" (given in the `PerturbationMaterial`).
        selects: whether a story is a coherent example, for discrimination.
        selection_needs: requirements of `selects`, as `needs`.
    """

    name: str
    kind: str
    title: str
    meaning: str
    techniques: Mapping[str, Technique]
    needs: tuple[str, ...] = ()
    selects: Selection = every_story
    selection_needs: tuple[str, ...] = ()
