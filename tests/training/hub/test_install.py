"""Installing fills the caches, all or nothing, and uninstalling leaves them as they were."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.hub.caches import Caches
from openmeva.training.hub.description import Description, read_description
from openmeva.training.hub.install import Installation
from openmeva.training.judged.builder import mans_file
from tests.small_hub import small_hub
from tests.training.hub.conftest import tree

VERSION = "1.2.3"


def caches(home: Path) -> Caches:
    return Caches(home, home / "hub", home / "modules", home / "datasets")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A cache that a user has worked with: another model, an older copy of ours, a module, a dataset."""
    home = tmp_path / "huggingface"
    for name, text in {
        "token": "hf_x",
        "hub/models--google-bert--bert-base-uncased/refs/main": "0" * 40,
        "hub/models--openmeva--union-roc/refs/main": "1" * 40,
        f"hub/models--openmeva--union-roc/snapshots/{'1' * 40}/config.json": "{}",
        "modules/evaluate_modules/__init__.py": "",
        "modules/evaluate_modules/metrics/__init__.py": "",
        f"modules/evaluate_modules/metrics/evaluate-metric--accuracy/{'a' * 64}/accuracy.py": "",
        "datasets/imdb/plain_text/0.0.0/0/imdb-test.arrow": "",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return home


@pytest.fixture(scope="module")
def description(project: Path) -> Description:
    return read_description(project)


def test_uninstall_restores_the_previous_state(home: Path, project: Path, description: Description) -> None:
    before = tree(home)
    installation = Installation(caches(home))
    installation.install(description, VERSION, project)
    assert (home / "hub/models--openmeva--union-roc/refs/main").read_text() != "1" * 40
    assert {p.parent.name for p in home.glob("modules/evaluate_modules/metrics/*union/*/union.py")}
    during = tree(home)
    assert before.keys() < during.keys()
    assert {k for k in before if before[k] != during[k]} == {"hub/models--openmeva--union-roc/refs/main"}

    for leftover in ("__pycache__/union.pyc", "union.json"):  # files that Python and evaluate leave behind
        module = next(home.glob("modules/evaluate_modules/metrics/openmeva--union/*/union.py"))
        (module.parent / leftover).parent.mkdir(exist_ok=True)
        (module.parent / leftover).touch()
    assert installation.uninstall()
    assert tree(home) == before
    assert installation.uninstall() is None
    assert tree(home) == before


def test_other_files_in_the_record_folder_are_kept(
    home: Path, project: Path, description: Description
) -> None:
    (home / "openmeva").mkdir()
    (home / "openmeva" / ".notes.tmp").write_text("of the cache of an installed package")
    before = tree(home)
    installation = Installation(caches(home))
    assert installation.uninstall() is None
    assert tree(home) == before
    installation.install(description, VERSION, project)
    assert installation.uninstall()
    assert tree(home) == before


def test_uninstall_works_after_the_cache_was_moved(
    home: Path, project: Path, description: Description, tmp_path: Path
) -> None:
    before = tree(home)
    Installation(caches(home)).install(description, VERSION, project)
    moved = tmp_path / "elsewhere"
    home.rename(moved)
    assert Installation(caches(moved)).uninstall()
    assert tree(moved) == before


def test_uninstall_leaves_an_empty_home_empty(
    tmp_path: Path, project: Path, description: Description
) -> None:
    installation = Installation(caches(tmp_path / "not" / "there"))
    installation.install(description, VERSION, project)
    installation.uninstall()
    assert tree(tmp_path) == {}


def test_uninstall_keeps_refs_changed_since(home: Path, project: Path, description: Description) -> None:
    installation = Installation(caches(home))
    installation.install(description, VERSION, project)
    pointer = home / "hub/models--openmeva--union-roc/refs/main"
    pointer.write_text("2" * 40)  # say, a newer snapshot from the Hub
    installation.uninstall()
    assert pointer.read_text() == "2" * 40


def test_installing_twice_changes_nothing(home: Path, project: Path, description: Description) -> None:
    installation = Installation(caches(home))
    first = installation.install(description, VERSION, project)
    written = {p: p.stat().st_mtime_ns for p in home.rglob("*") if p.is_file() and p.name != "lock"}
    assert installation.install(description, VERSION, project) == first
    assert {p: p.stat().st_mtime_ns for p in home.rglob("*") if p.is_file() and p.name != "lock"} == written


def test_install_restores_missing_files(home: Path, project: Path, description: Description) -> None:
    installation = Installation(caches(home))
    installation.install(description, VERSION, project)
    whole = tree(home)
    shutil.rmtree(next(home.glob("modules/evaluate_modules/metrics/openmeva--union/*/")))
    (home / "hub/models--openmeva--union-wp/refs/main").unlink()
    next(
        home.glob("hub/models--openmeva--union-wp/snapshots/*/adapter.safetensors")
    ).unlink()  # the largest goes first
    installation.install(description, VERSION, project)
    assert tree(home) == whole


def test_new_version_replaces_the_old(
    home: Path, project: Path, description: Description, tmp_path: Path
) -> None:
    before = tree(home)
    changed = tmp_path / "changed"
    shutil.copytree(project, changed)
    main = changed / "metrics" / "union" / "union.py"
    main.write_text(main.read_text() + "# newer\n")
    installation = Installation(caches(home))
    installation.install(description, VERSION, project)
    installation.install(read_description(changed), "2.0.0", changed)
    modules = list(home.glob("modules/evaluate_modules/metrics/openmeva--union/*/union.py"))
    assert len(modules) == 1
    assert "union-roc@v2.0.0" in modules[0].read_text()
    refs = {path.name for path in (home / "hub/models--openmeva--union-wp/refs").iterdir()}
    assert refs == {"v2.0.0", "main"}
    assert len(list((home / "hub/models--openmeva--union-wp/snapshots").iterdir())) == 1
    installation.uninstall()
    assert tree(home) == before


class Killed(BaseException):
    """Ends an installation in the middle."""


def interrupt_at(monkeypatch: pytest.MonkeyPatch, step: int) -> Callable[[], int]:
    """`os.replace`, with which every change ends, raises at the `step`th call."""
    calls = 0
    real = os.replace

    def replace(source: Any, target: Any) -> None:
        nonlocal calls
        if "laid" not in str(source) and ".openmeva-" not in str(target):
            calls += 1
            if calls == step:
                raise Killed
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    return lambda: calls


def count_steps(home: Path, project: Path, description: Description, monkeypatch: pytest.MonkeyPatch) -> int:
    with monkeypatch.context() as patch:
        calls = interrupt_at(patch, -1)
        Installation(caches(home)).install(description, VERSION, project)
    steps = calls()
    Installation(caches(home)).uninstall()
    return steps


@pytest.mark.parametrize("killed", [False, True], ids=["failed", "killed"])
def test_an_interrupted_installation_leaves_the_old_state(
    home: Path, project: Path, description: Description, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """At any step; a killed installation cannot be rolled back by itself, so the next process does it."""
    before = tree(home)
    steps = count_steps(home, project, description, monkeypatch)
    assert steps > 15
    for step in (1, 2, steps // 4, steps // 2, steps - 2, steps - 1):  # the last comes after everything is in
        with monkeypatch.context() as patch:
            interrupt_at(patch, step)
            if killed:
                patch.setattr(Installation, "_undo", lambda self: None)
            with pytest.raises(Killed):
                Installation(caches(home)).install(description, VERSION, project)
        if killed:
            Installation(caches(home)).uninstall()
        assert tree(home) == before, f"step {step} of {steps}"


def test_a_damaged_checkout_changes_nothing(home: Path, project: Path, tmp_path: Path) -> None:
    before = tree(home)
    damaged = tmp_path / "damaged"
    shutil.copytree(project, damaged)
    weights = damaged / "metrics" / "weights" / "encoder" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(ValueError, match=r"model\.safetensors"):
        Installation(caches(home)).install(read_description(damaged), VERSION, damaged)
    assert tree(home) == before


USE = """
import json, sys
import datasets, evaluate
from transformers import AutoModel
found = {}
for name in ("union", "openmeva/union"):
    union = evaluate.load(name, "roc")
    found[name] = union.compute(predictions=["Ann ran home. She ate."], dtype="float32")["scores"]
found["signature"] = union.signature()
found["judged"] = evaluate.load("openmeva", "judgments").compute(
    predictions=[1, 2, 3, 4], references=[{"story": "he ran", "ratings": [k]} for k in (1, 2, 4, 3)], draws=100)["n"]
found["autos"] = datasets.load_dataset("openmeva/autos", "mini").num_rows
found["autos_default"] = datasets.load_dataset("openmeva/autos").num_rows
found["stream"] = len(list(datasets.load_dataset("openmeva/stories", "mini", split="test", streaming=True).take(3)))
roc = datasets.load_dataset("openmeva/mans", "roc", split="test")
roc.map(lambda row: {"words": 2})  # writes into the folder of that configuration
found["mans"] = [roc.num_rows, datasets.load_dataset("openmeva/mans", "wp")["test"].num_rows]
found["mans_default"] = datasets.load_dataset("openmeva/mans").num_rows
found["encoder"] = type(AutoModel.from_pretrained("openmeva/union-roc")).__name__
json.dump(found, open(sys.argv[1], "w"))
"""

BARE = """
import evaluate
union = evaluate.load("union", "roc")
union.compute(predictions=["Ann ran home. She ate."])
"""


def run(script: str, home: Path, folder: Path, *arguments: str, **settings: str) -> None:
    """Runs a script in a separate process and folder."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "TRANSFORMERS_"))}
    process = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env={**environment, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1", **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]


def test_installed_parts_load_without_the_checkout(home: Path, project: Path, tmp_path: Path) -> None:
    import datasets

    checkout = tmp_path / "mine"
    shutil.copytree(project, checkout)
    for count, corpus in enumerate(("roc", "wp"), 1):
        rows = datasets.Dataset.from_list([{"story": "he ran .", "ratings": [1.0, 2.0]}] * count)
        built = mans_file(corpus, checkout / "datasets" / "mans")
        built.parent.mkdir(exist_ok=True)
        rows.to_parquet(str(built))
    autos = checkout / "datasets" / "autos"
    shutil.copytree(autos / "mini", autos / "roc")
    Installation(caches(home)).install(read_description(checkout), VERSION, checkout)
    shutil.rmtree(checkout)  # what is installed needs no checkout
    (tmp_path / "elsewhere").mkdir()
    answers = tmp_path / "answers.json"
    run(USE, home, tmp_path / "elsewhere", str(answers), HF_EVALUATE_OFFLINE="1", HF_HUB_OFFLINE="1")
    results = json.loads(answers.read_text())
    assert results["union"] == results["openmeva/union"]
    assert 0 < results["union"][0] < 1
    assert "|version:0." in results["signature"]
    assert results["judged"] == 4
    assert set(results["autos"]) == {"discrimination", "invariance"}
    assert (results["stream"], results["encoder"]) == (3, "BertModel")
    assert results["mans"] == [1, 2]
    assert results["mans_default"] == {"roc": 1, "wp": 2}
    assert results["autos_default"] == results["autos"]


def test_installed_metric_sends_no_requests_of_its_own(
    home: Path, project: Path, description: Description, tmp_path: Path
) -> None:
    """Without the offline flags evaluate requests the module's name from the Hub; the weights are never requested."""
    Installation(caches(home)).install(description, VERSION, project)
    (tmp_path / "elsewhere").mkdir()
    with small_hub() as hub:
        run(BARE, home, tmp_path / "elsewhere", HF_ENDPOINT=hub.endpoint)
        assert hub.requests
        assert all("/spaces/evaluate-" in request for request in hub.requests), hub.requests
