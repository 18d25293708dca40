"""The files of a published Space: its pages, the modules that they import, the metrics that they show, and data.

The publishing step calls `space_files`; `python -m spaces.layout NAME FOLDER` copies a Space to a folder, which is
self-contained and runs with `python app.py`.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from openmeva.spaces.catalogue import read_catalogue
from openmeva.training.common.closure import PACKAGE, import_closure
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.paths import ROOT

_DATA = {".css", ".html", ".js", ".json", ".yaml", ".txt"}
_TOP = ("README.md", "app.py", "requirements.txt", "packages.txt")


def space_files(folder: Path, root: Path = ROOT) -> dict[str, Path]:
    """Paths in the published repository of the Space in `folder`, mapped to files of the checkout.

    The page, its card and its requirements are at the top level; everything else is in a folder `openmeva`, the name
    under which the page imports it.

    Raises:
        ValueError: no such Space, or a file that it needs is not in the checkout (named).
    """
    name = folder.name
    needs = yaml.safe_load((root / "spaces" / "layout.yaml").read_text(encoding="utf-8"))
    if name not in needs or not (folder / "app.py").is_file():
        raise ValueError(f"expected one of the Spaces {', '.join(needs)}, got {name!r}")
    tops = {top: folder / top for top in _TOP if (folder / top).is_file()}
    extra = {path for pattern in _flat(needs[name]) for path in _matches(pattern, root)}
    modules = import_closure([folder / "app.py", *(path for path in extra if path.suffix == ".py")], root)
    data = [
        path
        for module_folder in {path.parent for path in modules}
        for path in _data_files_of(module_folder, root)
    ]
    inside = sorted({*modules, *data, *extra} - set(tops.values()))
    return tops | {f"{PACKAGE}/{path.relative_to(root).as_posix()}": path for path in inside}


def _data_files_of(folder: Path, root: Path) -> Iterator[Path]:
    """Data files in the folder of a module, which the module may read."""
    if folder not in (root / "metrics", root / "training"):  # files there belong to no module
        yield from (path for path in folder.iterdir() if path.suffix in _DATA and path.is_file())


def _flat(patterns: Sequence[str | list[str]]) -> Iterator[str]:
    for pattern in patterns:
        yield from [pattern] if isinstance(pattern, str) else _flat(pattern)


def _matches(pattern: str, root: Path) -> list[Path]:
    """Files that match a pattern. Metrics without weights match none.

    Raises:
        ValueError: no file at all.
    """
    names = read_catalogue(root / "metrics") if "{metric}" in pattern else [""]
    paths = [path for name in names for path in sorted(root.glob(pattern.format(metric=name)))]
    files = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
    if not files:
        raise ValueError(f"expected {pattern} in the checkout, found nothing")
    return files


def lay_out(name: str, target: Path, root: Path = ROOT) -> Path:
    """Copies a Space's files into the folder `target`, which must be empty or absent; errors also as `space_files`."""
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"{target}: expected an empty folder")
    for relative, path in space_files(root / "spaces" / name, root).items():
        destination = target / relative
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, destination)
    return target


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m spaces.layout",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="story_scorer, perturbation_lab or leaderboard")
    parser.add_argument("folder", type=Path, help="target folder: empty or absent")
    options = parser.parse_args(arguments)
    with exit_on_bad_input():
        lay_out(options.name, options.folder)
    print(f"{options.folder}: python app.py")


if __name__ == "__main__":
    main()
