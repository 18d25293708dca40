"""What is fuzzed, by name: inputs, and what has to hold of each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from openmeva.training.negatives import OPERATIONS
from openmeva.training.perturbations import ASPECTS
from tests.facts import facts_for_every_day
from tests.fuzz import commands, modules, stories
from tests.fuzz.inputs import texts

TEXT, SCORE, BENCHMARK = "text tools", "command score", "openmeva"


@dataclass(frozen=True)
class Target:
    """Something that is fuzzed.

    Attributes:
        inputs: of so many characters a text.
        check: returns `refused` or `scored`; an AssertionError, or an error that is no ValueError, is a fault.
        share: of all inputs, beside the other targets; slow ones have less.
    """

    inputs: Callable[[int], st.SearchStrategy[Any]]
    check: Callable[[Any], str]
    share: float = 1.0


def names() -> list[str]:
    """All targets; none is loaded for it."""
    aspects = [f"aspect {name}" for name in ASPECTS]
    operations = [f"operation {name}" for name in OPERATIONS]
    return [TEXT, *modules.MODULES, BENCHMARK, *aspects, *operations, SCORE]


@contextmanager
def prepared(folder: Path) -> Iterator[Callable[[str], Target]]:
    """A function that loads targets by name; what they share is loaded once."""
    (folder / "facts").mkdir()
    with facts_for_every_day(folder / "facts"):
        shared: dict[str, Any] = {}

        def target(name: str) -> Target:
            place = folder / name.replace(" ", "_")
            place.mkdir()
            if name == TEXT:
                return Target(texts, stories.check_text_tools, 4.0)
            if name == BENCHMARK:
                module = commands.load_benchmark(place)
                return Target(commands.judged_rows, partial(commands.check_benchmark, module), 0.3)
            if name == SCORE:
                return Target(commands.story_files, commands.score_checker(place), 0.5)
            if name in modules.MODULES:
                module = modules.MODULES[name]
                metric = modules.load(module, place)
                inputs = partial(modules.inputs, module, metric)
                return Target(inputs, partial(modules.check, module, metric))
            kind, _, what = name.partition(" ")
            if kind not in shared:
                aspect = kind == "aspect"
                shared[kind] = stories.perturbation_material() if aspect else stories.negative_material()
            check = stories.check_aspect if kind == "aspect" else stories.check_operation
            return Target(stories.seeded, partial(check, what, shared[kind]))

        yield target
