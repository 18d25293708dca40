"""Regression test of scores: every shipped configuration, to 1e-5 (written by `python -m tests.golden.write`)."""

import json
from pathlib import Path

import pytest

from . import access
from .inputs import ROOT
from .scores import ELSEWHERE, HERE, PAIRS, cases, differences, rounded, scores_of

GOLDEN = json.loads(Path(__file__).with_name("scores.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("metric", "configuration"), [*HERE, *(pytest.param(*pair, marks=pytest.mark.base) for pair in ELSEWHERE)]
)
def test_scores(metric: str, configuration: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = rounded(scores_of(metric, configuration))
    wrong = differences(GOLDEN[f"{metric}/{configuration}"], found)
    assert not wrong, "\n".join([f"{len(wrong)} differences:", *wrong[:20]])


def test_every_shipped_configuration_has_golden_scores() -> None:
    shipped = {
        (folder.parent.parent.name, folder.name)
        for folder in access.WEIGHTS.glob("*/weights/*")
        if folder.is_dir()
    }
    assert shipped == {pair for pair in PAIRS if pair[1]}
    assert sorted(GOLDEN) == sorted(f"{metric}/{name}" for metric, name in PAIRS)


def test_every_case_has_golden_scores() -> None:
    for metric, configuration in PAIRS:
        assert list(GOLDEN[f"{metric}/{configuration}"]) == [
            name for name, _, _ in cases(metric, configuration)
        ]


def test_differences_are_reported() -> None:
    assert differences({"a": [0.5, "x"]}, {"a": [0.5 + 9e-6, "x"]}) == []
    assert differences({"a": [0.5, "x"]}, {"a": [0.51, "y"]}) == [
        " > a[0]: expected 0.5, got 0.51",
        " > a[1]: expected 'x', got 'y'",
    ]
    assert differences([100.0], [100.0005]) == []
    assert len(differences([100.0], [100.005])) == len(differences([0.5], [float("nan")])) == 1
    assert len(differences({"a": 1.0}, {"b": 1.0})) == len(differences([1.0], [1.0, 2.0])) == 1
