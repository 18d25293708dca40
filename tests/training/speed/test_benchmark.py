"""What the benchmark's speed is measured on: stories of MANS' shape, of which every table is made."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.speed import benchmark
from openmeva.training.speed.benchmark import synthetic_stories


def test_measure_uses_the_given_numbers_of_stories_and_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[int, int]] = []

    def record_call(
        metric: np.ndarray,
        judged: JudgedStories,
        others: object,
        above: float,
        one_error_only: bool,
        draws: int,
        _: object,
    ):
        assert len(metric) == len(judged)
        calls.append((len(judged), draws))

    monkeypatch.setattr(benchmark, "judgment_tables", record_call)
    benchmark.measure(count=60, draws=100)
    assert calls == [(60, 100)]


def test_synthetic_stories_have_all_fields_for_the_tables() -> None:
    judged, metric = synthetic_stories(60, np.random.default_rng(0))
    assert len(judged) == len(metric) == 60
    assert len(set(judged.prompts)) == 12
    assert judged.source_models is not None
    assert judged.error_types is not None
    assert judged.ratings is not None
