"""What a published Space holds: its pages, the modules that they import, the metrics that they show, and data.

The publishing step calls `space_files`; `python -m spaces.layout NAME FOLDER` lays a Space out in a folder, which then
runs alone: `python app.py`.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from openmeva.training.paths import ROOT

_PACKAGES = ("metrics", "spaces", "training")
_DATA = {".css", ".js", ".json", ".yaml", ".txt"}
_TOP = ("README.md", "app.py", "requirements.txt", "packages.txt")


def space_files(folder: Path, root: Path = ROOT) -> dict[str, Path]:
    """Paths in the published repository of the Space in `folder`, and where their contents are.

    Raises:
        ValueError: no such Space, or something that it needs is not in the checkout (named).
    """
    name = folder.name
    needs = yaml.safe_load((root / "spaces" / "layout.yaml").read_text(encoding="utf-8"))
    if name not in needs or not (folder / "app.py").is_file():
        raise ValueError(f"expected one of the Spaces {', '.join(needs)}, got {name!r}")
    found = {top: folder / top for top in _TOP if (folder / top).is_file()}
    modules = closure([folder / "app.py"], root)
    beside = {path.parent for path in modules if path.parent not in (root / "training", root / "metrics")}
    data = [p for place in beside for p in place.iterdir() if p.suffix in _DATA and p.is_file()]
    extra = [path for pattern in _flat(needs[name]) for path in _matches(pattern, root)]
    tops = {folder / top for top in _TOP}
    for path in sorted({*modules, *data, *extra} - tops):
        found[path.relative_to(root).as_posix()] = path
    return found


def _flat(patterns: Sequence[str | list[str]]) -> Iterator[str]:
    for one in patterns:
        yield from [one] if isinstance(one, str) else _flat(one)


def _matches(pattern: str, root: Path) -> list[Path]:
    """Files of a pattern; weights may be missing, since some metrics have none."""
    catalogue = yaml.safe_load((root / "spaces" / "catalogue.yaml").read_text(encoding="utf-8"))
    metrics = [name for name in catalogue if (root / "metrics" / name).is_dir()]
    patterns = [pattern.format(metric=name) for name in metrics] if "{metric}" in pattern else [pattern]
    found = [path for one in patterns for path in sorted(root.glob(one))]
    found = [path for path in found if path.is_file() and "__pycache__" not in path.parts]
    if not found:
        raise ValueError(f"expected {pattern} in the checkout, found nothing")
    return found


def closure(starts: Sequence[Path], root: Path = ROOT) -> set[Path]:
    """The project's Python files that `starts` import, themselves included, wherever in a file the import stands."""
    found: set[Path] = set()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for module in _imported(path, root):
            waiting += _files(module, root)
    return found


def _imported(path: Path, root: Path) -> Iterator[str]:
    package = path.relative_to(root).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _files(module: str, root: Path) -> Iterator[Path]:
    """The file of a module of ours, and the packages that it lies in; nothing for a name that is no module."""
    parts = module.split(".")
    if parts[0] not in _PACKAGES:
        return
    for depth in range(1, len(parts) + 1):
        package = root.joinpath(*parts[:depth], "__init__.py")
        if package.is_file():
            yield package
    file = root.joinpath(*parts).with_suffix(".py")
    if file.is_file():
        yield file


def lay_out(name: str, target: Path, root: Path = ROOT) -> Path:
    """Copies a Space's files into the folder `target`, which must be empty or absent; errors as `space_files`."""
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"{target}: expected an empty folder")
    for relative, path in space_files(root / "spaces" / name, root).items():
        place = target / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return target


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m spaces.layout",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="story_scorer, perturbation_lab or leaderboard")
    parser.add_argument("folder", type=Path, help="where to lay it out: empty or absent")
    options = parser.parse_args(arguments)
    try:
        lay_out(options.name, options.folder)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{options.folder}: python app.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
