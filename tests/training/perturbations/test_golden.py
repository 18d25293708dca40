"""Golden cases of every technique, and stories that must yield nothing (`golden.yaml`, `nothing.yaml`)."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from openmeva.training.perturbations import ASPECTS, PerturbationMaterial, Perturber

HERE = Path(__file__).parent
GOLDEN = yaml.safe_load((HERE / "golden.yaml").read_text(encoding="utf-8"))
NOTHING = yaml.safe_load((HERE / "nothing.yaml").read_text(encoding="utf-8"))
TECHNIQUES = [(name, technique) for name, aspect in ASPECTS.items() for technique in aspect.techniques]


@pytest.mark.parametrize(("aspect", "technique"), TECHNIQUES)
def test_golden(aspect: str, technique: str, material: PerturbationMaterial) -> None:
    perturber = Perturber(aspect, 1, [technique], material)
    results = {}
    for case in GOLDEN[aspect][technique]:
        result = perturber.perturb(case["before"], case["before"])
        results[case["before"]] = result and result.story
    assert results == {case["before"]: case["after"] for case in GOLDEN[aspect][technique]}


@pytest.mark.parametrize(("aspect", "technique"), TECHNIQUES)
def test_enough_golden_cases_of_both_styles(aspect: str, technique: str) -> None:
    cases = [case["before"] for case in GOLDEN[aspect][technique]]
    tokenised = [text for text in cases if text.islower()]
    assert len(tokenised) >= 5
    assert len(cases) - len(tokenised) >= 5


@pytest.mark.parametrize("aspect", ASPECTS)
def test_unsuitable_stories_are_not_perturbed(aspect: str, material: PerturbationMaterial) -> None:
    perturber = Perturber(aspect, 1, material=replace(material, keep=NOTHING[aspect]["keep"]))
    stories = NOTHING[aspect]["stories"]
    assert len(stories) >= 10
    assert {story: perturber.perturb(story, story) for story in stories} == dict.fromkeys(stories)
