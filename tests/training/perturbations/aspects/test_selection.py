"""Which stories are coherent examples of an aspect (Table 1)."""

import pytest

from openmeva.training.perturbations import ASPECTS, PerturbationMaterial, Story

CASES = [
    ("character_behavior", "Tom was bitten by a dog.", True),
    ("character_behavior", "He gave it to me.", True),
    ("character_behavior", "He gave himself his due.", False),
    ("common_sense", "She read a book in the library.", True),
    ("common_sense", "Oh well, it was him.", False),
    ("consistency", "She was unhappy.", True),
    ("consistency", "It did n't rain .", True),
    ("consistency", "She sat under a tree.", False),
    ("causal_relationship", "He fell because it was icy.", True),
    ("causal_relationship", "It was so cold.", False),
    ("causal_relationship", "the sky is clear . so he can see it .", True),
    ("temporal_relationship", "Then he left.", True),
    ("temporal_relationship", "He left.", False),
    ("lexical_repetition", "He left.", True),
]


@pytest.mark.parametrize(("aspect", "story", "expected"), CASES)
def test_selection(aspect: str, story: str, expected: bool) -> None:
    assert ASPECTS[aspect].selects(Story(story), PerturbationMaterial()) is expected


@pytest.mark.parametrize(("score", "expected"), [(-0.2, True), (0.3, False)])
def test_weakly_related_stories_have_no_pair_above_the_threshold(score: float, expected: bool) -> None:
    material = PerturbationMaterial(similarity=lambda pairs: [-0.5] * (len(pairs) - 1) + [score])
    story = Story("Ben fed the hens. It rained in Rome. Nora sold a car.")
    assert ASPECTS["relatedness"].selects(story, material) is expected


def test_relatedness_without_a_similarity_is_refused() -> None:
    with pytest.raises(ValueError, match="similarity"):
        ASPECTS["relatedness"].selects(Story("He ran. She sang."), PerturbationMaterial())
