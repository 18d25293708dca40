"""Lays out a repository in a folder as it is published: files of the checkout with ids, revision and card adapted."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from openmeva.metrics.core.files import ADAPTER
from openmeva.spaces.layout import space_files
from openmeva.training.common.cards import drop_empty_configurations, join_card, read_card
from openmeva.training.common.closure import PACKAGE
from openmeva.training.common.model_card import backbone_hub_id
from openmeva.training.files import checksum, write_text
from openmeva.training.hub.description import Description, Source
from openmeva.training.hub.requirements import pin_versions, requirements
from openmeva.training.hub.results import add_metric_results, add_results, model_index, read_results
from openmeva.training.hub.rewriting import name_folders, pin_module, pin_settings, rename
from openmeva.training.hub.standalone import standalone_files
from openmeva.training.hub.terms import licence_files
from openmeva.training.hub.whole_model import whole_model_note, write_whole_model

_TEXT = {".py", ".json", ".md", ".yaml", ".txt", ".toml"}
_VERBATIM = {"tokenizer.json", "vocab.txt", "names.json"}
_PART_OF = "This is part of [openmeva]({}), which is what this page means by a checkout or a clone."
PUBLISHER = "publisher.json"  # next to `shell.py`, which reads it


@dataclass(frozen=True)
class Repository:
    """A repository laid out in a folder.

    Attributes:
        kind: `model`, `dataset` or `space`.
        id: `organisation/name`.
        folder: holds its files and nothing else.
    """

    kind: str
    id: str
    folder: Path

    def files(self) -> dict[str, Path]:
        """Its files by their path in the repository, sorted."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path for path in paths}

    def digest(self) -> str:
        """SHA-256 over names and contents, in hexadecimal."""
        total = hashlib.sha256()
        for name, path in self.files().items():
            total.update(f"{name}\0{checksum(path)}\n".encode())
        return total.hexdigest()


def lay_out(
    source: Source, description: Description, target: Path, organisation: str, version: str, root: Path
) -> Repository:
    """The repository of `source`, for `organisation` and `version`, in a folder of its own under `target`.

    Published modules and adapters name the revision `v<version>` of their weights. Each card ends with the address of the
    project, if the description has one.

    Raises:
        ValueError: a card without front matter, weights that are missing or damaged, or errors of
            `standalone_files` and `requirements`.
    """
    hub_id = f"{organisation}/{source.name}"
    folder = target / f"{source.kind}s" / organisation / source.name
    folder.mkdir(parents=True, exist_ok=True)
    revision = f"v{version}"
    # A dataset that may not be redistributed has only a card in its repository, which tells how to build it; it loads
    # from the user's own folder.
    built = {
        dataset.name
        for dataset in description.of_kind("dataset")
        if dataset.name not in description.redistributable
    }
    available = description.names - built
    for name, content in _contents(source, description, root):
        destination = folder / name
        destination.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path) and (content.suffix not in _TEXT or content.name in _VERBATIM):
            shutil.copyfile(content, destination)
            continue
        text = content.read_text(encoding="utf-8") if isinstance(content, Path) else content
        if destination.suffix == ".py":
            text = pin_module(text, revision)
        elif destination.name == "config.json" and source.loads_as == "adapter":
            text = json.dumps(pin_settings(json.loads(text), revision), indent=2) + "\n"
        text = rename(text, description.organisation, organisation, available)
        if source.module or destination.suffix == ".md":  # a demo contains the folders that it loads from
            text = name_folders(text, organisation, available)
        write_text(destination, text)
    if source.module:
        write_text(folder / "requirements.txt", pin_versions(requirements(folder, root), root))
    if source.demo:
        requirements_file = folder / "requirements.txt"
        write_text(requirements_file, pin_versions(requirements_file.read_text(encoding="utf-8"), root))
        # a copy of the Space has another owner, but links to the publisher's other Spaces
        write_text(folder / PACKAGE / "spaces" / PUBLISHER, json.dumps({"organisation": organisation}) + "\n")
    whole = description.has_whole_model(source)
    classifier = description.whole_models.get(source.metric)
    if whole:
        write_whole_model(source.folder, source.metric, folder, classifier)
    card = folder / "README.md"
    if card.exists():
        front, body = read_card(card)
        results = read_results(root)
        if results is not None and source.loads_as == "adapter":
            measured = (source.metric, source.folder.name, root, results)
            body = add_results(body, *measured)
            if index := model_index(hub_id, *measured):
                front["model-index"] = index
        elif results is not None and source.module:
            body = add_metric_results(body, source.name, root, results)
        if whole:
            body = (
                body.rstrip("\n")
                + "\n"
                + whole_model_note(hub_id, classifier, f"{organisation}/story-encoder")
            )
            front["library_name"] = "transformers"
        if hub := backbone_hub_id(folder):
            front.setdefault("base_model", hub)
            if not whole and (folder / ADAPTER).is_file():
                front.setdefault("base_model_relation", "adapter")
        if source.kind == "dataset":
            drop_empty_configurations(front, folder)
        if description.source:
            body = f"{body.rstrip()}\n\n{_PART_OF.format(description.source)}\n"
        write_text(card, join_card({**front, "version": version}, body))
    return Repository(source.kind, hub_id, folder)


def _contents(source: Source, description: Description, root: Path) -> Iterator[tuple[str, Path | str]]:
    """Paths in the repository, and their content: a file of the checkout, or a text."""
    yield from licence_files(source.folder / "README.md", root)
    if source.demo:
        yield from space_files(source.folder, root).items()
        return
    if (source.folder / "README.md").is_file():
        yield "README.md", source.folder / "README.md"
    if source.kind == "dataset":
        for configuration in description.redistributable.get(source.name, ()):
            for path in data_files(source.folder)[configuration]:
                yield path.relative_to(source.folder).as_posix(), path
        return
    if source.module:
        yield from standalone_files(source.name, root).items()
        yield "app.py", root / "spaces" / "metric_app.py"
        return
    for path in sorted(source.folder.iterdir()):
        if path.is_file() and any(fnmatch(path.name, pattern) for pattern in source.files):
            yield path.name, path
    if (source.folder / "names.json").is_file() and not (source.folder / "NAMES.md").is_file():
        yield (
            "NAMES.md",
            root / "metrics" / "weights" / "encoder" / "NAMES.md",
        )  # required by the terms of the names


def data_files(folder: Path) -> dict[str, list[Path]]:
    """The files of each configuration in a dataset's card; an empty list where one of them is missing."""
    front, _ = read_card(folder / "README.md")
    files = {}
    for configuration in front.get("configs", []):
        paths = [folder / split["path"] for split in configuration["data_files"]]
        files[configuration["config_name"]] = paths if all(path.is_file() for path in paths) else []
    return files


def default_configuration(folder: Path) -> str | None:
    """The configuration that `load_dataset` loads by default; None where one has to be named."""
    front, _ = read_card(folder / "README.md")
    configurations = front.get("configs", [])
    names = [
        one["config_name"]
        for one in configurations
        if one["config_name"] == "default" or one.get("default") or len(configurations) == 1
    ]
    return names[0] if names else None
