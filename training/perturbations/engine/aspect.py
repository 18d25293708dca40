"""One aspect: what it probes, its techniques, and which stories are coherent examples of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openmeva.training.common.draws import Draws
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.text.edits import Edit
from openmeva.training.text.story import Story

Technique = Callable[[Story, Draws, PerturbationMaterial], list[Edit] | None]
"""Makes the edits of one perturbation, or None where the story does not qualify."""

Selection = Callable[[Story, PerturbationMaterial], bool]
"""Whether a story is a coherent example of an aspect (Table 1)."""

DISCRIMINATION, INVARIANCE = "discrimination", "invariance"


def every_story(story: Story, material: PerturbationMaterial) -> bool:
    """The selection of aspects that any story suits."""
    return True


@dataclass(frozen=True)
class Aspect:
    """An aspect of OpenMEVA's section 3.2.

    Attributes:
        name: as in the registry and on the command line.
        kind: "discrimination" (the story becomes incoherent) or "invariance" (its quality stays).
        title: as people read it.
        meaning: what happens to a story, in one sentence.
        techniques: by name, at least one.
        needs: what must be there: "wordnet", "conceptnet" (fetched), or "corpus", "paraphraser",
            "similarity" (given in the `PerturbationMaterial`).
        selects: coherent examples, for discrimination.
        selection_needs: as `needs`, for `selects`.
    """

    name: str
    kind: str
    title: str
    meaning: str
    techniques: Mapping[str, Technique]
    needs: tuple[str, ...] = ()
    selects: Selection = every_story
    selection_needs: tuple[str, ...] = ()
