"""Requirements of a published Space: the packages that it imports, in the versions that this project is tested with."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import requires
from itertools import chain
from pathlib import Path

_PYPI = {"ot": "POT", "yaml": "PyYAML", "sklearn": "scikit-learn"}  # names that differ from the import
_LOCKS = ("requirements.lock", "requirements-cpu.lock")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # torch without GPU support


def requirements(folder: Path, root: Path) -> str:
    """Lines of a requirements file: the imports of the Python files of a folder, with the project's version bounds.

    Raises:
        ValueError: an import of a package that is not among the project's dependencies.
    """
    bounds = {line.partition(">=")[0].lower().replace("-", "_"): line for line in _dependencies(root)}
    implied = {"tqdm", "tokenizers", "pandas", "pyarrow"}  # dependencies of transformers and datasets
    lines = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in (full.partition(".")[0] for full in names):
                package = _PYPI.get(name, name)
                if name in sys.stdlib_module_names or name in implied or (folder / f"{name}.py").exists():
                    continue
                if package.lower() not in bounds:
                    raise ValueError(f"{path}: imports {name}, which pyproject.toml does not name")
                lines.add(bounds[package.lower()])
    return "".join(f"{line}\n" for line in sorted(lines, key=str.lower))


def _dependencies(root: Path) -> list[str]:
    """The project's dependencies with extras: from `pyproject.toml` in a checkout, else from the installed package."""
    import tomllib

    if (root / "pyproject.toml").is_file():
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    return [line.partition(";")[0].strip() for line in requires("openmeva") or ()]


def pin_versions(lines: str, root: Path) -> str:
    """Lines of a requirements file with the versions of the lock files, and PyTorch's index if torch is among them.

    Without lock files, as in an installed package, the bounds are kept.

    Args:
        lines: one package per line, with or without bounds.
        root: the checkout.
    """
    texts = [(root / name).read_text(encoding="utf-8") for name in _LOCKS if (root / name).is_file()]
    # without the local version, such as +cpu, which other indexes lack
    locked = dict(re.findall(r"^([\w.-]+)==([^\s+]+)", "".join(texts), re.MULTILINE))
    versions = {_normalized_name(name): version for name, version in locked.items()}
    pinned = []
    for line in lines.split("\n"):
        name = re.split(r"[<>=!~; ]", line)[0]
        version = versions.get(_normalized_name(name.partition("[")[0]))
        pinned.append(f"{name}=={version}" if version else line)
        if name == "torch":
            pinned.insert(0, f"--extra-index-url {CPU_INDEX}")
    return "\n".join(pinned)


def _normalized_name(name: str) -> str:
    """A package's name as normalized by PyPI."""
    return re.sub(r"[-_.]+", "-", name).lower()
