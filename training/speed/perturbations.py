"""The perturbation toolkit's speed, an aspect a row.

On 2,000 stories of ROCStories where the folder in OPENMEVA_DATA has them; else on the project's own, which repeat
themselves, so that what is kept of a sentence (its embedding, its words' synonyms) helps more than it would.
"""

import os
from itertools import islice
from pathlib import Path

import torch

from openmeva.training.corpora.stories import read_stories
from openmeva.training.speed.parts import Rows, bench_stories
from openmeva.training.speed.perturbations_per_second import perturbations_per_second

STORIES = 2000


def perturbation_rows() -> Rows:
    """Stories a second of one process, one thread, through each aspect of the perturbation toolkit."""
    name, texts = _texts()
    tagged, lexical = "100", "500"
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # processor time would count the second thread's waiting, too
    try:
        rates = perturbations_per_second(STORIES, texts, progress=True)
    finally:
        torch.set_num_threads(threads)
    return [
        (
            f"perturbation {aspect}, 1 process, {len(texts)} stories of {name}",
            f"{rate:.0f} stories/s",
            "-",
            lexical if "lexical" in aspect else tagged,
        )
        for aspect, rate in rates.items()
    ]


def _texts() -> tuple[str, list[str]]:
    file = Path(os.environ.get("OPENMEVA_DATA", "")) / "roc" / "validation.jsonl.gz"
    if file.is_file():
        return "ROCStories", list(islice(read_stories(file), STORIES))
    return "the project", bench_stories(STORIES)
