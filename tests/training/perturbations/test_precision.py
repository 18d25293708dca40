"""The samples for annotation, and the table of results in `PRECISION.md`."""

from pathlib import Path

from openmeva.training.perturbations import ASPECTS, PerturbationMaterial, precision

STORIES = [
    "Ben fed the hens. They were happy because it rained. Then he slept.",
    "Nora sang. She won. We left.",
]


def test_samples_mark_changed_text() -> None:
    samples = list(
        precision.sample_perturbations(
            STORIES, "causal_relationship", "cause_effect_exchange", 1, 5, PerturbationMaterial(1)
        )
    )
    assert len(samples) == 1
    assert "[They were happy => It rained]" in samples[0]


def test_precision_sheet_names_every_technique() -> None:
    sheet = (
        (Path(precision.__file__).parent / "PRECISION.md")
        .read_text(encoding="utf-8")
        .replace("n-gram", "ngram")
    )
    for aspect in ASPECTS.values():
        for technique in aspect.techniques:
            words = technique.replace("cause_effect", "cause_and_effect").replace("_", " ")
            assert words in sheet
