"""The commit that is published, and that it holds what is published."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from openmeva.training.hub.terms import LICENCE, NOTICE

_PUBLISHED = ("metrics", "training", "spaces", "datasets", LICENCE, NOTICE)
# what published requirements say
_DECIDING = ("pyproject.toml", "requirements.lock", "requirements-cpu.lock")


def commit_note(root: Path, uncommitted: bool = False) -> str:
    """The project's own commit, in brackets, where `root` is a checkout and git is there; else blank.

    Args:
        root: of the project.
        uncommitted: let files be published that the commit does not hold; it then ends with `-dirty`.

    Raises:
        ValueError: there are such files (all of them are named), and they are not let.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    commit = _git(root, "rev-parse", "--short", "HEAD")
    if not top or not commit or Path(top).resolve() != root.resolve():
        return ""
    changed = _git(root, "status", "--porcelain", "--", *_PUBLISHED, *_DECIDING)
    if changed and not uncommitted:
        named = "\n  ".join(line.strip() for line in changed.splitlines())
        raise ValueError(
            f"not published: expected in {', '.join(_PUBLISHED)} what is committed alone, got\n  {named}\n"
            "Commit it or take it away; --uncommitted (UNCOMMITTED=1) publishes it nevertheless."
        )
    return f"({commit}{'-dirty' if changed else ''})"


def _git(root: Path, *arguments: str) -> str:
    """What git says about a folder; blank where it says nothing, or is not there."""
    if shutil.which("git") is None:
        return ""
    found = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return found.stdout.rstrip("\n") if found.returncode == 0 else ""
