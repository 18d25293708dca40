"""The fuzz targets by name: inputs, and the properties to check."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from openmeva.training.negatives import OPERATIONS
from openmeva.training.perturbations import ASPECTS
from tests.every_reader import READERS
from tests.facts import with_everyday_facts
from tests.fuzz import arguments, benchmark, commands, modules, readers, scores, stories
from tests.fuzz.inputs import texts
from tests.fuzz.module_table import METEOR, MODULES
from tests.fuzz.outcome import Checked

TEXT, ARGUMENTS, SCORE, BENCHMARK = "text tools", "arguments", "command score", "openmeva"
_SHARES = {TEXT: 10.0, ARGUMENTS: 20.0, SCORE: 0.2, BENCHMARK: 0.1, METEOR: 0.2}
_KINDS = {"aspect": 1.0, "operation": 1.5, "reader": 1.0}
_MODULE, _SHIPPED = 0.6, 0.01
ORDINARY = 20_000  # maximum number of characters of texts that are tagged or read by a command


@dataclass(frozen=True)
class Target:
    """A fuzz target.

    Attributes:
        inputs: strategy for inputs with texts up to a number of characters.
        check: an AssertionError, or an error other than a ValueError, is a failure.
    """

    inputs: Callable[[int], st.SearchStrategy[Any]]
    check: Callable[[Any], Checked]


def names() -> list[str]:
    """All targets, without loading them."""
    groups = [("reader", READERS), ("aspect", ASPECTS), ("operation", OPERATIONS)]
    kinds = [f"{kind} {name}" for kind, members in groups for name in members]
    return [TEXT, ARGUMENTS, *kinds, SCORE, *commands.COMMANDS, BENCHMARK, *MODULES]


def share_of(name: str) -> float:
    """A target's relative share of all inputs; slow targets have less."""
    if name in commands.COMMANDS:
        return commands.COMMANDS[name][1]
    if name in MODULES and name not in _SHARES:
        return _SHIPPED if MODULES[name].shipped else _MODULE
    return _SHARES.get(name) or _KINDS[name.partition(" ")[0]]


@contextmanager
def target_loader(folder: Path) -> Iterator[Callable[[str], Target]]:
    """A function that loads targets by name; shared resources are loaded once."""
    (folder / "facts").mkdir()
    with with_everyday_facts(folder / "facts"):
        shared: dict[str, Any] = {}

        def load(name: str) -> Target:
            target_folder = folder / str(len(list(folder.iterdir())))
            target_folder.mkdir()
            if name == TEXT:
                return Target(texts, stories.check_text_tools)
            if name == ARGUMENTS:
                return Target(arguments.values, arguments.check)
            if name == BENCHMARK:
                module = benchmark.load_benchmark(target_folder)
                return Target(_ordinary(benchmark.judged_rows), partial(benchmark.check_benchmark, module))
            if name == SCORE:
                return Target(_ordinary(scores.story_files), scores.score_checker(target_folder))
            if name in commands.COMMANDS:
                return Target(
                    _ordinary(commands.inputs_of(name, target_folder)), commands.checker(target_folder)
                )
            if name in MODULES:
                module = MODULES[name]
                metric = modules.load(module, target_folder)
                return Target(partial(modules.inputs, module, metric), partial(modules.check, module, metric))
            kind, _, member = name.partition(" ")
            if kind == "reader":
                return Target(partial(readers.files, READERS[member]), readers.checker(member, target_folder))
            if kind not in shared:
                aspect = kind == "aspect"
                shared[kind] = stories.perturbation_material() if aspect else stories.negative_material()
            check = stories.check_aspect if kind == "aspect" else stories.check_operation
            return Target(_ordinary(stories.seeded), partial(check, member, shared[kind]))

        yield load


def _ordinary(inputs: Callable[[int], st.SearchStrategy[Any]]) -> Callable[[int], st.SearchStrategy[Any]]:
    return lambda longest: inputs(min(longest, ORDINARY))
