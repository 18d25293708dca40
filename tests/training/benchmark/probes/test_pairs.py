"""Pairs of a good and a damaged story: the file, and the number that a metric ranks correctly."""

from collections import Counter
from pathlib import Path

import pytest

from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.probes.pairs import Pair, main, ranked_correctly, read_pairs
from openmeva.training.corpora.stories import read_stories
from openmeva.training.paths import STORIES

LENGTH = """import evaluate
import datasets


class Length(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("string")})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions):
        return {"scores": [float(len(text)) for text in predictions]}
"""


def test_pairs_file_has_three_pairs_of_each_kind_and_no_story_of_mini() -> None:
    pairs = read_pairs()
    assert set(Counter(pair.kind for pair in pairs).values()) == {3}
    assert len({pair.kind for pair in pairs}) == 4
    assert all(pair.good != pair.damaged for pair in pairs)
    assert all(pair.good.split()[:3] == pair.damaged.split()[:3] for pair in pairs)
    assert not {pair.good for pair in pairs} & set(read_stories(STORIES))


def test_tie_does_not_count_as_ranked_correctly(tmp_path: Path) -> None:
    (tmp_path / "length").mkdir()
    (tmp_path / "length" / "length.py").write_text(LENGTH)
    entry = MetricEntry(
        name="length", title="Length", configs={"roc": "default"}, module=str(tmp_path / "length")
    )
    pairs = [Pair("a", "long one", "short"), Pair("a", "same", "same"), Pair("b", "one", "longer")]
    assert ranked_correctly(entry, pairs) == {"Length": {"a": 1, "b": 0}}


def test_bad_input_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"kind": "a", "good": "x"}\n')
    with pytest.raises(ValueError, match=r"line 1: expected a text in damaged"):
        read_pairs(tmp_path / "pairs.jsonl")
    with pytest.raises(SystemExit, match="2"):
        main(["--metrics", "nothing"])
    assert "unknown metric nothing" in capsys.readouterr().err
