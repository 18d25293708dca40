"""Percentiles against SciPy's, and the files that are shipped."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import percentileofscore

from openmeva.spaces.distributions import FOLDER, Distributions, better_than, checkpoint_of, quantiles


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
    (placement,) = found.place("roc", "m", "scores", 39, True, "roc@a")
    assert (placement.group, placement.count, placement.better_than) == ("human", 40, 100.0)
    assert found.place("roc", "m", "scores", 39, True, "roc@b") == []
    assert found.place("wp", "m", "scores", 39, True, "roc@a") == []
    assert found.place("roc", "m", "others", 39, True, "roc@a") == []


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
