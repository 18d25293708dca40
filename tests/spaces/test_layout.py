"""Published folders: they contain all that a Space imports and needs to run, and nothing else."""

import ast
import sys
from pathlib import Path

import pytest
import yaml

from openmeva.spaces.layout import ROOT, lay_out, space_files
from openmeva.training.common.closure import import_closure
from tests.isolation import run_alone

NAMES = ("story_scorer", "perturbation_lab", "leaderboard")
_PACKAGES = {"ot": "pot", "yaml": "pyyaml"}


@pytest.mark.parametrize("name", NAMES)
def test_space_contains_every_file_it_imports(name: str) -> None:
    files = space_files(ROOT / "spaces" / name)
    assert {"README.md", "app.py", "requirements.txt"} <= set(files)
    assert not [
        path for path in files if path.startswith(("tests", ".")) or ".." in path or path.endswith(".pyc")
    ]
    for relative, path in files.items():
        assert path.is_file(), relative
    # Every import of ours is in the folder, at the place where it is looked for.
    code = {path for path in files.values() if path.suffix == ".py"}
    assert import_closure(code, ROOT) == code
    for relative, path in files.items():
        assert relative in (path.name, f"openmeva/{path.relative_to(ROOT)}")


@pytest.mark.parametrize("name", NAMES)
def test_requirements_list_all_imported_packages(name: str) -> None:
    lines = (ROOT / "spaces" / name / "requirements.txt").read_text().split()
    stated = {line.split(">=")[0].lower().replace("-", "_") for line in lines}
    implied = {"tqdm", "tokenizers", "pandas", "pyarrow"}  # of transformers and datasets
    missing = set()
    for relative, path in space_files(ROOT / "spaces" / name).items():
        if path.suffix != ".py" or relative.endswith("/app.py"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:  # what must be there on import
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for package in (full.split(".")[0] for full in names):
                available = package in sys.stdlib_module_names or package in {"openmeva"} | implied
                if not available and _PACKAGES.get(package, package).lower() not in stated:
                    missing.add(f"{package} ({relative})")
    assert not missing


CARDS = [path for place in ("spaces", "metrics") for path in sorted((ROOT / place).glob("*/README.md"))]


@pytest.mark.parametrize("card", CARDS, ids=lambda path: path.parent.name)
def test_card_versions_match_the_project(card: Path) -> None:
    fields = yaml.safe_load(card.read_text(encoding="utf-8").split("---\n", 2)[1])
    assert fields["sdk"] == "gradio"
    assert fields["app_file"] == "app.py"
    assert f"gradio=={fields['sdk_version']}" in (ROOT / "requirements.lock").read_text().split()
    expected = f'requires-python = ">={fields["python_version"]},'  # where no card says, the Hub takes 3.10
    assert expected in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_card_front_matter_is_valid(name: str) -> None:
    _, front, body = (ROOT / "spaces" / name / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(front)
    assert len(fields["short_description"]) <= 60
    assert "api_name=" in body


def test_lay_out_writes_a_new_folder(tmp_path: Path) -> None:
    lay_out("leaderboard", tmp_path / "here")
    assert (tmp_path / "here" / "app.py").is_file()
    assert not any(path.is_symlink() for path in (tmp_path / "here").rglob("*"))
    with pytest.raises(ValueError, match="empty folder"):
        lay_out("leaderboard", tmp_path / "here")
    with pytest.raises(ValueError, match="story_scorer"):
        lay_out("nothing", tmp_path / "there")


START = """
import os, runpy
import gradio

started = []
gradio.Blocks.launch = lambda self, **options: started.append(self.title)
try:
    import openmeva.spaces.scorer
    openmeva.spaces.scorer.Scorer.start = lambda self: None
except ModuleNotFoundError:  # the leaderboard scores nothing
    pass
runpy.run_path("app.py", run_name="__main__")
assert started
if os.path.isdir("openmeva/metrics/union"):
    import evaluate

    union = evaluate.load("openmeva/metrics/union", "roc")
    assert 0 < union.compute(predictions=["Ann ran home. She ate."])["score"] < 1
    print("scored")
for name, module in list(sys.modules.items()):
    place = getattr(module, "__file__", None)
    if name.startswith("openmeva.") and place:
        assert os.path.abspath(place).startswith(os.getcwd()), place
"""


@pytest.mark.parametrize("name", NAMES)
def test_space_starts_without_the_checkout(name: str, tmp_path: Path) -> None:
    """From its folder, without the checkout: all modules come from the folder, and metrics score."""
    folder = lay_out(name, tmp_path / name)
    process = run_alone(START, folder)
    assert process.returncode == 0, process.stderr[-3000:]
    assert ("scored" in process.stdout) == (name != "leaderboard")


def test_folder_does_not_shadow_the_package_spaces() -> None:
    """Gradio imports a package `spaces` where there is one: the folder here must not shadow it."""
    assert not (ROOT / "spaces" / "__init__.py").exists()
    assert not any(path.startswith("spaces/") for path in space_files(ROOT / "spaces" / "leaderboard"))


def test_import_closure_includes_local_and_relative_imports() -> None:
    files = {
        path.relative_to(ROOT).as_posix()
        for path in import_closure([ROOT / "spaces" / "perturbation_lab" / "lab.py"], ROOT)
    }
    assert "metrics/embedding_similarity/embedding_similarity.py" in files  # inside a function
    assert "training/perturbations/aspects/typo.py" in files  # from . import
    assert not any(path.startswith("tests") for path in files)
