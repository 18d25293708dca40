"""All aspects by name."""

from openmeva.training.perturbations.aspects import (
    causal_relationship,
    character_behavior,
    common_sense,
    consistency,
    contraction,
    lexical_repetition,
    paraphrase,
    punctuation,
    relatedness,
    semantic_repetition,
    synonym,
    temporal_relationship,
    typo,
)
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, INVARIANCE, Aspect

# In the order of Tables 1 and 2.
ASPECTS: dict[str, Aspect] = {
    module.ASPECT.name: module.ASPECT
    for module in (
        lexical_repetition,
        semantic_repetition,
        character_behavior,
        common_sense,
        consistency,
        relatedness,
        causal_relationship,
        temporal_relationship,
        synonym,
        paraphrase,
        punctuation,
        contraction,
        typo,
    )
}
DISCRIMINATION_ASPECTS = tuple(name for name, aspect in ASPECTS.items() if aspect.kind == DISCRIMINATION)
INVARIANCE_ASPECTS = tuple(name for name, aspect in ASPECTS.items() if aspect.kind == INVARIANCE)


def find_aspect(name: str) -> Aspect:
    """The aspect called `name`.

    Raises:
        ValueError: there is none; the message lists the known ones.
    """
    if name not in ASPECTS:
        raise ValueError(f"unknown aspect {name!r}: expected one of {', '.join(ASPECTS)}")
    return ASPECTS[name]
