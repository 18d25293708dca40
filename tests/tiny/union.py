"""Stories whose sentences always have the same order, and a check that UNION learns that order."""

import json
from pathlib import Path
from typing import Any

from openmeva.metrics.core.checkpoint import load_checkpoint
from openmeva.metrics.core.text import Normalizer
from openmeva.metrics.union.scoring import UnionScorer
from tests.tiny.models import tiny_model, write_encoder

CHARACTERS = ("she", "he", "the dog", "the cat")
ENDINGS = ("ran home", "ate", "slept", "walked to the park")
STORIES = [
    f"{a} ran home . {a} ate the cat and {b} . {a} slept ! {b} was not home ."
    for a in CHARACTERS
    for b in ENDINGS
]
SETTINGS: dict[str, Any] = {
    "metric": "union",
    "name": "tiny",
    "corpus": {"train": ["stories.jsonl"], "validation": ["held_out.jsonl"]},
    "sampling": {"keep": 1},
    "base": "encoder",
    "max_length": 64,
    "learning_rate": 5e-3,
    "seed": 7,
}
"""Settings of a configuration, without `pairs`."""


def write_files(folder: Path) -> None:
    """The sixteen stories, six held-out ones, and a tiny encoder."""
    write_encoder(folder / "encoder", tiny_model())
    for name, stories in {"stories": STORIES, "held_out": [f"not {story}" for story in STORIES[:6]]}.items():
        lines = "".join(json.dumps({"story": story}) + "\n" for story in stories)
        (folder / f"{name}.jsonl").write_text(lines)


def swap_sentences(story: str) -> str:
    """The story with its second and third sentence exchanged."""
    first, second, third, *rest = Normalizer().sentences(story)
    return " ".join(word for sentence in (first, third, second, *rest) for word in sentence)


def count_ranked_correctly(folder: Path) -> int:
    """Number of the sixteen stories that score higher than with two sentences exchanged."""
    scorer = UnionScorer(load_checkpoint(folder, "union"))
    scores, _ = scorer.score(STORIES + [swap_sentences(story) for story in STORIES], dtype="float32")
    return sum(high > low for high, low in zip(scores[:16], scores[16:], strict=True))
