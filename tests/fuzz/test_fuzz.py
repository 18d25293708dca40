"""A few unusual inputs to everything that takes text; `make fuzz` tries many."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from openmeva.metrics.core.description import read_metrics
from tests.fuzz.module_table import METEOR, MODULES
from tests.fuzz.outcome import REFUSED, SCORED, Checked
from tests.fuzz.rounds import fuzz, retry_first_inputs
from tests.fuzz.targets import BENCHMARK, Target, names, share_of, target_loader

INPUTS = 4  # of each target
MOST = 20
LONGEST = 150  # characters
SLOW = (METEOR, *(name for name, module in MODULES.items() if module.shipped))
ORDINARY = [name for name in names() if name not in SLOW]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Target]]:
    with target_loader(tmp_path_factory.mktemp("fuzz")) as load, frozen_objects():
        yield load


@contextmanager
def frozen_objects() -> Iterator[None]:
    """Keeps garbage collection, which statsmodels runs at every correction, from scanning all of torch.

    What was frozen before is frozen afterwards, too.
    """
    was_frozen = gc.get_freeze_count() > 0
    gc.freeze()
    yield
    gc.unfreeze()
    if was_frozen:
        gc.collect()  # garbage of the block would stay
        gc.freeze()


def test_objects_frozen_before_stay_frozen() -> None:
    """Those of the imports: see `tests/conftest.py`."""
    assert gc.get_freeze_count() > 0
    with frozen_objects():
        pass
    assert gc.get_freeze_count() > 0


@pytest.mark.parametrize("name", ORDINARY)
def test_any_input_is_scored_or_refused(name: str, target: Callable[[str], Target]) -> None:
    fuzzed = target(name)

    @settings(
        max_examples=min(MOST, max(2, round(INPUTS * share_of(name)))),
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(fuzzed.inputs(LONGEST))
    def check_input(value: object) -> None:
        assert fuzzed.check(value).verdict in (REFUSED, SCORED)

    check_input()


def test_every_module_is_fuzzed() -> None:
    remote = {"llm_judge"}  # its scores are a remote model's answers; its own tests use unusual ones
    tried = {module.name for module in MODULES.values()} | {BENCHMARK}
    assert tried == set(read_metrics()) - remote


def test_interrupted_run_resumes(tmp_path: Path) -> None:
    tried: list[int] = []

    def check(value: int) -> Checked:
        tried.append(value)
        return Checked(SCORED, str(value))

    target, saved = Target(lambda _: st.integers(), check), tmp_path / "saved.json"
    first = fuzz("a", target, 30, 0, LONGEST, saved)
    assert (first.inputs, first.counts[SCORED], first.rounds) == (30, 30, 2)
    assert fuzz("a", target, 30, 0, LONGEST, saved) == first
    assert len(tried) == 30
    assert fuzz("a", target, 50, 0, LONGEST, saved).inputs == len(tried) == 50
    assert retry_first_inputs({"a": first.first}, lambda _: target, 0, LONGEST) == []
    assert len(retry_first_inputs({"a": ["other", *first.first[1:]]}, lambda _: target, 0, LONGEST)) == 1
