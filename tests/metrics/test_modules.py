"""Every metric module: its example runs and its card is complete; docstring examples run."""

import doctest
import importlib
import re
import socket
from pathlib import Path
from typing import Any

import evaluate
import pytest
import transformers
from evaluate.evaluator import TextGenerationEvaluator
from evaluate.loading import import_main_class
from huggingface_hub import constants

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    p.parent.name
    for p in (ROOT / "metrics").glob("*/README.md")
    if (p.parent / f"{p.parent.name}.py").exists()
)
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "metrics").glob("*/*.py")
    if path.stem != "__main__" and ">>> " in path.read_text(encoding="utf-8")
)
SECTIONS = {"what it measures", "how to use", "limits", "data and licence", "citation"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_every_module_has_a_description() -> None:
    assert {"openmeva", "union"} <= set(MODULES)
    assert all((ROOT / "metrics" / name / "metric.yaml").is_file() for name in MODULES)


@pytest.fixture
def network_calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Addresses that are contacted while no setting declares the network unavailable."""
    addresses: list[Any] = []

    def refuse(*address: Any, **options: Any) -> None:
        addresses.append(address)
        raise OSError("no network")

    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return addresses


@pytest.mark.parametrize("name", MODULES)
def test_docstring_example_runs_without_network(
    name: str, monkeypatch: pytest.MonkeyPatch, network_calls: list[Any]
) -> None:
    """A metric loaded by its path in the checkout does not use the network."""
    monkeypatch.chdir(ROOT)
    module = evaluate.load(f"metrics/{name}")
    examples = doctest.DocTestParser().get_doctest(
        module.inputs_description, {"evaluate": evaluate}, name, None, None
    )
    assert examples.examples, "the docstring has no example"
    assert doctest.DocTestRunner(optionflags=FLAGS).run(examples).failed == 0
    assert network_calls == []


@pytest.mark.parametrize("name", MODULES)
def test_module_is_named_after_its_folder_and_counts_its_rows(name: str, tmp_path: Path) -> None:
    module = import_main_class(f"openmeva.metrics.{name}.{name}")(cache_dir=str(tmp_path))  # without weights
    assert (module.name, len(module)) == (name, 0)
    columns = {} if name == "openmeva" else {"context": "It was noon.", "reference": "She ate."}
    module.add(prediction=0.5 if name == "openmeva" else "She ran.", **columns)
    assert len(module) == 1


@pytest.mark.parametrize("wrong", ["no-such-configuration", Path("no-such-configuration")], ids=type)
@pytest.mark.parametrize("name", MODULES)
def test_unknown_configuration_is_rejected(name: str, wrong: str | Path) -> None:
    with pytest.raises(ValueError, match="no-such-configuration"):
        evaluate.load(str(ROOT / "metrics" / name), wrong)


def test_configuration_may_be_a_path(tmp_path: Path) -> None:
    folder, module = ROOT / "metrics" / "sentavg" / "weights" / "roc", str(ROOT / "metrics" / "sentavg")
    loaded = [evaluate.load(module, given) for given in (folder, str(folder))]
    assert len({module.signature() for module in [*loaded, evaluate.load(module, config_name=folder)]}) == 1
    settings = tmp_path / "judge.yaml"
    settings.write_text("model: some/model\n")
    judge = evaluate.load(str(ROOT / "metrics" / "llm_judge"), settings)
    assert judge.compute(predictions=["She ran."], dry_run=True)["requests_at_least"] == 1


@pytest.mark.parametrize("name", sorted(set(MODULES) - {"openmeva"}))
def test_warnings_are_documented(name: str) -> None:
    folder = ROOT / "metrics" / name
    card, module = ((folder / file).read_text(encoding="utf-8") for file in ("README.md", f"{name}.py"))
    assert re.search(r"`warnings`, one (a|per) story: `None`,? or why", card)
    assert re.search(r"\n    warnings: one (a|per) story, None or why", module)


def test_evaluator_passes_column_data_instead_of_predictions() -> None:
    """As documented in metrics/README.md; if this fails, evaluate has changed and the card has to be updated."""
    result = TextGenerationEvaluator().predictions_processor([[{"generated_text": "She ran."}]])
    assert list(result) == ["data"]
    assert evaluate.__version__.startswith("0.4.")
    assert not hasattr(transformers, "TFPreTrainedModel")


@pytest.mark.parametrize("file", FILES)
def test_examples_in_docstrings_run(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    module = importlib.import_module("openmeva." + file.removesuffix(".py").replace("/", "."))
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder().find(module, globs=vars(module)):
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_only_the_core_and_its_own_package(name: str) -> None:
    """Absolute imports work whatever evaluate copies, and can be rewritten when publishing."""
    for path in (ROOT / "metrics" / name).glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.match(r"\s*(from\s+\.|(from|import)\s+(metrics|training|spaces|tests)\b)", line), (
                line
            )
            imported = re.match(r"\s*(?:from|import)\s+openmeva\.(\S+)", line)
            assert not imported or imported[1].startswith(("metrics.core.", f"metrics.{name}.")), line


@pytest.mark.parametrize("name", MODULES)
def test_card_is_complete(name: str) -> None:
    card = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\n")
    parts = re.split(r"^## (.+)$", card, flags=re.MULTILINE)
    sections = {title.lower(): text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    assert {s for s in SECTIONS if not sections.get(s)} == set()
