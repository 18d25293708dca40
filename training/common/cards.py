"""Cards of repositories and data sets: their front matter, and the configurations whose files are there."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Any

import yaml


def split_card(text: str) -> tuple[dict[str, Any], str]:
    """The front matter and the body of a card.

    Raises:
        ValueError: no front matter, or one that is not a YAML mapping.
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
    """The front matter and the body of the card in a file; errors as `split_card`."""
    return split_card(path.read_text(encoding="utf-8"))


def join_card(front: dict[str, Any], body: str) -> str:
    """A card of its front matter and its body."""
    return f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=110)}---\n{body}"


def loading_call(folder: PurePath, *configuration: str) -> str:
    """The call of `datasets` that loads what was built in a folder, as Python, also where paths have backslashes."""
    given = ", ".join(f'"{one}"' for one in (folder.as_posix(), *configuration))
    return f"load_dataset({given})"


def keep_configurations(front: dict[str, Any], folder: Path) -> None:
    """Takes configurations without data out of the front matter: `datasets` would look for their files.

    Where none has data they all stay: what `datasets` then misses says how it is built.
    """
    kept = [
        configuration
        for configuration in front.get("configs", [])
        if all((folder / split["path"]).is_file() for split in configuration["data_files"])
    ]
    if kept:
        front["configs"] = kept
    else:
        front["viewer"] = False
