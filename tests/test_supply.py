"""What comes from elsewhere is pinned and checked, and nothing that comes from elsewhere is run."""

import ast
import pickle
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openmeva.training.paths import ROOT

LOCKS = ("requirements.lock", "requirements-cpu.lock", "requirements-cuda.lock")
SOURCES = [
    path for folder in ("metrics", "training", "spaces") for path in sorted((ROOT / folder).rglob("*.py"))
]
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}
FORBIDDEN_CALLS = {
    "eval", "exec", "compile", "__import__", "torch.load", "numpy.load", "np.load", "os.system", "os.popen",
    "tempfile.mktemp", "yaml.unsafe_load", "yaml.full_load", "tarfile.open", "pd.read_pickle",
}  # fmt: skip
FORBIDDEN_OPTIONS = {"shell", "trust_remote_code", "allow_pickle", "weights_only"}
RESTRICTED = {
    "training/judged/storyer.py"
}  # its authors publish pickles: read as lists, texts and numbers alone
UNPACKING = {
    "metrics/core/backbone.py",
    "training/speed/spaces.py",  # a revision of this project, by git, with the filter for data
    "training/text/knowledge/wordnet_files.py",
}


def pins(name: str) -> dict[str, list[str]]:
    """Lines `package==version` of a lock file, with their checksums."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return {line.split()[0]: re.findall(r"--\S+", line) for line in lines}


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_checksums(name: str) -> None:
    found = pins(name)
    assert found
    for pin, hashes in found.items():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.!+-]+", pin), pin
        assert hashes, pin
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes), pin


def test_the_environment_is_made_of_the_lock_files_alone() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("$(VENV)/.stamp: ")[2].partition("\n\n")[0].replace("\\\n", " ")
    assert re.findall(r"\$\(LOCKED\) (\S+)", recipe) == list(LOCKS)
    (own,) = re.findall(r"pip install (.*)", recipe)
    assert own == "--quiet --no-deps --no-build-isolation --editable ."
    (options,) = re.findall(r"^LOCKED := (.*)", makefile, re.MULTILINE)
    assert "--no-deps --require-hashes" in options


def test_what_the_project_names_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    extras.pop("encoder")  # wanted by those alone who train the shared encoder
    named = [*project["dependencies"], *(one for extra in extras.values() for one in extra)]
    locked = {plain(pin.partition("==")[0]) for name in LOCKS for pin in pins(name)}
    assert {plain(re.split(r"[>=<\[;]", one)[0]) for one in named} <= locked


def plain(name: str) -> str:
    """A package's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


@pytest.mark.parametrize("folder", ["metrics", "training", "spaces"])
def test_no_file_is_run_and_no_text_is_code(folder: str) -> None:
    for path in SOURCES:
        if path.relative_to(ROOT).parts[0] != folder:
            continue
        where = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found = {name.partition(".")[0] for name in names} & FORBIDDEN_MODULES
            assert not found or where in RESTRICTED, where
        for name, call in calls(path):
            assert name not in FORBIDDEN_CALLS, f"{where}, line {call.lineno}: {name}"
            options = {one.arg: one.value for one in call.keywords}
            for option in FORBIDDEN_OPTIONS & options.keys():
                value = options[option]
                assert isinstance(value, ast.Constant), f"{where}, line {call.lineno}"
                assert value.value is (option == "weights_only"), f"{where}, line {call.lineno}: {option}"
            if name == "yaml.load":
                assert where == "training/common/config.py"  # a subclass of the safe loader


def test_a_pickle_that_asks_for_more_than_numbers_is_refused(tmp_path: Path) -> None:
    from openmeva.training.judged.storyer import OVERALL, read_overall

    (tmp_path / OVERALL["wp"]).write_bytes(pickle.dumps([print]))
    with pytest.raises(ValueError, match=r"builtins\.print"):
        read_overall(tmp_path, "wp")


def test_yaml_makes_plain_values() -> None:
    import yaml

    from openmeva.training.common.config import _Loader, read_yaml

    assert issubclass(_Loader, yaml.SafeLoader)
    with pytest.raises(
        ValueError, match=r"expected YAML of plain values .*could not determine a constructor"
    ):
        read_yaml("a: !!python/object/apply:os.getcwd []")


def test_archives_are_unpacked_in_known_places() -> None:
    names = {"extractall", "unpack_archive", "extract"}
    found = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for name, _ in calls(path)
        if name.rpartition(".")[2] in names
    }
    assert found == UNPACKING


def _extract(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as members:
        members.extractall(folder)


@pytest.mark.parametrize("unpack", [_extract, shutil.unpack_archive])
def test_they_leave_nothing_outside_their_folder(
    unpack: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    """By the two functions that those places use."""
    archive, folder = tmp_path / "a.zip", tmp_path / "inner" / "folder"
    with zipfile.ZipFile(archive, "w") as members:
        for name in ("good.txt", "../up.txt", "a/../../up.txt", str(tmp_path / "absolute.txt")):
            members.writestr(name, "text")
    folder.mkdir(parents=True)
    unpack(archive, folder)
    outside = {path.name for path in tmp_path.rglob("*") if folder not in path.parents}
    assert outside == {"a.zip", "inner", "folder"}
