"""The speed function and the samples for reading, on a few stories."""

from pathlib import Path

import pytest

from openmeva.training.perturbations import ASPECTS, PerturbationMaterial, precision
from openmeva.training.speed import perturbations as speed

STORIES = [
    "Ben fed the hens. They were happy because it rained. Then he slept.",
    "Nora sang. She won. We left.",
]


def test_speed_has_a_rate_for_every_aspect() -> None:
    rates = speed.perturbations_per_second(4, STORIES, lambda pairs: [1.0] * len(pairs))
    assert list(rates) == list(ASPECTS)
    assert min(rates.values()) > 0
    with pytest.raises(ValueError, match="1 or more"):
        speed.perturbations_per_second(0)
    with pytest.raises(ValueError, match="at least one story"):
        speed.perturbations_per_second(1, [])


def test_samples_mark_what_changed() -> None:
    found = list(
        precision.samples(
            STORIES, "causal_relationship", "cause_effect_exchange", 1, 5, PerturbationMaterial(1)
        )
    )
    assert len(found) == 1
    assert "[They were happy => It rained]" in found[0]


def test_the_sheet_names_every_technique() -> None:
    sheet = (
        (Path(precision.__file__).parent / "PRECISION.md")
        .read_text(encoding="utf-8")
        .replace("n-gram", "ngram")
    )
    for aspect in ASPECTS.values():
        for technique in aspect.techniques:
            words = technique.replace("cause_effect", "cause_and_effect").replace("_", " ")
            assert words in sheet
