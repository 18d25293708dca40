"""Runs over corpora give the undisturbed results if actors, driver or node are killed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest

from openmeva.training.scale.engines import Engine
from tests.faults.conftest import Row
from tests.faults.test_killed import MOMENTS, slow
from tests.tiny.work import Counting
from tests.training.scale.test_ray import PAUSE, ROOT, cluster, killed_driver, plain  # noqa: F401 - fixtures
from tests.training.scale.test_runs import ROWS, counted, sums


def record_result(row: Row, work: Callable[[], dict[str, str]], expected: dict[str, str]) -> None:
    """Records the result of a run."""
    try:
        found = work()
    except Exception as error:
        row.error += 1
        print(error, file=sys.stderr)
    else:
        row.identical += found == expected
        row.different += found != expected


@slow
def test_ray_actor(cluster: Any, plain: dict[str, str], tmp_path: Path, row: Row) -> None:  # noqa: F811
    rng = np.random.default_rng(20)
    for moment in range(MOMENTS):
        out, death = tmp_path / str(moment), tmp_path / f"death-{moment}"
        timer = Timer(float(rng.uniform(0, 2)), death.touch)
        timer.start()

        def work() -> dict[str, str]:
            counted(ROWS, out, engine=Engine(actors=2), work=Counting(pause=PAUSE, death=str(death)))  # noqa: B023
            return sums(out)  # noqa: B023

        record_result(row, work, plain)
        timer.join()
    assert row.identical == row.moments == MOMENTS


@slow
def test_ray_driver(cluster: Any, plain: dict[str, str], tmp_path: Path, row: Row) -> None:  # noqa: F811
    rng = np.random.default_rng(21)
    for moment in range(MOMENTS):
        out = tmp_path / str(moment)
        killed_driver(out, cluster.get_runtime_context().gcs_address, int(rng.integers(0, 5)))

        def work() -> dict[str, str]:
            counted(ROWS, out, engine=Engine(actors=2), work=Counting(pause=PAUSE))  # noqa: B023
            return sums(out)  # noqa: B023

        record_result(row, work, plain)
    assert row.identical == row.moments == MOMENTS


@slow
@pytest.mark.parametrize("cores", [2, 1])
def test_ray_node(cores: int, plain: dict[str, str], tmp_path: Path, row: Row) -> None:  # noqa: F811
    """With and without room for another actor on the remaining node."""
    module = "tests.training.scale.two_nodes"
    command = [sys.executable, "-m", module, str(tmp_path), str(cores), str(MOMENTS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stderr[-2000:], file=sys.stderr)
    for moment in range(MOMENTS):
        record_result(row, lambda: sums(tmp_path / str(moment)), plain)  # noqa: B023 - called here
    assert row.identical == row.moments == MOMENTS
