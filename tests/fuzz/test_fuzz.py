"""A few unusual inputs to everything that takes text; `make fuzz` tries many."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from openmeva.metrics.core.description import read_metrics
from tests.fuzz.module_table import METEOR, MODULES
from tests.fuzz.outcome import REFUSED, SCORED, Checked
from tests.fuzz.rounds import again, fuzz
from tests.fuzz.targets import BENCHMARK, Target, names, prepared, shares

INPUTS = 4  # of each target
MOST = 20
LONGEST = 150  # characters
SLOW = (METEOR, *(name for name, module in MODULES.items() if module.shipped))
ORDINARY = [name for name in names() if name not in SLOW]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Target]]:
    with prepared(tmp_path_factory.mktemp("fuzz")) as load:
        gc.freeze()  # statsmodels runs garbage collection at every correction, which would scan all of torch
        yield load
        gc.unfreeze()


@pytest.mark.parametrize("name", ORDINARY)
def test_any_input_is_scored_or_refused(name: str, target: Callable[[str], Target]) -> None:
    found = target(name)

    @settings(
        max_examples=min(MOST, max(2, round(INPUTS * shares(name)))),
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(found.inputs(LONGEST))
    def tried(one: object) -> None:
        assert found.check(one).verdict in (REFUSED, SCORED)

    tried()


def test_every_module_is_tried() -> None:
    asks_others = {"llm_judge"}  # its scores are a remote model's answers; its own tests use unusual ones
    tried = {module.name for module in MODULES.values()} | {BENCHMARK}
    assert tried == set(read_metrics()) - asks_others


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    tried: list[int] = []

    def check(one: int) -> Checked:
        tried.append(one)
        return Checked(SCORED, str(one))

    target, kept = Target(lambda _: st.integers(), check), tmp_path / "kept.json"
    first = fuzz("a", target, 30, 0, LONGEST, kept)
    assert (first.inputs, first.counts[SCORED], first.rounds) == (30, 30, 2)
    assert fuzz("a", target, 30, 0, LONGEST, kept) == first
    assert len(tried) == 30
    assert fuzz("a", target, 50, 0, LONGEST, kept).inputs == len(tried) == 50
    assert again({"a": first.first}, lambda _: target, 0, LONGEST) == []
    assert len(again({"a": ["other", *first.first[1:]]}, lambda _: target, 0, LONGEST)) == 1
