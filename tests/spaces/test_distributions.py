"""Percentiles against SciPy's, and the files that are shipped."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import percentileofscore

from openmeva.spaces.distributions import (
    FOLDER,
    Distributions,
    PercentileRank,
    better_than,
    checkpoint_of,
    quantiles,
)
from openmeva.spaces.drawing import ridges


@pytest.mark.parametrize("higher", [True, False])
def test_percentile_ranks_agree_with_scipy(higher: bool) -> None:
    values = np.random.default_rng(1).normal(size=2000)
    points = tuple(quantiles(values))
    for value in (-5.0, -1.0, 0.2, 1.7, 9.0):
        below = percentileofscore(values, value)
        assert better_than(value, points, higher) == pytest.approx(below if higher else 100 - below, abs=0.6)


def test_ties_count_half() -> None:
    points = tuple(quantiles([0.0] * 50 + [1.0] * 50))
    assert better_than(0.0, points, True) == pytest.approx(25, abs=1)
    assert better_than(1.0, points, True) == pytest.approx(75, abs=1)


def test_scores_of_other_weights_get_no_percentile_rank(tmp_path: Path) -> None:
    (tmp_path / "roc").mkdir()
    group = {"label": "human stories", "count": 40, "quantiles": {"scores": quantiles(range(40))}}
    (tmp_path / "roc" / "m.json").write_text(json.dumps({"checkpoint": "roc@a", "groups": {"human": group}}))
    distributions = Distributions(tmp_path)
    (percentile_rank,) = distributions.percentile_ranks("roc", "m", "scores", 39, True, "roc@a")
    assert (percentile_rank.group, percentile_rank.count, percentile_rank.better_than) == ("human", 40, 100.0)
    assert distributions.percentile_ranks("roc", "m", "scores", 39, True, "roc@b") == []
    assert distributions.percentile_ranks("wp", "m", "scores", 39, True, "roc@a") == []
    assert distributions.percentile_ranks("roc", "m", "others", 39, True, "roc@a") == []


def test_larger_encoder_has_its_own_distributions(tmp_path: Path) -> None:
    (tmp_path / "roc").mkdir()
    for name, checkpoint, label in (("m", "mix@a", "small"), ("m_base", "base@b", "large")):
        group = {"label": label, "count": 40, "quantiles": {"scores": quantiles(range(40))}}
        file = tmp_path / "roc" / f"{name}.json"
        file.write_text(json.dumps({"checkpoint": checkpoint, "groups": {"human": group}}))
    distributions = Distributions(tmp_path)
    for checkpoint, label in (("mix@a", "small"), ("base@b", "large")):
        (percentile_rank,) = distributions.percentile_ranks("roc", "m", "scores", 39, True, checkpoint)
        assert percentile_rank.label == label


@pytest.mark.parametrize("value", [0.0, 0.11, 0.16, 0.2, 0.5, 0.8, 0.84, 1.0])
def test_story_label_does_not_overlap_axis_labels(value: float) -> None:
    points = tuple(0.12 + 0.0076 * index for index in range(101))  # whose ends are written with two digits
    svg = ridges(value, (PercentileRank("human", "human stories", 150, 50.0, points),), None, None)
    labels = re.findall(r"<text ([^>]*)>([^<]+)</text>", svg)
    assert len(labels) in (2, 3)
    spans = []
    for attributes, text in labels:
        (x,) = re.findall(r'x="([\d.]+)"', attributes)
        share = 1.0 if '"end"' in attributes else 0.5 if '"middle"' in attributes else 0.0
        spans.append((float(x) - share * 7 * len(text), float(x) + (1 - share) * 7 * len(text)))
    spans.sort()
    assert all(left[1] < right[0] for left, right in pairwise(spans))
    if value == 0.5:
        assert len(labels) == 3


def test_checkpoint_is_read_from_signature() -> None:
    assert checkpoint_of("union|checkpoint:roc@abc|max_length:512") == "roc@abc"
    assert checkpoint_of("overlap|version:1") == "overlap"


def test_shipped_files_contain_only_quantiles() -> None:
    files = sorted(FOLDER.glob("*/*.json"))
    assert files
    for path in files:
        content = json.loads(path.read_text(encoding="utf-8"))
        assert set(content) == {"checkpoint", "groups"}
        for group in content["groups"].values():
            assert set(group) == {"label", "count", "quantiles"}
            assert group["count"] >= 30
            for points in group["quantiles"].values():
                assert len(points) == 101
                assert points == sorted(points)
