"""The structure of the tree: checks what README files claim about it."""

import re
import subprocess
from pathlib import Path

import pytest

from openmeva.training.paths import CACHE, RESOURCES, ROOT

LONGEST = 300  # lines


def listed(*options: str) -> list[str]:
    """The tracked files of the checkout."""
    done = subprocess.run(["git", "ls-files", *options], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_no_symlinks_are_tracked() -> None:
    assert [line for line in listed("--stage") if line.startswith("120000")] == []


@pytest.mark.parametrize("cache", [CACHE, RESOURCES])
def test_writing_to_caches_raises_error(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "made").touch()
    for write in ((tmp_path / "made").replace, Path.touch):
        with pytest.raises(AssertionError, match="expected that tests write nothing there"):
            write(cache / "made")


def test_training_has_few_top_level_files() -> None:
    """Except for the marker file for type checkers."""
    assert len([path for path in listed("training") if path.count("/") == 1 and path[-6:] != ".typed"]) <= 8


def test_no_module_is_too_long() -> None:
    paths = [ROOT / path for path in listed("*.py") if (ROOT / path).is_file()]
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in paths
    }
    assert {path: count for path, count in lengths.items() if count > LONGEST} == {}


@pytest.mark.parametrize("top", ["metrics", "training", "spaces"])
def test_test_folders_mirror_code_folders(top: str) -> None:
    folders = {path.parent for path in (ROOT / "tests" / top).rglob("test_*.py")}
    without_code = [
        folder
        for folder in sorted(folders)
        if not list((ROOT / folder.relative_to(ROOT / "tests")).rglob("*.py"))
    ]
    assert without_code == []


def test_every_test_file_has_a_docstring() -> None:
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    assert [path.name for path in files if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_only_papers_data_reads_openmeva_data() -> None:
    files = sorted((ROOT / "tests").rglob("*.py"))
    users = [path.name for path in files if '"OPENMEVA_DATA"' in path.read_text(encoding="utf-8")]
    assert users == ["papers_data.py", "test_tree.py"]


def test_files_named_in_code_and_pages_exist() -> None:
    """For paths given from the root of the repository."""
    named = re.compile(
        r"(?<![\w./-])(?:metrics|training|spaces|datasets|tests)/[\w/-]+\.(?:py|yaml|md|jsonl)\b"
    )
    missing = {
        f"{path}: {name}"
        for path in listed("metrics", "training", "spaces", "datasets", "README.md", "Makefile")
        if path.endswith((".py", ".yaml", ".md", "Makefile")) and (ROOT / path).is_file()
        for name in named.findall((ROOT / path).read_text(encoding="utf-8"))
        if not (ROOT / name).is_file()
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("page", "folder"), [("metrics/README.md", "metrics/core"), ("spaces/README.md", "spaces")]
)
def test_readme_lists_every_module(page: str, folder: str) -> None:
    listed_modules = set(re.findall(r"`(\w+\.py)`", (ROOT / page).read_text(encoding="utf-8")))
    modules = {path.name for path in (ROOT / folder).glob("*.py")} - {"__init__.py"}
    assert modules - listed_modules == set()
