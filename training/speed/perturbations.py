"""Speed of the perturbations, one row per aspect.

Uses 2,000 stories of ROCStories if the folder in OPENMEVA_DATA has them, else stories of the project. These repeat
sentences, so cached values (a sentence's embedding, its words' synonyms) help more than on real data.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from time import process_time

import torch
from rich.progress import track

from openmeva.training.corpora.stories import read_stories
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.material import PerturbationMaterial, Similarity
from openmeva.training.perturbations.engine.similarity import MoverSimilarity
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.paraphrasers import RuleParaphraser
from openmeva.training.perturbations.perturber import Perturber
from openmeva.training.speed.parts import Rows, bench_stories, own_stories
from openmeva.training.text.story import parse

COUNT = 2000


def perturbation_rows() -> Rows:
    """Stories per second and aspect, with one process and one thread."""
    name, texts = _texts()
    tagged, lexical = "100", "500"
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # otherwise processor time would include the waiting of the second thread
    try:
        rates = perturbations_per_second(COUNT, texts, progress=True)
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
        return "ROCStories", list(islice(read_stories(file), COUNT))
    return "the project", bench_stories(COUNT)


_CHUNK = 250  # as in AUTOS


def perturbations_per_second(
    n_stories: int = COUNT,
    texts: Sequence[str] | None = None,
    similarity: Similarity | None = None,
    progress: bool = False,
) -> dict[str, float]:
    """Stories perturbed per second of processor time by one process, from text to result, for each aspect.

    Stories are processed in parts of 250, as in the build of AUTOS. The time includes parsing, tagging and encoding,
    which are repeated for each aspect; it excludes loading WordNet, ConceptNet, the tagger and the encoder. Targets:
    500 for lexical aspects, 100 for those that need tags.

    Args:
        n_stories: number of stories; fewer given ones are repeated.
        texts: stories; default: the five-sentence stories shipped with the project.
        similarity: for semantic repetition and paraphrase; default: MoverScore on the shared encoder.
        progress: whether to show a progress bar on a terminal.

    Raises:
        ValueError: no stories, or `n_stories` below 1.
    """
    if n_stories < 1:
        raise ValueError(f"n_stories: expected 1 or more, got {n_stories}")
    source = [row["story"] for row in own_stories()] if texts is None else texts
    if not source:
        raise ValueError("texts: expected at least one story, got none")
    chosen = list(islice(cycle(source), n_stories))
    material = PerturbationMaterial(1, StoryPool(parse(chosen[:500])), RuleParaphraser())
    result = {}
    for name in track(ASPECTS, "aspects", disable=not progress or not sys.stderr.isatty()):
        own = replace(material, similarity=similarity or MoverSimilarity())  # separate embeddings
        perturber = Perturber(name, 0, material=own)
        for number, text in enumerate(chosen[:20]):  # warm-up: loads resources and fills caches
            perturber.perturb(text, str(number))
        start = process_time()
        for begin in range(0, len(chosen), _CHUNK):
            part = parse(chosen[begin : begin + _CHUNK])
            perturber.perturb_all(part, [str(begin + index) for index in range(len(part))])
        result[name] = len(chosen) / (process_time() - start)
    return result
