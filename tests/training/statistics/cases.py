"""Shared data of the tests of statistics."""

import numpy as np
import pytest


def near(value):
    return pytest.approx(value, abs=1e-9)


def made_up(seed, n=40, ties=True):
    """Judgments, two metrics and prompts of three to six stories (and one of two), some of them constant."""
    rng = np.random.default_rng(seed)
    prompts = rng.permutation(np.repeat(np.arange(n), rng.integers(3, 7, n))[:n])
    prompts[:2] = 99
    quality = rng.normal(size=n)
    judgments = np.rint(3 + quality)
    metrics = quality + 0.8 * rng.normal(size=(2, n))
    if ties:
        metrics[1] = np.rint(metrics[1])
    judgments[prompts == prompts[5]] = 2
    return judgments, metrics, prompts, rng
