"""The Ray engine writes the same output as the plain one, even if actors, the driver or a node are lost."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.scale.engines import Engine
from tests.tiny.work import Counting
from tests.training.scale.test_bad_rows import Writing
from tests.training.scale.test_runs import ROWS, counted, sums

PAUSE = 0.2  # seconds that a part takes at least
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Ray for all tests of this file."""
    from openmeva.training.scale import engines

    with engines.ray_session(Engine(actors=2)) as ray:
        yield ray


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    out = tmp_path_factory.mktemp("plain") / "out"
    counted(ROWS, out)
    return sums(out)


def test_output_is_independent_of_actors_and_killed_actors_are_replaced(
    cluster: Any, plain: dict[str, str], tmp_path: Path
) -> None:
    death = tmp_path / "death"
    for actors in (1, 2):  # of five parts each has all, or one fewer than the others
        if actors == 2:
            death.touch()
        rows = cluster.data.from_items(ROWS, override_num_blocks=1) if actors == 1 else ROWS
        out, work = tmp_path / str(actors), Counting(pause=PAUSE, death=str(death))
        assert counted(rows, out, engine=Engine(actors=actors), work=work).scored == len(ROWS)
        assert sums(out) == plain
    assert not death.exists()


def test_errors_in_actors_are_reported_in_one_line(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^row 1: expected words$"):
        counted([{"story": "unreadable"}], tmp_path / "bad", engine=Engine(actors=1))
    with pytest.raises(ValueError, match=r"^part 0: \[Errno 28\] No space left on device: 'cache'$"):
        counted(ROWS, tmp_path / "full", engine=Engine(actors=1), work=Writing())
    with pytest.raises(
        ValueError, match=r"expected 9 cores and 0 GPUs for an actor, the cluster has 2 and 0"
    ):
        counted(ROWS, tmp_path / "wide", engine=Engine(cpus=9))
    with pytest.raises(ValueError, match="engine: expected plain or ray, got 'spark'"):
        Engine("spark")
    with pytest.raises(ValueError, match="address, actors and gpus: expected with engine ray"):
        Engine("plain", actors=2)


@pytest.mark.parametrize(("gpus", "actors"), [(0.2, 5), (0.1, 10), (0.05, 20), (0.3, 3), (1, 1)])
def test_actors_share_gpus(gpus: float, actors: int) -> None:
    assert Engine(gpus=gpus)._count({"CPU": 64, "GPU": 1}, 100) == actors


def test_part_that_keeps_killing_actors_is_abandoned(cluster: Any, tmp_path: Path) -> None:
    death = tmp_path / "death"
    death.touch()
    work = Counting(death=str(death), dies_once=False)
    with pytest.raises(ValueError, match=r"^part 0 \(rows 1 to 5\) killed its worker 3 times; fewer"):
        counted(ROWS[:5], tmp_path / "out", engine=Engine(actors=1), work=work)
    death.unlink()
    assert counted(ROWS[:5], tmp_path / "out", engine=Engine(actors=1), work=work).scored == 5


def test_missing_ray_is_reported_with_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install '\.\[scale\]'"):
        counted(ROWS, tmp_path / "out", engine=Engine())


def killed_driver(out: Path, address: str, parts: int) -> None:
    """A driver in a process of its own, killed when it has finished some parts."""
    command = [sys.executable, "-m", "tests.training.scale.test_ray", str(out), address]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as driver:
        while driver.poll() is None and len(list(out.glob(".work/done/part-*.json"))) < parts:
            time.sleep(0.02)
        driver.kill()
        assert driver.stderr is not None
        messages = driver.stderr.read().decode()
    assert driver.returncode == -signal.SIGKILL, messages


if __name__ == "__main__":
    folder, where = sys.argv[1:]
    counted(ROWS, Path(folder), engine=Engine(address=where, actors=2), work=Counting(pause=PAUSE))
