"""The Python code of READMEs and cards runs: names, configurations, options, columns, results and addresses exist.

Models are not loaded here; the results in a module's examples are tested next to the modules.
"""

import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import datasets
import evaluate
import gradio_client
import pytest
import transformers

from openmeva.metrics.core.description import read_metrics
from openmeva.spaces.leaderboard import app as leaderboard
from openmeva.spaces.perturbation_lab import app as perturbation_lab
from openmeva.spaces.perturbation_lab.lab import Lab
from openmeva.spaces.story_scorer import app as story_scorer
from openmeva.training.benchmark.own import judging
from openmeva.training.hub.description import read_description
from openmeva.training.paths import ROOT, STORIES
from openmeva.training.scale import scoring
from tests.spaces.test_scorer import FakeScorer

PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
TOPS = ("datasets", "metrics", "spaces", "training")  # `pip install .` leaves copies in `build`
SNIPPETS = [  # the snippets of one page together: later ones depend on earlier ones
    pytest.param(page, "\n".join(found), id=str(page.parent.relative_to(ROOT)))
    for page in [
        ROOT / "README.md",
        *(page for top in TOPS for page in sorted((ROOT / top).rglob("README.md"))),
    ]
    if (found := PYTHON.findall(page.read_text("utf-8")))
]
JUDGE_SIGNATURE = inspect.signature(judging.judge)
SCORING_SIGNATURE = inspect.signature(scoring.score_dataset)
METRICS = read_metrics(ROOT / "metrics")
DESCRIPTION = read_description(ROOT)
DEMOS = {
    "story_scorer": lambda: story_scorer.build(FakeScorer()),
    "perturbation_lab": lambda: perturbation_lab.build(Lab(FakeScorer())),
    "leaderboard": lambda: leaderboard.build(leaderboard.read_results()),
}


class FakeResult:
    """The result of a metric or a demo; its card has to name each key that is used."""

    def __init__(self, card: str) -> None:
        self.card = card

    def __getitem__(self, key: str | int) -> "FakeResult":
        named = isinstance(key, int) or re.search(
            rf"[`'\"]({key}|{key.removesuffix('_scores')})\b", self.card
        )
        assert named, f"the card names no {key!r}"
        return self

    def __iter__(self) -> Any:
        return iter([self])


class FakeMetric:
    def __init__(self, path: str, configuration: str | None = None) -> None:
        name = path.rpartition("/")[2]
        assert path == name or (ROOT / path / f"{name}.py").is_file()
        assert not configuration or "/" in configuration or configuration in METRICS[name].configurations
        module = importlib.import_module(f"openmeva.metrics.{name}.{name}")
        (self.kind,) = (
            one for one in vars(module).values()
            if inspect.isclass(one) and issubclass(one, evaluate.Metric) and one.__module__ == module.__name__
        )  # fmt: skip
        self.card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")

    def compute(self, **columns: Any) -> FakeResult:
        assert {"predictions", *getattr(self.kind, "required", ())} <= columns.keys()
        compute = self.kind.compute if "compute" in vars(self.kind) else self.kind._compute
        inspect.signature(compute).bind_partial(None, **columns)
        return FakeResult(self.card)

    def signature(self) -> str:
        return str(self.kind.signature.__name__)


@cache
def endpoints(demo: str) -> dict[str, inspect.Signature]:
    """The named endpoints of a demo, and their parameters."""
    offered = [one for one in DEMOS[demo]().fns.values() if one.api_visibility == "public"]
    return {f"/{one.api_name}": inspect.signature(one.fn) for one in offered}


class FakeClient:
    def __init__(self, address: str) -> None:
        demo_names = [source.name for source in DESCRIPTION.sources if source.demo]
        published = [f"{DESCRIPTION.organisation}/{name}" for name in demo_names]
        assert address.startswith("http://127.0.0.1:786") or address in published

    def predict(self, api_name: str, **given: Any) -> FakeResult:
        for demo in DEMOS:
            if api_name in endpoints(demo):
                endpoints(demo)[api_name].bind(**given)
                sources = "".join(path.read_text("utf-8") for path in (ROOT / "spaces" / demo).glob("*.py"))
                return FakeResult(sources + (ROOT / "spaces" / demo / "README.md").read_text("utf-8"))
        raise AssertionError(f"no demo has {api_name}")


def fake_load_dataset(
    name: str, configuration: str | None = None, split: str | None = None, **options: Any
) -> Any:
    if name == "json":  # files of the reader's own
        inspect.signature(load_dataset).bind(name, split=split, **options)
        return [{"story": "One."}]
    assert not options
    folder = ROOT / "datasets" / name.rpartition("/")[2]
    card = (folder / "README.md").read_text("utf-8")
    assert configuration is None or f"config_name: {configuration}\n" in card
    return (
        FakeResult(card)
        if split is None or folder.name == "mans"
        else load_dataset(str(folder), configuration, split=split)
    )


load_dataset = datasets.load_dataset


def fake_from_pretrained(hub_id: str) -> None:
    assert hub_id.rpartition("/")[2] in {source.name for source in DESCRIPTION.of_kind("model")}


def fake_score_dataset(*given: Any, **named: Any) -> Any:
    SCORING_SIGNATURE.bind(*given, **named)
    return create_autospec(scoring.Report, instance=True)


def fake_judge(*given: Any, **named: Any) -> Any:
    JUDGE_SIGNATURE.bind(*given, **named)
    return create_autospec(judging.Report, instance=True)


def test_snippets_are_found() -> None:
    assert len(SNIPPETS) > 30


@pytest.mark.parametrize(("page", "code"), SNIPPETS)
def test_snippets_run(page: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(evaluate, "load", FakeMetric)
    monkeypatch.setattr(datasets, "load_dataset", fake_load_dataset)
    monkeypatch.setattr(gradio_client, "Client", FakeClient)
    # defined by the reader; a page has to import everything else
    names: dict[str, Any] = {"my_scores": [1.0], "rows": [], "stories": ["One."], "my_metric": len}
    for name in ("AutoModelForMaskedLM", "AutoTokenizer", "AutoModelForSequenceClassification"):
        monkeypatch.setattr(getattr(transformers, name), "from_pretrained", fake_from_pretrained)
    monkeypatch.setattr(judging, "judge", fake_judge)
    monkeypatch.setattr(scoring, "score_dataset", fake_score_dataset)
    if "stories.map" in code:
        names["stories"] = datasets.Dataset.from_list(
            [{"story": "Ann was hungry. She ate a pie. She felt full."}]
        )
    code = code.replace("path/to/your/stories.jsonl", str(STORIES))
    exec(compile(code, str(page), "exec"), names)
