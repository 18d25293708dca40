"""Packages import only in one direction, in the order listed in training/README.md."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from openmeva.training.paths import ROOT

ORDER = ROOT / "training" / "README.md"
TOPS = ("metrics", "training", "spaces")


def read_order(text: str) -> list[str]:
    """Packages in the order of the numbered list, lowest first."""
    return re.findall(r"^\d+\. `([\w.*]+)`:", text, flags=re.MULTILINE)


def position(package: str, listed: list[str]) -> int | None:
    """Position of a package in the order; None if it is not listed."""
    group = package.rpartition(".")[0] + ".*"
    return next((listed.index(name) for name in (package, group) if name in listed), None)


def modules(root: Path) -> dict[str, Path]:
    """All modules by dotted name, without `openmeva`."""
    paths = (path for top in TOPS for path in sorted((root / top).rglob("*.py")))
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Names of this project that a module imports anywhere, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join(
                [*(["openmeva"] if parents else []), *parents, *([node.module] if node.module else [])]
            )
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("openmeva.") for name in names if name.startswith("openmeva."))


def imports_of_packages(root: Path) -> dict[tuple[str, str], list[str]]:
    """Pairs of a package and another that it imports, with the files that do; a package is a folder."""
    paths = modules(root)
    folder = {name: ".".join(path.parent.relative_to(root).parts) for name, path in paths.items()}
    imports = defaultdict(list)
    for name, path in paths.items():
        for target in imported(ast.parse(path.read_text(encoding="utf-8")), folder[name]):
            module = target if target in folder else target.rpartition(".")[0]
            other = folder.get(module, module)
            if other != folder[name]:
                imports[folder[name], other].append(str(path.relative_to(root)))
    return imports


def violations(root: Path, listed: list[str]) -> list[str]:
    """Messages about imports that violate the order, and packages that it lacks."""
    edges = imports_of_packages(root)
    folders = {".".join(path.parent.relative_to(root).parts) for path in modules(root).values()}
    packages = folders | {name for pair in edges for name in pair}
    messages = [
        f"{name}: not in the list of {ORDER.name}"
        for name in sorted(packages)
        if position(name, listed) is None
    ]
    for (package, other), files in sorted(edges.items()):
        if (other, package) in edges and package < other:
            messages.append(f"{package} and {other} import each other: {', '.join(files)}")
        own, theirs = position(package, listed), position(other, listed)
        if own is not None and theirs is not None and own <= theirs:
            messages.append(f"{package} imports {other}, which does not stand above it: {', '.join(files)}")
    return messages


def test_packages_import_in_one_direction() -> None:
    listed = read_order(ORDER.read_text(encoding="utf-8"))
    assert len(listed) == len(set(listed)) > 30
    assert not violations(ROOT, listed)


def test_every_listed_package_exists() -> None:
    listed = read_order(ORDER.read_text(encoding="utf-8"))
    assert not [
        name for name in listed if not list((ROOT / name.replace(".", "/").rstrip("*")).rglob("*.py"))
    ]


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (
            "from openmeva.training.high import one",
            "training.low imports training.high, which does not stand",
        ),
        (
            "def f():\n    import openmeva.training.high.one",
            "training.low imports training.high, which does not",
        ),
        ("from ..high import one", "training.low imports training.high, which does not stand"),
        ("from openmeva.training.other import x", "training.other: not in the list"),
        ("from openmeva.training.low import sibling", None),
        ("import json", None),
    ],
)
def test_import_against_the_order_is_reported(tmp_path: Path, statement: str, fault: str | None) -> None:
    for name in ("low/two.py", "low/sibling.py", "high/one.py"):
        (tmp_path / "training" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "training" / name).write_text("")
    (tmp_path / "training" / "low" / "two.py").write_text(statement + "\n")
    found = violations(tmp_path, ["training.low", "training.high"])
    assert (fault is None and not found) or (fault is not None and found and found[0].startswith(fault))


def test_mutual_imports_are_reported(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / "training" / name).mkdir(parents=True)
        (tmp_path / "training" / name / "m.py").write_text(f"from openmeva.training.{other} import m\n")
    found = violations(tmp_path, ["training.a", "training.b"])
    assert found[0].startswith("training.a and training.b import each other")


def test_metric_importing_another_metric_is_reported(tmp_path: Path) -> None:
    (tmp_path / "metrics" / "one").mkdir(parents=True)
    (tmp_path / "metrics" / "one" / "one.py").write_text("from openmeva.metrics.two import two\n")
    assert violations(tmp_path, ["metrics.*"]) == [
        "metrics.one imports metrics.two, which does not stand above it: metrics/one/one.py"
    ]
