"""Modules score the same in the checkout, installed, and as published folders without the library."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import evaluate
import pytest

from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.version import __version__
from openmeva.training.hub import install
from openmeva.training.hub.caches import Caches
from openmeva.training.hub.description import Source, read_description
from openmeva.training.hub.install import Installation
from openmeva.training.hub.layout import Repository, lay_out
from tests.metrics.every_metric import NAMES, results
from tests.tiny.ppl import write_gpt2

ROOT = Path(__file__).resolve().parents[2]
PROBE_SCRIPT = """
import json, runpy, sys

class NoLibrary:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "openmeva":
            raise ImportError(f"{name}: the library is not here")

sys.meta_path.insert(0, NoLibrary())
import evaluate
from evaluate.loading import evaluation_module_factory, import_main_class
script, folder, model, out = sys.argv[1:]
found = {"published": {}, "installed": {}}

def record_path(way, name, kind):
    found[way][name] = sys.modules[kind.__module__].__file__

def load(name, config=None):
    record_path("published", name, import_main_class(evaluation_module_factory(f"{folder}/{name}").module_path))
    module = evaluate.load(f"openmeva/{name}", config)
    record_path("installed", name, type(module))
    return module

found["scores"] = runpy.run_path(script)["results"](load, model, f"{out}.answers")
with open(out, "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny language model for the LLM judge."""
    return str(write_gpt2(tmp_path_factory.mktemp("chat"), positions=2048))


@pytest.fixture(scope="module")
def published_results(tmp_path_factory: pytest.TempPathFactory, chat_model: str) -> dict[str, Any]:
    """Results and module paths from a Python without the library, run in another folder.

    `scores` of the installed modules, and where evaluate keeps the modules: `installed`, and `published` ones, which it
    copies from their folders and imports.
    """
    base = tmp_path_factory.mktemp("elsewhere")
    described = read_description(ROOT)
    mine = tuple(source for source in described.sources if ROOT / "metrics" in source.folder.parents)
    described = dataclasses.replace(described, sources=mine, whole_models={})
    home, published = base / "home", base / "published"

    def lay_out_and_publish(source: Source, *others: Any) -> Repository:
        repository = lay_out(source, *others)
        if source.module:
            shutil.copytree(repository.folder, published / source.name)
        return repository

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(install, "lay_out", lay_out_and_publish)
        caches = Caches(home, home / "hub", home / "modules", home / "datasets")
        Installation(caches).install(described, __version__, ROOT)
    installed = {path.name for path in (home / "modules" / "evaluate_modules" / "metrics").iterdir()}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "TRANSFORMERS_", "PYTHON"))}
    out = base / "found.json"
    script = ROOT / "tests" / "metrics" / "every_metric.py"
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE_SCRIPT, str(script), str(published), chat_model, str(out)],
        cwd=base,
        env={**kept, "HF_HOME": str(home), "HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {**json.loads(out.read_text()), "names": installed}


@pytest.fixture(scope="module")
def checkout_results(tmp_path_factory: pytest.TempPathFactory, chat_model: str) -> dict[str, Any]:
    """Results of the modules in the checkout."""
    cache = str(tmp_path_factory.mktemp("answers"))
    return results(
        lambda name, config=None: evaluate.load(str(ROOT / "metrics" / name), config), chat_model, cache
    )


def test_name_of_a_metric_of_evaluate_is_not_taken(published_results: dict[str, Any]) -> None:
    """`evaluate.load("bleurt")` stays evaluate's own metric."""
    names = published_results["names"]
    assert {"openmeva--bleurt", "openmeva--union", "evaluate-metric--union"} <= names
    assert "evaluate-metric--bleurt" not in names


def test_every_metric_is_covered() -> None:
    assert set(NAMES) == set(read_metrics())


@pytest.mark.parametrize("name", NAMES)
def test_installed_modules_score_like_the_checkout(
    name: str, checkout_results: dict[str, Any], published_results: dict[str, Any]
) -> None:
    assert checkout_results[name].keys() == published_results["scores"][name].keys()
    for key, value in checkout_results[name].items():
        expected = json.loads(json.dumps(value, default=str))
        if isinstance(value, dict):
            assert published_results["scores"][name][key] == expected
        else:
            assert published_results["scores"][name][key] == pytest.approx(expected, abs=1e-6), key


@pytest.mark.parametrize("name", NAMES)
def test_published_modules_equal_installed_modules(name: str, published_results: dict[str, Any]) -> None:
    """All files that evaluate copies are byte-identical."""
    installed, published = (
        {path.name: path.read_bytes() for path in Path(published_results[way][name]).parent.glob("*.py")}
        for way in ("installed", "published")
    )
    assert published_results["installed"][name] != published_results["published"][name]
    assert installed == published
