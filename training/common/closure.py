"""The Python files of the project that a file imports, directly or indirectly: what it depends on and is published with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = "openmeva"


def import_closure(starts: Iterable[Path], root: Path) -> set[Path]:
    """The project's Python files that `starts` import, including `starts`, at any place in a file.

    Args:
        starts: Python files under `root`.
        root: the folder that is imported as `openmeva`.
    """
    found: set[Path] = set()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for module in imported_modules(path, root):
            waiting += _files(module, root)
    return found


def imported_modules(path: Path, root: Path) -> Iterator[str]:
    """Full names of a file's imports: `a.b` for `import a.b`, `a.b` and `a.b.c` for `from a.b import c`."""
    package = (PACKAGE, *path.relative_to(root).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _files(module: str, root: Path) -> Iterator[Path]:
    """The file of a module of the project, and the `__init__.py` of its packages; nothing for other names."""
    package, *parts = module.split(".")
    if package != PACKAGE or not parts:
        return
    for depth in range(1, len(parts) + 1):
        init = root.joinpath(*parts[:depth], "__init__.py")
        if init.is_file():
            yield init
    file = root.joinpath(*parts).with_suffix(".py")
    if file.is_file():
        yield file
