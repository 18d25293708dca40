"""Cards of repositories and data sets: front matter, and the configurations whose files exist."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Any

import yaml


def split_card(text: str) -> tuple[dict[str, Any], str]:
    """The front matter and the body of a card.

    Raises:
        ValueError: the front matter is missing or not a YAML mapping.
    """
    match = re.match(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL)
    try:
        front = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError as error:
        raise ValueError(f"front matter: expected YAML, got {error}") from error
    if match is None or not isinstance(front, dict):
        raise ValueError("front matter: expected a YAML mapping between two lines of ---")
    return front, match[2]


def read_card(path: Path) -> tuple[dict[str, Any], str]:
    """The front matter and the body of a card file; raises as `split_card`."""
    return split_card(path.read_text(encoding="utf-8"))


def join_card(front: dict[str, Any], body: str) -> str:
    """A card from its front matter and its body."""
    return f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=110)}---\n{body}"


def loading_call(folder: PurePath, *configuration: str) -> str:
    """The Python call of `datasets` that loads a built folder; paths have forward slashes on every system."""
    arguments = ", ".join(f'"{argument}"' for argument in (folder.as_posix(), *configuration))
    return f"load_dataset({arguments})"


def drop_empty_configurations(front: dict[str, Any], folder: Path) -> None:
    """Removes configurations without data files from the front matter, in place; `datasets` would search for the files.

    If none has data, all stay and the viewer is disabled: the error of `datasets` then names the missing files.
    """
    available = [
        configuration
        for configuration in front.get("configs", [])
        if all((folder / split["path"]).is_file() for split in configuration["data_files"])
    ]
    if available:
        front["configs"] = available
    else:
        front["viewer"] = False
