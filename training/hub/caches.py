"""The cache folders of the Hugging Face libraries, and the layout that each library expects in its cache."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openmeva.training.files import write_text
from openmeva.training.hub.description import Description, Source
from openmeva.training.hub.layout import Repository, data_files, default_configuration

_AHEAD = 4_102_444_800  # the year 2100, in seconds


@dataclass(frozen=True)
class Caches:
    """The cache folders in use; environment variables that the libraries read are respected.

    Attributes:
        home: `HF_HOME`.
        hub: cache of huggingface_hub, which transformers uses too.
        modules: cache of evaluate's modules.
        datasets: cache of prepared datasets.
    """

    home: Path
    hub: Path
    modules: Path
    datasets: Path

    @classmethod
    def from_environment(cls) -> Caches:
        """From `HF_HOME` and the more specific variables; default: the user's own cache folder."""
        user = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
        home = Path(os.environ.get("HF_HOME", user)).expanduser().absolute()
        if "$" in str(home):  # huggingface_hub reads a variable in it, evaluate and datasets do not
            raise ValueError(f"HF_HOME: expected a folder without a variable in its name, got {home}")

        def folder(variable: str, default: str) -> Path:
            return Path(os.environ.get(variable, home / default)).expanduser().absolute()

        return cls(
            home,
            # both names, as huggingface_hub reads them
            folder("HF_HUB_CACHE", os.environ.get("HUGGINGFACE_HUB_CACHE", "hub")),
            folder("HF_MODULES_CACHE", "modules"),
            folder("HF_DATASETS_CACHE", "datasets"),
        )


@dataclass(frozen=True)
class Placement:
    """A folder to be moved into a cache, and the small files that point to it.

    Attributes:
        staged: its current place, on the same file system as `target`.
        target: its place in the cache, named by a digest of its content: an existing folder of that name is the same.
        pointers: files to write after the move, path to content.
        markers: empty files that must exist (`__init__.py`), whoever created them.
    """

    staged: Path
    target: Path
    pointers: dict[Path, str]
    markers: tuple[Path, ...] = ()


def model_placement(repository: Repository, version: str, caches: Caches, staging: Path) -> Placement:
    """A model as huggingface_hub caches it, under the revisions `main` and `v<version>`."""
    folder = caches.hub / f"models--{repository.id.replace('/', '--')}"
    commit = repository.digest()[:40]
    staged = staging / folder.name
    shutil.copytree(repository.folder, staged)
    pointers = {folder / "refs" / name: commit for name in ("main", f"v{version}")}
    return Placement(staged, folder / "snapshots" / commit, pointers)


def module_placements(
    repository: Repository, taken: frozenset[str], caches: Caches, staging: Path
) -> Iterator[Placement]:
    """A module as evaluate caches it: under its id, and under its own name unless evaluate has a module of that name."""
    name = repository.id.partition("/")[2]
    root = caches.modules / "evaluate_modules"
    names = [repository.id.replace("/", "--"), *([f"evaluate-metric--{name}"] if name not in taken else [])]
    for cached in names:
        staged = staging / cached
        staged.mkdir(parents=True)
        for path in sorted(repository.folder.glob("*.py")):
            if path.name != "app.py":
                shutil.copyfile(path, staged / path.name)
        (staged / "__init__.py").touch()
        digest = Repository("space", repository.id, staged).digest()
        parents = (root, root / "metrics", root / "metrics" / cached)
        markers = tuple(parent / "__init__.py" for parent in parents)
        yield Placement(staged, root / "metrics" / cached / digest, {}, markers)


def dataset_placements(
    source: Source, description: Description, caches: Caches, staging: Path, placed: set[tuple[str, str]]
) -> Iterator[Placement]:
    """A dataset as datasets caches it, prepared: each configuration whose files are in its folder.

    `placed` are the dataset and configuration of earlier placements, to which these are added. A configuration among them
    is left out, and the default is that of the first folder with files.

    If no configuration is named, datasets loads the one whose cache folder was modified last, which using another
    configuration can change at any time. The default configuration therefore gets a modification time in the far future.
    """
    hub_id = f"{description.organisation}/{source.name}"
    first = all(name != source.name for name, _ in placed)
    default = default_configuration(source.folder) if first else None
    for configuration, paths in data_files(source.folder).items():
        if not paths or (source.name, configuration) in placed:
            continue
        placed.add((source.name, configuration))
        staged = staging / f"{source.name}-{configuration}"
        prepare_dataset(source.folder, source.name, configuration, staged)
        digest = Repository("dataset", hub_id, staged).digest()[:16]
        folder = caches.datasets / hub_id.replace("/", "___") / configuration / "0.0.0" / digest
        if configuration == default:
            os.utime(staged, (_AHEAD, _AHEAD))
        yield Placement(staged, folder, {})


def prepare_dataset(folder: Path, name: str, configuration: str, target: Path) -> None:
    """Arrow files of a dataset's configuration and its `dataset_info.json`, the same for the same data."""
    import datasets

    scratch = target.with_name(f"{target.name}-scratch")
    quiet = datasets.utils.logging.is_progress_bar_enabled()
    datasets.disable_progress_bars()
    try:
        builder = datasets.load_dataset_builder(str(folder), configuration, cache_dir=str(scratch))
        builder.download_and_prepare()
    finally:
        if quiet:
            datasets.enable_progress_bars()
    prepared = Path(builder.cache_dir)
    target.mkdir(parents=True)
    for path in prepared.glob("*.arrow"):
        shutil.move(path, target / path.name)
    info = json.loads((prepared / "dataset_info.json").read_text(encoding="utf-8"))
    info = {key: value for key, value in info.items() if key != "download_checksums"}  # paths of this machine
    write_text(target / "dataset_info.json", json.dumps({**info, "dataset_name": name}))
    shutil.rmtree(scratch)
