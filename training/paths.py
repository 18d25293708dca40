"""Where the parts of this project lie, in a checkout or in an installed package of the same layout.

A checkout keeps what commands write within itself. An installed package is never written to: runs and results go
to the working folder, and what is fetched or can be computed again to the user's cache.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IN_CHECKOUT = (ROOT / "pyproject.toml").is_file()
METRICS = ROOT / "metrics"
ENCODER = METRICS / "weights" / "encoder"
CONFIGS = ROOT / "training" / "configs"
WEIGHTS = ROOT / "training" / "weights"
STORIES = ROOT / "datasets" / "stories" / "mini.jsonl"


def user_cache() -> Path:
    """The user's cache of this project: `$OPENMEVA_CACHE`, else `openmeva` in `$XDG_CACHE_HOME` or `~/.cache`."""
    given = os.environ.get("OPENMEVA_CACHE")
    if given:
        return Path(given).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "openmeva"


# where commands write: relative to the working folder where the package is installed
WORK = ROOT if IN_CHECKOUT else Path()
RUNS = WORK / "runs"
CACHE = ROOT / ".cache" if IN_CHECKOUT else user_cache()
RESOURCES = ROOT / ".resources" if IN_CHECKOUT else CACHE / "resources"


def built(path: str | Path) -> Path:
    """What a command wrote: in the working folder, or what comes with the project where nothing lies there."""
    own = WORK / path
    return own if own.exists() else ROOT / path


def located(path: str) -> Path:
    """The place that a configuration names: among the runs where it begins with `runs/`, else in the project.

    >>> located("/elsewhere/weights").as_posix()
    '/elsewhere/weights'
    """
    return (WORK if Path(path).parts[:1] == ("runs",) else ROOT) / path
