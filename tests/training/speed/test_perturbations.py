"""Stories perturbed a second, on a few stories."""

import pytest

from openmeva.training.perturbations import ASPECTS
from openmeva.training.speed import perturbations as speed

STORIES = [
    "Ben fed the hens. They were happy because it rained. Then he slept.",
    "Nora sang. She won. We left.",
]


@pytest.mark.usefixtures("everyday_facts")
def test_perturbation_speed_has_a_rate_for_every_aspect() -> None:
    rates = speed.perturbations_per_second(4, STORIES, lambda pairs: [1.0] * len(pairs))
    assert list(rates) == list(ASPECTS)
    assert min(rates.values()) > 0
    with pytest.raises(ValueError, match="1 or more"):
        speed.perturbations_per_second(0)
    with pytest.raises(ValueError, match="at least one story"):
        speed.perturbations_per_second(1, [])
