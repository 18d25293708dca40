"""Rewrites published copies to use the publisher's ids and the released revision instead of folders of the checkout."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

_BEFORE = (
    r"(?:(?<![\w./-])|(?<=huggingface\.co/)|(?<=huggingface\.co/datasets/)|(?<=huggingface\.co/spaces/))"
)

_FROM_ROOT = "  # from the root of the repository"


def rename(text: str, organisation: str, target: str, names: Iterable[str]) -> str:
    """Replaces ids of our repositories under `organisation` by ids under `target`.

    >>> rename('evaluate.load("openmeva/union")', "openmeva", "me", ["union"])
    'evaluate.load("me/union")'
    """
    return re.sub(rf"{_BEFORE}{re.escape(organisation)}/({_any(names)})(?![\w-])", rf"{target}/\1", text)


def ids_of(text: str, organisation: str) -> list[str]:
    """Names of the repositories whose ids under `organisation` occur in a text; paths of files do not count.

    >>> ids_of('Client("openmeva/story-scorer") of openmeva/spaces/app.py', "openmeva")
    ['story-scorer']
    """
    return re.findall(rf"{_BEFORE}{re.escape(organisation)}/([\w-]++)(?![./]\w)", text)


def name_folders(text: str, target: str, names: Iterable[str]) -> str:
    """Replaces folders of the checkout in calls of `evaluate.load` and `load_dataset` by ids under `target`.

    A comment on such a line that it is for the root of the repository is removed.

    >>> name_folders('evaluate.load("metrics/union", "roc")', "me", ["union"])
    'evaluate.load("me/union", "roc")'
    """
    for call, folder in (("evaluate.load", "metrics"), ("load_dataset", "datasets")):
        pattern = rf"""({re.escape(call)}\(["']){folder}/({_any(names)})(?=["'])"""
        text = re.sub(pattern, rf"\g<1>{target}/\2", text)
    of_target = rf"""(\(["']{re.escape(target)}/.*){_FROM_ROOT}$"""
    return re.sub(of_target, r"\1", text, flags=re.MULTILINE)


def _any(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def pin_module(code: str, revision: str) -> str:
    """A module's source with the revision added to its `HUB_IDS`: `org/name` becomes `org/name@revision`.

    Raises:
        ValueError: `HUB_IDS` is not a plain dict of strings, and therefore cannot be rewritten.
    """
    hub_ids_dict = _hub_ids_node(code)
    lines = code.encode().splitlines(keepends=True)  # columns of the syntax tree count bytes
    for value in reversed(hub_ids_dict.values if hub_ids_dict else []):
        assert isinstance(value, ast.Constant)
        line = lines[value.lineno - 1]
        pinned = json.dumps(f"{value.value!s}@{revision}").encode()
        lines[value.lineno - 1] = line[: value.col_offset] + pinned + line[value.end_col_offset :]
    return b"".join(lines).decode()


def _hub_ids_node(code: str) -> ast.Dict | None:
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        else:
            continue
        if [target.id for target in targets if isinstance(target, ast.Name)] == ["HUB_IDS"]:
            value = node.value
            if isinstance(value, ast.Dict) and all(isinstance(v, ast.Constant) for v in value.values):
                return value
            raise ValueError(f"HUB_IDS: expected a dict of strings, got {ast.unparse(node)[:80]!r}")
    return None


def pin_settings(config: dict[str, Any], revision: str) -> dict[str, Any]:
    """A checkpoint's settings with the revision of the shared encoder, and without a path in the checkout.

    Other encoders (those with `added_tokens`) have no revision of ours and are unchanged.
    """
    pinned = {}
    for key, value in config.items():
        if isinstance(value, dict) and "added_tokens" not in value.get("encoder", {"added_tokens": []}):
            encoder = {**value["encoder"], "hub": f"{value['encoder']['hub']}@{revision}", "path": "encoder"}
            value = {**value, "encoder": encoder}
        pinned[key] = value
    return pinned
