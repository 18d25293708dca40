"""When the difference between two metrics is called clear."""

import numpy as np

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.own.measure import Sampling, _comparisons
from openmeva.training.statistics.permutation import PermutationTests, random_swaps


def test_difference_explained_by_prompts_is_not_clear() -> None:
    """Two similar metrics, on 40 prompts of five stories whose quality and scores depend mostly on the prompt."""
    prompts = np.repeat(np.arange(40), 5)
    alone, clear = list[bool](), list[bool]()
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
        low, high = test["bootstrap"]["pearson"]["interval"]
        between = PermutationTests(
            np.stack(list(scores.values())), judged.scores, random_swaps(1000, np.arange(200), rng)
        )
        first = int(between.test(0, 1).difference < 0)
        alone.append(between.test(first, 1 - first).p_value <= 0.025)
        clear.append(test["verdict"] != "no clear difference")
        assert not clear[-1] or not low <= 0 <= high
    assert sum(alone) > 3, "of 20; if single stories are exchanged"
    assert sum(clear) <= 1
