"""`openmeva train` and `space`: what they run, and with which arguments."""

import inspect
import os
import runpy
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.spaces.catalogue import BASE
from openmeva.training.cli.space import OFFLINE, spaces
from openmeva.training.cli.train import find_configuration, trainable_metrics
from openmeva.training.common import backbone
from openmeva.training.grammar import trainer as grammar
from openmeva.training.grammar.model import GrammarScorer
from tests.training.cli.test_commands import run


@pytest.fixture(autouse=True)
def _restore_process_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running a module changes the process's arguments; running a Space also changes its environment."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(os, "environ", os.environ.copy())


def recorder(function: Callable[..., Any], answer: object) -> tuple[dict[str, Any], Callable[..., Any]]:
    """The recorded arguments of a function, by name, and a replacement that records them."""
    arguments: dict[str, Any] = {}

    def stand_in(*given: Any, **named: Any) -> object:
        arguments.update(inspect.signature(function).bind(*given, **named).arguments)
        return answer

    return arguments, stand_in


@pytest.mark.parametrize("metric", trainable_metrics())
def test_trainer_receives_the_command_line_options(
    metric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the command line; the module is imported again, as in a separate process."""
    trainer = import_module(f"openmeva.training.{metric}.trainer")
    monkeypatch.delitem(sys.modules, f"openmeva.training.{metric}.__main__", raising=False)
    arguments, train = recorder(trainer.train, {"results": {}, "human": {}, "minutes": 3})
    parameters = inspect.signature(trainer.train).parameters
    monkeypatch.setattr(trainer, "train", train)
    folders = {name: tmp_path / name for name in ("out", "run", "cache") if name in parameters}
    options = [word for name, folder in folders.items() for word in (f"--{name}", folder)]
    resume = ["--resume"] if "resume" in parameters else []
    chosen = find_configuration(metric)
    run("train", metric, "--config", chosen, "--data", tmp_path, "--set", "seed=77", *resume, "--", *options)
    config = arguments.pop("settings" if metric == "grammar" else "config")
    assert config.seed == 77
    data: dict[str, Any] = {"data": tmp_path}
    if metric == "grammar":  # no corpus of human stories is there to measure on
        data = {"folder": tmp_path / "cola" / "raw", "human": {}}
    assert arguments == {**data, **folders, **({"resume": True} if resume else {})}


def test_grammar_evaluate_does_not_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, evaluate = recorder(
        grammar.evaluate, {"in_domain": {"mcc": 0.5, "accuracy": 0.75, "sentences": 8}}
    )
    monkeypatch.setattr(grammar, "evaluate", evaluate)
    monkeypatch.setattr(grammar, "train", None)
    monkeypatch.setattr(GrammarScorer, "load", lambda folder: folder)
    monkeypatch.delitem(sys.modules, "openmeva.training.grammar.__main__", raising=False)
    output = run("train", "grammar", "--data", tmp_path, "--", "--out", tmp_path / "out", "--evaluate").stdout
    assert arguments == {"scorer": tmp_path / "out", "folder": tmp_path / "cola" / "raw"}
    assert "in_domain: Matthews 0.500, accuracy 0.750 of 8" in output


@pytest.mark.parametrize("name", spaces())
def test_space_runs_offline_on_the_requested_port(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, run_module = recorder(runpy.run_module, {})
    monkeypatch.setattr(runpy, "run_module", run_module)
    for key in OFFLINE:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.delenv("OPENMEVA_TIER", raising=False)
    run("space", name, "--port", "8123")
    assert "OPENMEVA_TIER" not in os.environ
    assert arguments["mod_name"] == f"openmeva.spaces.{name}.app"
    assert find_spec(arguments["mod_name"]) is not None
    assert arguments["run_name"] == "__main__"
    assert os.environ["GRADIO_SERVER_PORT"] == "8123"
    assert {key: os.environ.get(key) for key in OFFLINE} == OFFLINE


def test_space_with_the_larger_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    _, run_module = recorder(runpy.run_module, {})
    monkeypatch.setattr(runpy, "run_module", run_module)
    monkeypatch.delenv("OPENMEVA_TIER", raising=False)
    assert (
        "--base: expected story_scorer, got leaderboard"
        in run("space", "leaderboard", "--base", code=2).stderr
    )
    monkeypatch.setattr(backbone, "find_backbone", lambda name: Path(name))
    run("space", "story_scorer", "--base")
    assert os.environ["OPENMEVA_TIER"] == BASE


def test_space_without_the_larger_encoder_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Path:
        raise BackboneNotFoundError(f"no model {name!r}: `hf download {name}`")

    monkeypatch.delenv("OPENMEVA_TIER", raising=False)
    monkeypatch.setattr(runpy, "run_module", None)  # not reached
    monkeypatch.setattr(backbone, "find_backbone", missing)
    assert "`hf download all-mpnet-base-v2`" in run("space", "story_scorer", "--base", code=2).stderr
    assert "OPENMEVA_TIER" not in os.environ
