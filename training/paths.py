"""Where the parts of this project lie: in a checkout, or in an installed package of the same layout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
METRICS = ROOT / "metrics"
ENCODER = METRICS / "weights" / "encoder"
CONFIGS = ROOT / "training" / "configs"
WEIGHTS = ROOT / "training" / "weights"
STORIES = ROOT / "datasets" / "stories" / "mini.jsonl"
RESOURCES = ROOT / ".resources"
