"""The structure of the tree: checks what README files claim about it."""

import re
import subprocess
from pathlib import Path

import pytest

from openmeva.training.paths import CACHE, RESOURCES, ROOT

LONGEST = 300  # lines


def listed(*options: str) -> list[str]:
    """The files of the checkout that git knows."""
    known = subprocess.run(
        ["git", "ls-files", *options], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return known.stdout.splitlines()


def test_there_are_no_symlinks() -> None:
    assert [line for line in listed("--stage") if line.startswith("120000")] == []


@pytest.mark.parametrize("cache", [CACHE, RESOURCES])
def test_tests_write_nothing_into_its_caches(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "made").touch()
    for write in ((tmp_path / "made").replace, Path.touch):
        with pytest.raises(AssertionError, match="expected that tests write nothing there"):
            write(cache / "made")


def test_few_files_lie_directly_in_training() -> None:
    """Except for the marker file for type checkers."""
    assert len([path for path in listed("training") if path.count("/") == 1 and path[-6:] != ".typed"]) <= 8


def test_no_module_is_too_long() -> None:
    paths = [ROOT / path for path in listed("*.py") if (ROOT / path).is_file()]
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in paths
    }
    assert {path: count for path, count in lengths.items() if count > LONGEST} == {}


@pytest.mark.parametrize("top", ["metrics", "training", "spaces"])
def test_tests_lie_where_the_code_does(top: str) -> None:
    folders = {path.parent for path in (ROOT / "tests" / top).rglob("test_*.py")}
    without_code = [
        folder
        for folder in sorted(folders)
        if not list((ROOT / folder.relative_to(ROOT / "tests")).rglob("*.py"))
    ]
    assert without_code == []


def test_every_test_file_says_what_it_tests() -> None:
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    assert [path.name for path in files if not path.read_text(encoding="utf-8").startswith('"""')] == []


def test_tests_find_the_papers_data_in_one_place() -> None:
    files = sorted((ROOT / "tests").rglob("*.py"))
    asking = [path.name for path in files if '"OPENMEVA_DATA"' in path.read_text(encoding="utf-8")]
    assert asking == ["papers_data.py", "test_tree.py"]


def test_files_that_code_and_pages_name_are_there() -> None:
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
