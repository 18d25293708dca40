"""Samples to annotate: `python -m training.perturbations.precision --stories FILE --technique NAME --seed 11`.

Prints perturbed stories sampled by seed, with changes as `[old => new]`. An annotator judges each one: does the
change do what the technique's name says, is the sentence grammatical, is the rest of the story unchanged?
`PRECISION.md` has the results of such annotations.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.corpora.stories import read_stories
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.engine.perturbed import Perturbed
from openmeva.training.perturbations.engine.story_pool import StoryPool
from openmeva.training.perturbations.perturber import Perturber
from openmeva.training.text.story import parse

CONTEXT = 35


def highlight_changes(original: str, perturbed: Perturbed) -> str:
    """The changed spans of a story with some context.

    >>> from openmeva.training.text.edits import Span
    >>> highlight_changes("He ran.", Perturbed("He sat.", "synonym", "x", (Span(3, 6, 3, 6),)))
    '…He [ran => sat].…'
    """
    parts = []
    for span in perturbed.spans:
        before = original[max(0, span.original_start - CONTEXT) : span.original_start]
        after = original[span.original_end : span.original_end + CONTEXT]
        old, new = original[span.original_start : span.original_end], perturbed.story[span.start : span.end]
        parts.append(f"…{before}[{old} => {new}]{after}…")
    return " || ".join(parts).replace("\n", " ")


def sample_perturbations(
    texts: Sequence[str], aspect: str, technique: str, seed: int, count: int, material: PerturbationMaterial
) -> Iterator[str]:
    """Outputs of one technique for `count` stories sampled by seed, in the format of `highlight_changes`."""
    order = BufferedRandom(np.random.default_rng(seed)).shuffled(range(len(texts)))
    perturber = Perturber(aspect, seed, (technique,), material)
    made = 0
    for at in order:
        result = perturber.perturb(texts[at], str(at))
        if result is not None:
            yield highlight_changes(texts[at], result)
            made += 1
        if made == count:
            return


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.perturbations.precision", description=__doc__)
    parser.add_argument("--stories", type=Path, required=True)
    parser.add_argument("--technique", nargs="+", help="default: all")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--count", type=int, default=25)
    options = parser.parse_args(arguments)

    from openmeva.training.perturbations.engine.similarity import MoverSimilarity
    from openmeva.training.perturbations.paraphrasers import RuleParaphraser

    texts = list(read_stories(options.stories))
    material = PerturbationMaterial(1, StoryPool(parse(texts[:500])), RuleParaphraser(), MoverSimilarity())
    for name, aspect in ASPECTS.items():
        for technique in aspect.techniques:
            if options.technique and technique not in options.technique:
                continue
            print(f"## {name}: {technique}")
            for number, line in enumerate(
                sample_perturbations(texts, name, technique, options.seed, options.count, material), 1
            ):
                print(number, line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
