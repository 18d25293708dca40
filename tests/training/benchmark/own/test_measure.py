"""When the difference between two metrics is called clear."""

from typing import Any

import numpy as np
import pytest

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.own import measure
from openmeva.training.benchmark.own.measure import Sampling, _comparisons


def test_difference_explained_by_prompts_is_not_clear() -> None:
    """Two similar metrics, on 40 prompts of five stories whose quality and scores depend mostly on the prompt."""
    prompts, verdicts = np.repeat(np.arange(40), 5), {}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        quality, *errors = (
            0.84 * rng.normal(size=40)[prompts] + 0.55 * rng.normal(size=200) for _ in range(3)
        )
        judged = JudgedStories.from_rows(
            {"story": f"s{index}", "prompt": str(prompts[index]), "score": value}
            for index, value in enumerate(quality)
        )
        scores = {name: quality + 1.5 * error for name, error in zip(("mine", "other"), errors, strict=True)}
        bootstrap = PromptBootstrap(judged.scores, judged.prompts, 200, np.random.default_rng(0))
        samples = {name: bootstrap.correlations(values) for name, values in scores.items()}
        test = _comparisons(["mine"], scores, judged, samples, Sampling(200, 0))["mine"]["other"]
        if test["permutation"]["holm"] < 0.05:
            low, high = test["bootstrap"]["pearson"]["interval"]
            verdicts[low <= 0 <= high] = [*verdicts.get(low <= 0 <= high, []), test["verdict"]]
    assert set(verdicts[True]) == {"no clear difference"}
    assert len(verdicts[True]) > 2
    assert len(verdicts.get(False, [])) <= 1


def test_verdict_follows_the_corrected_p_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Holm's correction, not the interval or the raw p-value alone, makes a difference clear."""

    def corrected(p_values: dict[str, float]) -> dict[str, dict[str, Any]]:
        return {name: {"p_value": p, "holm": 0.06, "significant": False} for name, p in p_values.items()}

    monkeypatch.setattr(measure, "correct_p_values", corrected)
    rng = np.random.default_rng(0)
    judged = JudgedStories.from_rows(
        {"story": f"s{n}", "score": value} for n, value in enumerate(rng.normal(size=80))
    )
    scores = {"mine": judged.scores + 0.1 * rng.normal(size=80), "other": rng.normal(size=80)}
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, 200, rng)
    samples = {name: bootstrap.correlations(values) for name, values in scores.items()}
    test = _comparisons(["mine"], scores, judged, samples, Sampling(200, 0))["mine"]["other"]
    assert test["permutation"]["p_value"] < 0.01
    assert test["bootstrap"]["pearson"]["interval"][0] > 0
    assert test["verdict"] == "no clear difference"
