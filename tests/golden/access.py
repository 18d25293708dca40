"""All imports of the golden tests from the project: if something moves, only this file has to change.

The tests otherwise use stable names: `evaluate.load("metrics/NAME", "CONFIGURATION")` and the commands
`openmeva negatives`, `openmeva perturb` and `openmeva autos`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from openmeva.metrics.core.text import Normalizer, sentence_spans, split_sentences
from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.graded.sampling import GradedSampler, GradedSampling
from openmeva.training.negatives import OPERATIONS, EditedStory, NegativeMaterial, UnionSampler
from openmeva.training.negatives import file as samples
from openmeva.training.negatives.groups import rows_by_level
from openmeva.training.negatives.infill import Infiller
from openmeva.training.negatives.nearest import Neighbours
from openmeva.training.negatives.sampling import TECHNIQUES
from openmeva.training.paths import ENCODER
from openmeva.training.perturbations import ASPECTS, file
from openmeva.training.perturbations.paraphrasers import rules
from openmeva.training.plot_guided.manipulations import (
    MANIPULATIONS,
    ManipulatedPlot,
    PlotManipulator,
    PlotMaterial,
)
from openmeva.training.plot_guided.manipulations.material import most_frequent_tags
from openmeva.training.plot_guided.plots import EXTRACTORS, Plot, extract_plots
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.knowledge.events import ConceptNetEvents
from openmeva.training.text.story import Story
from openmeva.training.text.tagged_story import TaggedStory
from openmeva.training.text.tagger.tagging import tag
from tests.facts import with_everyday_facts
from tests.running import run_command

from .inputs import ROOT

__all__ = [
    "ASPECTS",
    "EXTRACTORS",
    "MANIPULATIONS",
    "OPERATIONS",
    "TECHNIQUES",
    "Normalizer",
    "extract_plots",
    "run_command",
    "sentence_spans",
    "split_sentences",
    "tag",
]

NAMES = ENCODER / "names.json"
WEIGHTS = ROOT / "metrics"  # <metric>/weights/<configuration>
COMMAND = "openmeva.training.cli"
EVENTS = [
    ("Causes", "run", "fall"),
    ("Causes", "find", "smile"),
    ("Causes", "laugh", "feel good"),
    ("HasPrerequisite", "bake", "mix flour"),
    ("HasPrerequisite", "win", "practice"),
    ("HasFirstSubevent", "climb", "look up"),
    ("HasLastSubevent", "walk", "arrive home"),
    ("Causes", "call", "answer"),
    ("Causes", "carry", "get tired"),
    ("HasPrerequisite", "learn", "study"),
]


@contextmanager
def fixed_environment(folder: Path) -> Iterator[None]:
    """The same facts and precision on every machine: everyday facts instead of ConceptNet, float32 on the CPU."""
    with pytest.MonkeyPatch.context() as patch, with_everyday_facts(folder):
        for backend in (torch.cuda, torch.backends.mps):
            patch.setattr(backend, "is_available", lambda: False)
        patch.setattr(torch.cpu, "get_capabilities", dict)  # "auto" then never chooses bfloat16
        # no tags from an earlier run
        patch.setattr(
            samples, "NegativeSamplingConfig", partial(samples.NegativeSamplingConfig, cache=folder / "tags")
        )
        # aspects and paraphrasers process the same texts repeatedly: parse and tag them once
        cached_story = lru_cache(maxsize=1 << 13)(Story)
        for module in (file, rules):
            patch.setattr(module, "Story", cached_story)
        yield


def tagged(stories: Sequence[list[list[str]]]) -> list[TaggedStory]:
    """Normalised stories with their part-of-speech tags."""
    return [TaggedStory(words, tag(words)) for words in stories]


def operation_rows(name: str, stories: Sequence[TaggedStory], seed: int) -> list[dict[str, Any]]:
    """Each story after one of UNION's operations."""
    language = English()
    material = NegativeMaterial(language, KeywordTable.count(stories, language), stories)
    rows = []
    for index, story in enumerate(stories):
        rng = BufferedRandom(np.random.default_rng((seed, index)))
        rows.append(_edited(OPERATIONS[name](EditedStory.start(story, index), rng, material)))
    return rows


def _edited(found: EditedStory | None) -> dict[str, Any]:
    if found is None:
        return {"negative": None}
    edits = [edit._asdict() for edit in found.edits()]
    return {"negative": found.words, "origins": found.origins, "applied": list(found.applied), "edits": edits}


def graded_rows(stories: Sequence[TaggedStory], seed: int) -> list[dict[str, Any]]:
    """Each story and its corrupted versions, worse by level, with all edits."""
    words = [story.words for story in stories]
    indices = range(len(stories))
    rule = UnionSampler(stories, English(), seed=seed)
    sampler = GradedSampler(
        words, rule.sample, Neighbours(words, indices, indices, count=8), Infiller(), GradedSampling(), seed
    )
    chains = sampler.chains(indices)
    return [vars(row) for index, chain in enumerate(chains) for row in rows_by_level(str(index), chain)]


def plot_material(stories: Sequence[TaggedStory], plots: Sequence[Plot]) -> PlotMaterial:
    """The resources of the manipulations, with a few events instead of ConceptNet's."""
    return PlotMaterial(plots, most_frequent_tags(stories), English(), ConceptNetEvents(EVENTS))


def manipulation_rows(name: str, material: PlotMaterial, seed: int) -> list[Any]:
    """Each plot after one manipulation."""
    rows = []
    for index, plot in enumerate(material.plots):
        rng = BufferedRandom(np.random.default_rng((seed, index)))
        rows.append(_broken(MANIPULATIONS[name](ManipulatedPlot.start(plot, index), rng, material)))
    return rows


def broken_plots(material: PlotMaterial, seed: int, candidates: int) -> list[Any]:
    """Several outputs of the manipulator for each plot."""
    manipulator = PlotManipulator(material, seed)
    return [
        _broken(manipulator.manipulate(plot, index, candidate))
        for index, plot in enumerate(material.plots)
        for candidate in range(candidates)
    ]


def _broken(found: ManipulatedPlot | None) -> dict[str, Any] | None:
    return found and {"plot": found.plot, "applied": list(found.applied)}
