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
def test_shares_agree_with_scipy(higher: bool) -> None:
    values = np.random.default_rng(1).normal(size=2000)
    points = tuple(quantiles(values))
    for value in (-5.0, -1.0, 0.2, 1.7, 9.0):
        below = percentileofscore(values, value)
        assert better_than(value, points, higher) == pytest.approx(below if higher else 100 - below, abs=0.6)


def test_ties_count_half() -> None:
    points = tuple(quantiles([0.0] * 50 + [1.0] * 50))
    assert better_than(0.0, points, True) == pytest.approx(25, abs=1)
    assert better_than(1.0, points, True) == pytest.approx(75, abs=1)


def test_values_of_other_weights_are_not_placed(tmp_path: Path) -> None:
    (tmp_path / "roc").mkdir()
    group = {"label": "human stories", "count": 40, "quantiles": {"scores": quantiles(range(40))}}
    (tmp_path / "roc" / "m.json").write_text(json.dumps({"checkpoint": "roc@a", "groups": {"human": group}}))
    found = Distributions(tmp_path)
    (percentile_rank,) = found.percentile_ranks("roc", "m", "scores", 39, True, "roc@a")
    assert (percentile_rank.group, percentile_rank.count, percentile_rank.better_than) == ("human", 40, 100.0)
    assert found.percentile_ranks("roc", "m", "scores", 39, True, "roc@b") == []
    assert found.percentile_ranks("wp", "m", "scores", 39, True, "roc@a") == []
    assert found.percentile_ranks("roc", "m", "others", 39, True, "roc@a") == []


def test_the_larger_encoder_has_distributions_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "roc").mkdir()
    for name, checkpoint, label in (("m", "mix@a", "small"), ("m_base", "base@b", "large")):
        group = {"label": label, "count": 40, "quantiles": {"scores": quantiles(range(40))}}
        file = tmp_path / "roc" / f"{name}.json"
        file.write_text(json.dumps({"checkpoint": checkpoint, "groups": {"human": group}}))
    found = Distributions(tmp_path)
    for checkpoint, label in (("mix@a", "small"), ("base@b", "large")):
        (percentile_rank,) = found.percentile_ranks("roc", "m", "scores", 39, True, checkpoint)
        assert percentile_rank.label == label


@pytest.mark.parametrize("value", [0.0, 0.11, 0.16, 0.2, 0.5, 0.8, 0.84, 1.0])
def test_the_label_of_the_story_does_not_meet_those_of_the_axis(value: float) -> None:
    points = tuple(0.12 + 0.0076 * place for place in range(101))  # whose ends are written with two digits
    drawn = ridges(value, (PercentileRank("human", "human stories", 150, 50.0, points),), None, None)
    labels = re.findall(r"<text ([^>]*)>([^<]+)</text>", drawn)
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


def test_signatures() -> None:
    assert checkpoint_of("union|checkpoint:roc@abc|max_length:512") == "roc@abc"
    assert checkpoint_of("overlap|version:1") == "overlap"


def test_shipped_files_hold_quantiles_and_nothing_else() -> None:
    files = sorted(FOLDER.glob("*/*.json"))
    assert files
    for path in files:
        found = json.loads(path.read_text(encoding="utf-8"))
        assert set(found) == {"checkpoint", "groups"}
        for group in found["groups"].values():
            assert set(group) == {"label", "count", "quantiles"}
            assert group["count"] >= 30
            for points in group["quantiles"].values():
                assert len(points) == 101
                assert points == sorted(points)
