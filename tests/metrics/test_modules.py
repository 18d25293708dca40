"""Every metric module: its example runs, it stands alone, its card is complete."""

import doctest
import importlib.util
import re
from pathlib import Path

import evaluate
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    p.parent.name
    for p in (ROOT / "metrics").glob("*/README.md")
    if (p.parent / f"{p.parent.name}.py").exists()
)
SECTIONS = {"what it measures", "how to use", "limits", "data and licence", "citation"}


def test_there_are_modules() -> None:
    assert {"openmeva", "union"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_the_example_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    module = evaluate.load(f"metrics/{name}")
    examples = doctest.DocTestParser().get_doctest(
        module.inputs_description, {"evaluate": evaluate}, name, None, None
    )
    assert examples.examples, "an example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(examples).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_it_imports_nothing_of_ours_outside_itself(name: str) -> None:
    folder = ROOT / "metrics" / name
    for path in folder.glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"\s*(from|import)\s+(metrics|training|spaces|tests)\b", line):
                pytest.fail(f"{path.name}: {line.strip()}")
            relative = re.match(r"\s*from \.(\w*)", line)
            if relative:
                assert (folder / f"{relative[1]}.py").exists(), f"{path.name}: {line.strip()}"


@pytest.mark.parametrize("name", MODULES)
def test_its_main_file_names_every_sibling(name: str) -> None:
    """evaluate copies the siblings that the main file imports, and no others."""
    folder = ROOT / "metrics" / name
    main = (folder / f"{name}.py").read_text(encoding="utf-8")
    siblings = {p.stem for p in folder.glob("*.py")} - {name, "__main__", "__init__", "app"}
    assert siblings == set(re.findall(r"^from \.(\w+) import", main, re.MULTILINE))


@pytest.mark.parametrize("name", MODULES)
def test_its_card_is_complete(name: str) -> None:
    card = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\n")
    parts = re.split(r"^## (.+)$", card, flags=re.MULTILINE)
    sections = {title.lower(): text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}
    assert {s for s in SECTIONS if not sections.get(s)} == set()


def test_symlinks_are_relative_and_whole() -> None:
    links = [p for p in (ROOT / "metrics").glob("*/*.py") if p.is_symlink()]
    assert links
    for link in links:
        assert not link.readlink().is_absolute()
        renamed = {"app.py": "spaces/metric_app.py", "__main__.py": "metrics/story_file.py"}
        assert link.resolve() == ROOT / renamed.get(link.name, f"metrics/{link.name}")


def test_shared_files_can_be_imported_from_the_checkout() -> None:
    assert importlib.util.find_spec("metrics.core.text") is not None
