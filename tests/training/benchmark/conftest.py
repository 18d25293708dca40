"""A metric made for the tests of the benchmark."""

import pytest

from openmeva.training.benchmark import command, paired, run
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.own import judging

METRIC = """
from pathlib import Path

import datasets
import evaluate


class Words(evaluate.Metric):
    signature = "words:1"

    def _info(self):
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="",
            features=datasets.Features({"predictions": datasets.Value("string")}),
        )

    def compute(self, *, predictions, contexts=None, explain=False):
        "Scores."
        Path(COUNTER).open("a").write("x")
        contexts = contexts or [""] * len(predictions)
        texts = [(c + " " + p).split() for c, p in zip(contexts, predictions)]
        scores = [len(set(text)) + sum(float(w) / 9 for w in text if w.isdigit()) for text in texts]
        result = {"score": 0.0, "scores": scores, "halves": [s / 2 for s in scores]}
        if explain:
            result["explanations"] = [
                {"sentences": [{"text": p, "gain": -s}], "edits": [] if s > 9 else [{"token": "a"}]}
                for p, s in zip(predictions, scores)
            ]
        return result

    def _compute(self, predictions):
        return {}
"""


@pytest.fixture(autouse=True)
def scores_of_this_test(tmp_path, monkeypatch):
    """Scores are cached in the folder of the test."""
    for module in (command, run, paired, judging):
        monkeypatch.setattr(module, "SCORES_CACHE", tmp_path / "scores")


@pytest.fixture
def words(tmp_path):
    """A metric that counts distinct words, and a file that grows with each of its calls."""
    folder = tmp_path / "words"
    folder.mkdir()
    counter = tmp_path / "calls"
    counter.touch()
    (folder / "words.py").write_text(METRIC.replace("COUNTER", repr(str(counter))))
    return MetricEntry(
        "words", "Words", {"roc": "roc"}, ("contexts",), explanations=True, module=str(folder)
    ), counter
