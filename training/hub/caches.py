"""Where the libraries look for what has been loaded before, and what they expect there."""

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
        hub: of huggingface_hub, where transformers looks too.
        modules: of evaluate.
        datasets: of prepared datasets.
    """

    home: Path
    hub: Path
    modules: Path
    datasets: Path

    @classmethod
    def from_environment(cls) -> Caches:
        """As `HF_HOME` and its more particular siblings say, else the user's own cache folder."""
        user = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
        home = Path(os.environ.get("HF_HOME", user)).expanduser().absolute()

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
    """A folder to be put into a cache, and the small files that point to it.

    Attributes:
        staged: where it lies now; on the same file system as `target`.
        target: where it belongs; its name is a digest of its content, so that one that is there already is it.
        pointers: files to write once it is there, with their content.
        markers: empty files that have to be there, whoever put them there (`__init__.py`).
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
    """A module as evaluate caches it: under its own name, unless evaluate has one of that name, and its id."""
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
    source: Source, description: Description, caches: Caches, staging: Path
) -> Iterator[Placement]:
    """A dataset as datasets caches it, prepared: each configuration whose files lie in its folder.

    Asked for no configuration, datasets takes of its cache the one whose folder was changed last, which work with
    another may change at any time: the default configuration is dated ahead of all that will ever be written.
    """
    hub_id = f"{description.organisation}/{source.name}"
    default = default_configuration(source.folder)
    for configuration, paths in data_files(source.folder).items():
        if not paths:
            continue
        staged = staging / f"{source.name}-{configuration}"
        prepare(source.folder, source.name, configuration, staged)
        digest = Repository("dataset", hub_id, staged).digest()[:16]
        folder = caches.datasets / hub_id.replace("/", "___") / configuration / "0.0.0" / digest
        if configuration == default:
            os.utime(staged, (_AHEAD, _AHEAD))
        yield Placement(staged, folder, {})


def prepare(folder: Path, name: str, configuration: str, target: Path) -> None:
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
