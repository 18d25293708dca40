"""What the benchmark's speed is measured on: stories of MANS' shape, of which every table is made."""

import numpy as np

from openmeva.training.speed.benchmark import made_up_stories, measure


def test_both_clocks_are_read() -> None:
    assert min(measure(count=60, draws=100)) > 0


def test_stories_have_what_all_tables_need() -> None:
    judged, metric = made_up_stories(60, np.random.default_rng(0))
    assert len(judged) == len(metric) == 60
    assert len(set(judged.prompts)) == 12
    assert judged.source_models is not None
    assert judged.error_types is not None
    assert judged.ratings is not None
