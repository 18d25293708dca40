"""Perturbations of stories in one aspect at a time (OpenMEVA section 3.2, Tables 1 and 2).

`perturb(aspect, seed=…)` returns a function for `datasets.Dataset.map`. `Perturber` returns a `Perturbed` with
the technique and the changed spans, or None where a story does not qualify. Each aspect has its own module and
is registered by name in `ASPECTS`. Stories may be raw or tokenised, cased or not. Unchanged text is preserved
byte for byte.
"""

from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.perturbed import Perturbed
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.perturber import Perturber, perturb
from openmeva.training.text.story import Story, parse

__all__ = [
    "ASPECTS",
    "PerturbationMaterial",
    "Perturbed",
    "Perturber",
    "Story",
    "StoryPool",
    "parse",
    "perturb",
]
