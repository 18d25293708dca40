"""Trainers, builders, stages and publishing, killed at random moments and run again, end as an undisturbed run.

`MOMENTS` says how many moments are tried (`make faults`: 20). Installing is in tests/training/hub/test_killed_install.py.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from openmeva.training.autos import build as autos
from openmeva.training.files import checksum
from openmeva.training.grammar import trainer as grammar
from openmeva.training.hub.publish import publish
from openmeva.training.plot_guided.generator.trainer import train_generator
from openmeva.training.stages import Stage
from tests.faults.conftest import Row
from tests.killing import changes_of, finished, killed_after, killed_before
from tests.small_hub import Hub
from tests.tiny_plots import generator_config
from tests.training.autos.test_autos import builder, rows  # noqa: F401 - fixtures
from tests.training.classifier import test_trainer as classifier
from tests.training.classifier.test_trainer import folder as classifier_data  # noqa: F401
from tests.training.grammar.test_trainer import encoder, write_cola  # noqa: F401
from tests.training.hub.conftest import project  # noqa: F401
from tests.training.hub.test_publish import api, hub, repositories  # noqa: F401
from tests.training.plot_guided.generator.test_generator import data as generator_data  # noqa: F401
from tests.training.ppl import test_trainer as ppl
from tests.training.ppl.test_trainer import data as ppl_data  # noqa: F401
from tests.training.ruber_bert import test_trainer as ruber
from tests.training.ruber_bert.test_trainer import data as ruber_data  # noqa: F401
from tests.training.union import test_trainer as union
from tests.training.union.test_trainer import data as union_data  # noqa: F401

MOMENTS = int(os.environ.get("MOMENTS", "2"))
Run = Callable[[Path, str, bool], object]
slow = pytest.mark.faults

TRAINERS: dict[str, tuple[str, Run]] = {  # the fixture of its data; data, name of the run, whether it goes on
    "union": ("union_data", lambda data, name, resume: union.run(data, name, union.configuration(), resume)),
    "classifier": (
        "classifier_data",
        lambda data, name, resume: classifier.train(data, f"weights/{name}", resume, passes=2),
    ),
    "ppl": ("ppl_data", lambda data, name, resume: ppl.run(data, name, ppl.configuration(), resume)),
    "ruber_bert": (
        "ruber_data",
        lambda data, name, resume: ruber.run(data, name, ruber.configuration(passes=2), resume),
    ),
    "generator": (
        "generator_data",
        lambda data, name, resume: train_generator(
            generator_config(), data, data / "weights" / name, data / "cache", resume
        ),
    ),
}


def compare(
    row: Row, folder: Path, run: Callable[[str, bool], object], result: Callable[[str], object]
) -> None:
    """Kills `run(name, False)` before a random change of a file or after a random time, then does `run(name, True)`.

    Fills the row, and fails where a result differs or a run that goes on has an error.
    """
    begin = time.monotonic()
    changes = changes_of(lambda: run("whole", False), folder / "changes")
    seconds = time.monotonic() - begin
    whole = result("whole")
    rng = np.random.default_rng(0)
    for moment in range(MOMENTS):
        name = f"killed-{moment}"
        if moment % 2:
            killed_after(rng.uniform(0, seconds), lambda name=name: run(name, False))
        else:
            killed_before(int(rng.integers(1, max(changes, 1) + 1)), lambda name=name: run(name, False))
        try:
            finished(lambda name=name: run(name, True))
        except ChildProcessError:
            row.error += 1
            continue
        same = result(name) == whole
        row.identical += same
        row.different += not same
    assert (row.identical, row.different, row.error) == (MOMENTS, 0, 0)


@slow
@pytest.mark.parametrize("trainer", TRAINERS)
def test_trainer(trainer: str, request: pytest.FixtureRequest, row: Row) -> None:
    fixture, run = TRAINERS[trainer]
    data = request.getfixturevalue(fixture)

    def weights(name: str) -> dict[str, str]:
        folder = data / "weights" / name
        found = {path.name: checksum(path) for path in sorted(folder.rglob("*.safetensors"))}
        assert found, f"{folder}: no weights"
        return found

    compare(row, data, lambda name, resume: run(data, name, resume), weights)


@slow
def test_grammar_trainer(encoder: Path, tmp_path: Path, row: Row) -> None:  # noqa: F811
    cola = write_cola(tmp_path / "cola")
    settings = grammar.Settings(epochs=4, batch=4, rank=4, alpha=8)
    compare(
        row,
        tmp_path,
        lambda name, _: grammar.train(cola, tmp_path / name, settings, encoder),
        lambda name: checksum(tmp_path / name / "adapter.safetensors"),
    )


@slow
def test_autos_builder(rows: Any, builder: Any, tmp_path: Path, row: Row) -> None:  # noqa: F811
    compare(
        row,
        tmp_path,
        lambda name, _: autos.build(rows, builder, tmp_path / name, progress=False),
        lambda name: [checksum(tmp_path / name / f"{split}.parquet") for split in autos.SPLITS],
    )


def test_stage(tmp_path: Path, row: Row) -> None:
    schema = pa.schema([("square", pa.int64())])

    def run(name: str, _: bool) -> None:
        stage = Stage(tmp_path / name, "squares", {"seed": 1})
        stage.run(40, lambda span: [{"square": n * n} for n in span], 8, schema)

    def result(name: str) -> list[tuple[str, str]]:
        return [(path.name, checksum(path)) for path in sorted((tmp_path / name).glob("squares*"))]

    compare(row, tmp_path, run, result)


def test_publishing(hub: Hub, repositories: list[Any], tmp_path: Path, row: Row) -> None:  # noqa: F811
    """To a Hub in this process, which the process that is killed talks to."""
    two = repositories[:2]

    def run(name: str, resume: bool) -> None:
        publish(api(hub), two, "1.0.0")

    def result(name: str) -> dict[str, Any]:
        found = {
            key: (there.files, {tag: dict(there.commits)[commit] for tag, commit in there.tags.items()})
            for key, there in hub.repositories.items()
        }
        hub.repositories.clear()
        hub.large.clear()
        return found

    compare(row, tmp_path, run, result)
