"""The commit that is published, and a check that it contains all published files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from openmeva.training.hub.terms import LICENCE, NOTICE

_PUBLISHED = ("metrics", "training", "spaces", "datasets", LICENCE, NOTICE)
# files that decide the published requirements
_REQUIREMENT_FILES = ("pyproject.toml", "requirements.lock", "requirements-cpu.lock")


def commit_note(root: Path, uncommitted: bool = False) -> str:
    """The project's own commit, in brackets, where `root` is a checkout and git is installed; else blank.

    Args:
        root: root folder of the project.
        uncommitted: allow uncommitted changes to be published; the note then ends with `-dirty`.

    Raises:
        ValueError: there are uncommitted changes (all files are named), or git refuses to tell, as in the checkout of
            another user, and neither is allowed.
    """
    if not (root / ".git").exists() or shutil.which("git") is None:
        return ""
    try:
        commit = _git(root, "rev-parse", "--short", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", *_PUBLISHED, *_REQUIREMENT_FILES)
    except subprocess.CalledProcessError as error:
        if uncommitted:
            return ""
        raise ValueError(
            f"not published: git does not tell whether all files are committed ({error.stderr.strip():.300}); "
            "--uncommitted (UNCOMMITTED=1) publishes them nevertheless"
        ) from error
    if changed and not uncommitted:
        named = "\n  ".join(line.strip() for line in changed.splitlines())
        raise ValueError(
            f"not published: expected only committed files in {', '.join(_PUBLISHED + _REQUIREMENT_FILES)}, "
            f"got\n  {named}\n"
            "Commit or remove them; --uncommitted (UNCOMMITTED=1) publishes them nevertheless."
        )
    return f"({commit}{'-dirty' if changed else ''})"


def _git(root: Path, *arguments: str) -> str:
    """Output of git for a folder."""
    completed = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
    )
    return completed.stdout.rstrip("\n")
