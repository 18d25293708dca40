"""A metric's module as it is published: self-contained, with the files of the core that it needs.

In the checkout a module imports its own files and the core as a library. A published module is a flat folder:
`openmeva.metrics.core.text` becomes `core_text.py`, `openmeva.metrics.union.scoring` becomes `scoring.py`, and their
imports become relative. evaluate copies only the sibling files that the main file itself imports, one per line, so a line
is added for each sibling that the main file does not import yet.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from openmeva.training.common.closure import import_closure

_IMPORT = re.compile(r"^(\s*)from\s+openmeva\.metrics\.(\w+)\.(\w+)\s+import\b")
_NOTE = "# evaluate copies only the sibling files that this file imports."


def standalone_files(name: str, root: Path) -> dict[str, str]:
    """The Python files of the metric `name` in the checkout `root`, as published: content by file name.

    Raises:
        ValueError: an import from this project outside the metric and the core, or one that is not of the form
            `from openmeva.metrics.core.text import …` (file and line are named).
    """
    folder, core = root / "metrics" / name, root / "metrics" / "core"
    main = folder / f"{name}.py"
    paths = sorted(path for path in import_closure([main], root) if path.name != "__init__.py")
    for path in paths:
        if path.parent not in (folder, core):
            raise ValueError(
                f"{main}: expected imports only from metrics/{name} and metrics/core, got {path.relative_to(root)}"
            )
    files = {f"{_flat_name(path.parent.name, path.stem, name)}.py": _rewrite(path, name) for path in paths}
    siblings = {Path(file).stem for file in files} - {name}
    files[main.name] = _with_imports(files[main.name], siblings)
    return files


def _flat_name(package: str, module: str, name: str) -> str:
    return module if package == name else f"{package}_{module}"


def _rewrite(path: Path, name: str) -> str:
    """The file's text with imports of this project made relative."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            modules = [node.module or ""] if not node.level else []
        if not any(module.partition(".")[0] == "openmeva" for module in modules):
            continue
        match = _IMPORT.match(lines[node.lineno - 1])
        if match is None or match[2] not in (name, "core"):
            raise ValueError(
                f"{path}, line {node.lineno}: expected `from openmeva.metrics.core.… import …` or "
                f"`from openmeva.metrics.{name}.… import …`, got {lines[node.lineno - 1].strip()!r}"
            )
        flat = _flat_name(match[2], match[3], name)
        lines[node.lineno - 1] = f"{match[1]}from .{flat} import{lines[node.lineno - 1][match.end() :]}"
    return "".join(lines)


def _with_imports(text: str, siblings: set[str]) -> str:
    """The main file's text with an import of each sibling that it does not import at the start of a line."""
    missing = sorted(siblings - set(re.findall(r"^from \.(\w+) import\b", text, re.MULTILINE)))
    if not missing:
        return text
    lines = text.splitlines(keepends=True)
    last = max(
        node.end_lineno or node.lineno
        for node in ast.parse(text).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    added = [f"from .{sibling} import __name__ as _{sibling}\n" for sibling in missing]
    return "".join([*lines[:last], "\n", f"{_NOTE}\n", *added, *lines[last:]])
