"""Infilling replaces a random share of a sentence's words."""

from typing import Any

from openmeva.training.graded.sampling import GradedSampler, GradedSampling


def test_shares_of_resampled_words_span_the_range() -> None:
    shares: list[float] = []

    def infiller(stories: Any, at: Any, wanted: Any, rng: Any) -> Any:
        shares.extend(wanted)
        return [["z"] * len(story[index]) for story, index in zip(stories, at, strict=True)]

    sampling = GradedSampling(edits={"infill": 1.0}, levels=1)
    unused: Any = None
    sampler = GradedSampler([[["a"], ["b"]]] * 200, lambda _: None, unused, infiller, sampling, 0)
    list(sampler.chains(range(200)))
    assert 0.3 <= min(shares) < 0.33
    assert 0.77 < max(shares) <= 0.8
