"""A user's own metric, a function or an evaluate module: its inputs and outputs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from huggingface_hub import constants

from openmeva.training.benchmark.data.score_files import FURTHER_OUTPUTS
from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.benchmark.own.metric import (
    metric_from_function,
    metric_from_function_name,
    metric_from_module,
)
from openmeva.training.benchmark.own.outputs import recommended, single_scores
from openmeva.training.scoring.loading import load
from tests.chat_server import completion, serve

MODULE = """
import datasets
import evaluate


class Words(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="",
            features=datasets.Features({"predictions": datasets.Value("string")}),
        )

    def _compute(self, predictions, whole=False):
        counts = [len(story.split()) for story in predictions]
        return {"words": sum(counts) / len(counts)} if whole else {"score": 0.0, "scores": counts}
"""


@pytest.fixture
def set_and_rows() -> tuple[TestSet, list[dict[str, Any]]]:
    rows = [{"prompt": f"prompt {k // 3}", "story": "He ran home ." + " So ." * k} for k in range(9)]
    return TestSet("x", "The set", "roc", "judgments", lambda _: rows, "", {}), rows


def test_function_receives_the_inputs_in_its_signature(
    set_and_rows: tuple[TestSet, list[dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mine(stories: list[str], contexts: list[str], references: Any = "none") -> dict[str, Any]:
        assert contexts[0] == "prompt 0"
        assert references == "none", "the set has none"
        return {"a": np.array([len(story) for story in stories]), "b": [1, 2] * (len(stories) // 2) + [3]}

    scores = metric_from_function(mine).score(*set_and_rows)
    assert list(scores) == ["a", "b"]
    assert scores["a"] == [len(row["story"]) for row in set_and_rows[1]]
    (tmp_path / "my_own_module.py").write_text("def f(stories):\n    return [len(s) for s in stories]\n")
    monkeypatch.chdir(tmp_path)
    assert metric_from_function_name("my_own_module:f").score(*set_and_rows) == {"f": scores["a"]}
    with pytest.raises(ValueError, match="my_own_module has no function 'g', only f"):
        metric_from_function_name("my_own_module:g")
    with pytest.raises(ValueError, match="found no module 'no_such_module'"):
        metric_from_function_name("no_such_module:g")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda stories: [1.0], "mine: expected 9 scores, one per story, got 1"),
        (lambda stories: 0.5, "mine: expected 9 scores, one per story, got float"),
        (lambda stories: [float("nan")] * 9, "mine, story 1: expected a finite number, got nan"),
        (lambda stories: [0.0, "x", *[1.0] * 7], "mine, story 2: expected a number, got 'x'"),
        (lambda stories: stories[99], "mine failed on The set: IndexError: .* \\(test_metric.py, line"),
        (lambda stories, references: [], "mine: needs references, and The set has none"),
    ],
)
def test_function_errors_are_reported(
    answer: Any, message: str, set_and_rows: tuple[TestSet, list[dict[str, Any]]]
) -> None:
    with pytest.raises(ValueError, match=message):
        metric_from_function(answer, "mine").score(*set_and_rows)


def test_evaluate_module_as_metric(
    tmp_path: Path, set_and_rows: tuple[TestSet, list[dict[str, Any]]]
) -> None:
    folder = tmp_path / "words"
    folder.mkdir()
    (folder / "words.py").write_text(MODULE)
    counts = [float(len(row["story"].split())) for row in set_and_rows[1]]
    assert metric_from_module(str(folder)).score(*set_and_rows) == {"words": counts}
    assert metric_from_module(str(folder), {"whole": True}).score(*set_and_rows) == {"words": counts}, (
        "story by story"
    )
    with pytest.raises(ValueError, match=r"words failed on The set: .*unexpected keyword argument 'foo'"):
        metric_from_module(str(folder), {"foo": 1}).score(*set_and_rows)
    with pytest.raises(ValueError, match=r"evaluate\.load"):
        metric_from_module(str(tmp_path / "nothing"))


def test_score_that_the_first_story_lacks_keeps_its_name() -> None:
    each = [
        {"coherence": None, "length": 5, "kind": "short"},
        {"coherence": 0.7, "length": 9, "kind": "long"},
    ]
    assert single_scores(each, "mine") == {"mine length": [5.0, 9.0], "mine coherence": [None, 0.7]}
    assert single_scores([{"score": None}, {"score": 0.5}], "mine") == {"mine": [None, 0.5]}
    with pytest.raises(ValueError, match="mine: expected one number per story, got score"):
        single_scores([{"score": None}], "mine")


def test_function_receives_several_references_as_lists(
    set_and_rows: tuple[TestSet, list[dict[str, Any]]],
) -> None:
    test_set, rows = set_and_rows
    received: list[Any] = []

    def mine(stories: list[str], references: list[Any]) -> list[float]:
        received.extend(references)
        return [0.0] * len(stories)

    with_references = [{**row, "reference": ["He left.", "He fell."]} for row in rows]
    metric_from_function(mine, "mine").score(test_set, with_references)
    assert received == [["He left.", "He fell."]] * len(rows)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def f(x) return 1", "SyntaxError: .*line 1"),
        ("\nx = undefined", "NameError: .*line 2"),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package' .*line 1"),
        ("import sys\nsys.exit(3)", "SystemExit: 3 .*line 2"),
    ],
)
def test_module_import_error_is_reported_with_its_line(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"module_with_{message.partition(':')[0].lower()}"
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=f"{name} cannot be imported: {message}") as error:
        metric_from_function_name(f"{name}:f")
    assert f"{name}.py" in str(error.value)


def test_further_outputs_of_a_metric_of_this_project_are_no_metrics() -> None:
    both = {"scores": [-2.0, -3.0], "perplexities": [2.0, 3.0], "nll": [0.7, 1.1]}
    assert recommended("ppl", both) == {"scores": [-2.0, -3.0]}
    assert set(recommended("overlap", {"bleu_scores": [0.1], "rougeL_scores": [0.2], "bleu": 0.1})) == {
        "bleu_scores",
        "rougeL_scores",
    }
    assert recommended("someone/metric", both) == both
    keys = set(
        load("ppl").compute(predictions=["Ben ran home. He slept."], repeated_ngram=2, show_progress=False)
    )
    lists = {key for key in keys if key.startswith("corrected_") or key in FURTHER_OUTPUTS}
    assert lists == FURTHER_OUTPUTS, "all that `openmeva score --metric ppl` writes"


def test_judge_that_rates_no_story_is_an_error_with_its_reason(
    set_and_rows: tuple[TestSet, list[dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with serve(lambda body: completion("I would say 4.")) as server:
        options = {
            "model": "judge",
            "base_url": server.address,
            "cache": str(tmp_path),
            "show_progress": False,
        }
        metric = metric_from_module("llm_judge", {**options, "method": "probabilities"})
        with pytest.raises(ValueError, match="no story of The set has a score: expected only a whole number"):
            metric.score(*set_and_rows)
        assert len(server.asked) == 9, "not asked again, one by one"
