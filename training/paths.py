"""Paths of the project, in a checkout or in an installed package of the same layout.

In a checkout, commands write inside it. An installed package is never written to: runs and results go to the working
folder; files that can be fetched or computed again go to the user's cache.
"""

from pathlib import Path

from openmeva.metrics.core.files import user_cache

ROOT = Path(__file__).resolve().parents[1]
IN_CHECKOUT = (ROOT / "pyproject.toml").is_file()
METRICS = ROOT / "metrics"
ENCODER = METRICS / "weights" / "encoder"
# lists of names that become placeholders: the encoder's, so that scoring and perturbing recognise the same names
NAMES_FILE = ENCODER / "names.json"
NAMES_CARD = ENCODER / "NAMES.md"
CONFIGS = ROOT / "training" / "configs"
WEIGHTS = ROOT / "training" / "weights"
STORIES = ROOT / "datasets" / "stories" / "mini.jsonl"
RESULTS = (
    ROOT / "spaces" / "leaderboard" / "results.json"
)  # written by `python -m spaces.leaderboard.collect`


# output root of commands: the checkout, or the working folder if the package is installed
WORK = ROOT if IN_CHECKOUT else Path()
RUNS = WORK / "runs"
CACHE = ROOT / ".cache" if IN_CHECKOUT else user_cache()
RESOURCES = ROOT / ".resources" if IN_CHECKOUT else CACHE / "resources"


def find_output(path: str | Path) -> Path:
    """A command's output: in the working folder if it exists there, else the copy shipped with the project."""
    local = WORK / path
    return local if local.exists() else ROOT / path


def resolve_path(path: str) -> Path:
    """The path that a configuration names: below `WORK` if it begins with `runs/`, else below `ROOT`.

    >>> resolve_path("/elsewhere/weights").as_posix()
    '/elsewhere/weights'
    """
    return (WORK if Path(path).parts[:1] == ("runs",) else ROOT) / path
