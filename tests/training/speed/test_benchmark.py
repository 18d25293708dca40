"""What the benchmark's speed is measured on: stories of MANS' shape, of which every table is made."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.speed import benchmark
from openmeva.training.speed.benchmark import synthetic_stories


def test_all_tables_are_made_of_as_many_stories_and_draws_as_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, int]] = []

    def tables(
        metric: np.ndarray,
        judged: JudgedStories,
        others: object,
        above: float,
        one: bool,
        draws: int,
        _: object,
    ):
        assert len(metric) == len(judged)
        seen.append((len(judged), draws))

    monkeypatch.setattr(benchmark, "judgment_tables", tables)
    benchmark.measure(count=60, draws=100)
    assert seen == [(60, 100)]


def test_stories_have_what_all_tables_need() -> None:
    judged, metric = synthetic_stories(60, np.random.default_rng(0))
    assert len(judged) == len(metric) == 60
    assert len(set(judged.prompts)) == 12
    assert judged.source_models is not None
    assert judged.error_types is not None
    assert judged.ratings is not None
