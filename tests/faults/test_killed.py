"""Trainers, builders, stages and publishing, killed at random moments and rerun, give the undisturbed results.

`MOMENTS` is the number of moments tried (`make faults`: 20). Installing is in tests/training/hub/test_killed_install.py.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from huggingface_hub import constants
from typer.testing import CliRunner

from openmeva.metrics.llm_judge.answers import AnswerCache
from openmeva.training.autos import build as autos
from openmeva.training.benchmark.scoring import scores
from openmeva.training.cli.app import app
from openmeva.training.common import backbone
from openmeva.training.common.config import parse
from openmeva.training.discriminator import trainer as discriminator
from openmeva.training.discriminator.config import DiscriminatorConfig
from openmeva.training.files import checksum, write_rows
from openmeva.training.grammar import trainer as grammar
from openmeva.training.hub.publish import publish
from openmeva.training.judged.builder import build_judged_set
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.sentavg import trainer as sentavg
from openmeva.training.sentavg.config import SentAvgConfig
from openmeva.training.stages import Stage
from tests.chat_server import completion, serve
from tests.faults.conftest import Row
from tests.killing import count_changes, killed_after, killed_before, run_to_end
from tests.metrics.llm_judge.test_request_runner import QUESTIONS, request_runner
from tests.small_hub import Hub
from tests.tiny.classifier import write_classifier
from tests.tiny.plots import generator_settings, write_generator
from tests.tiny.trainings import ADAPTER, COMMON, TRAININGS, Train, write_files
from tests.training.autos.test_autos import builder, rows  # noqa: F401 - fixtures
from tests.training.benchmark.conftest import words  # noqa: F401
from tests.training.conftest import everyday_facts  # noqa: F401 - what the builder of AUTOS knows
from tests.training.grammar.test_trainer import encoder, write_cola  # noqa: F401
from tests.training.hub.conftest import (  # noqa: F401
    api,
    hub,
    project,
    repositories,
)
from tests.training.judged.test_builder import mans  # noqa: F401
from tests.training.sentavg.test_trainer import BAD, GOOD

MOMENTS = int(os.environ.get("MOMENTS", "2"))
# manifest keys about the run itself
TIMES = ("minutes", "groups_per_second", "stories_per_second", "resumed")
slow = pytest.mark.faults


def _sentavg(data: Path, out: Path, resume: bool) -> None:
    """Restarts from scratch after it was killed."""
    labelled = [
        (place, story, label)
        for label, stories in ((1, GOOD), (0, BAD))
        for place, story in enumerate(stories)
    ]
    made = [
        {"group": str(place), "story": story, "label": label, "split": split}
        for split in ("train", "validation")
        for place, story, label in labelled
    ]
    write_rows(data / "rows.jsonl", made)
    settings = {"hidden": 16, "epochs": 3, "batch": 4, "learning_rate": 1e-2}
    config = {"name": "tiny", "files": [{"path": str(data / "rows.jsonl")}], "settings": settings, "seed": 1}
    sentavg.train(parse(SentAvgConfig, config), data, out / "weights", out / "run", out / "cache")


def _discriminator(data: Path, out: Path, resume: bool) -> None:
    if not (data / "rival").exists():
        write_generator(data / "rival")
    chain = {key: generator_settings()[key] for key in ("corpus", "plots", "share")}
    sizes = {"groups": 8, "validation_groups": 3, "batch_groups": 2, "max_length": 64, "adapter": ADAPTER}
    rival = {"generator": str(data / "rival" / "generator"), "sampling": {"max_tokens": 12, "max_plot": 24}}
    config = parse(DiscriminatorConfig, {**COMMON, **chain, **sizes, **rival})
    discriminator.train(config, data, out / "weights", out / "run", out / "cache", resume)


TRAINERS: Mapping[str, Train] = {**TRAININGS, "sentavg": _sentavg, "discriminator": _discriminator}


def compare(
    row: Row, folder: Path, run: Callable[[str, bool], object], result: Callable[[str], object]
) -> None:
    """Kills `run(name, False)` before a random change of a file or after a random time, then does `run(name, True)`.

    Fills the row, and fails if a result differs or a resumed run has an error.
    """
    run("warm", False)  # in this process, so that late imports and reads are done before forking
    result("warm")
    begin = time.monotonic()
    changes = count_changes(lambda: run("whole", False), folder / "changes")
    seconds = time.monotonic() - begin
    whole = result("whole")
    failures: dict[str, Any] = {}
    kills = 0
    rng = np.random.default_rng(0)
    for moment in range(MOMENTS):
        name = f"killed-{moment}"
        if moment % 2 or not changes:
            kills += killed_after(rng.uniform(0, seconds), lambda name=name: run(name, False))
        else:
            kills += killed_before(int(rng.integers(1, changes + 1)), lambda name=name: run(name, False))
        try:
            run_to_end(lambda name=name: run(name, True))
        except ChildProcessError:
            row.error += 1
            continue
        found = result(name)
        row.identical += found == whole
        row.different += found != whole
        if found != whole:
            failures[name] = _differences(found, whole)
    assert (row.identical, row.different, row.error) == (MOMENTS, 0, 0), failures
    assert kills, "every run ended before it was to be killed"


def _differences(found: Any, whole: Any) -> Any:
    """The values that differ from those of the undisturbed run."""
    if not isinstance(found, dict) or not isinstance(whole, dict):
        return found, whole
    return {
        key: _differences(found.get(key), whole.get(key))
        for key in {**whole, **found}
        if found.get(key) != whole.get(key)
    }


def files_in(folder: Path) -> dict[str, str]:
    """The checksum of each file below a folder, except temporary files left by a killed process."""
    found = {
        path.relative_to(folder).as_posix(): checksum(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".tmp", ".lock")
    }
    assert found, f"{folder}: no files"
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_files(folder)
    return folder


@slow
@pytest.mark.parametrize("trainer", TRAINERS)
def test_trainer(trainer: str, data: Path, tmp_path: Path, row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backbone, "ENCODER", data / "encoder")

    def made(name: str) -> dict[str, Any]:
        """Weights and the files next to them; the manifest without its training time."""
        folder = tmp_path / name / ("run/final" if trainer == "generator" else "weights")
        found: dict[str, Any] = {name: one for name, one in files_in(folder).items() if name != "README.md"}
        if "manifest.json" in found:
            manifest = json.loads((folder / "manifest.json").read_text())
            found["manifest.json"] = {name: one for name, one in manifest.items() if name not in TIMES}
        return found

    compare(row, tmp_path, lambda name, resume: TRAINERS[trainer](data, tmp_path / name, resume), made)


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
def test_autos_builder(
    rows: Any,  # noqa: F811
    builder: Any,  # noqa: F811
    tmp_path: Path,
    row: Row,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(autos, "CHUNK", 2)
    compare(
        row,
        tmp_path,
        lambda name, _: autos.build(rows[:6], builder, tmp_path / name, progress=False),
        lambda name: files_in(tmp_path / name),
    )


@slow
def test_judged_sets_builder(mans: Path, tmp_path: Path, row: Row) -> None:  # noqa: F811
    compare(
        row,
        tmp_path,
        lambda name, _: build_judged_set(JUDGED_SETS["mans"], str(mans), tmp_path / name),
        lambda name: files_in(tmp_path / name),
    )


@slow
def test_scoring_a_file(tmp_path: Path, row: Row) -> None:
    """The file of scores is complete or missing, and an earlier file stays until it is replaced."""
    checkpoint = write_classifier(tmp_path / "checkpoint", "plot_coherence")
    stories, before = tmp_path / "stories.jsonl", '{"story": "of an earlier run"}\n'
    write_rows(stories, [{"story": f"She ran home. He ate {number} cats."} for number in range(12)])

    for name in ("warm", "whole", *(f"killed-{moment}" for moment in range(MOMENTS))):
        (tmp_path / f"{name}.jsonl").write_text(before)

    def run(name: str, resume: bool) -> None:
        out = tmp_path / f"{name}.jsonl"
        if resume and out.read_text() != before and checksum(out) != checksum(tmp_path / "whole.jsonl"):
            raise ValueError(f"{out}: half-written")
        given = ("score", stories, out, "--metric", "plot_coherence", "--config", checkpoint)
        found = CliRunner().invoke(app, [*map(str, given)], catch_exceptions=False)
        if found.exit_code:
            raise ValueError(found.output)

    compare(row, tmp_path, run, lambda name: checksum(tmp_path / f"{name}.jsonl"))


@slow
def test_benchmark_score_cache(words: Any, tmp_path: Path, row: Row, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(scores, "_CHUNK", 2)
    stories = [{"story": f"a story of {k} words ."} for k in range(9)]
    compare(
        row,
        tmp_path,
        lambda name, _: scores.cached_scores(words[0], "roc", stories, tmp_path / "caches" / name),
        lambda name: files_in(tmp_path / "caches" / name),
    )


@slow
def test_llm_judge_answer_cache(tmp_path: Path, row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a server in this process; all questions are answered in the end, and cached answers are kept."""

    def cached_answers(name: str) -> list[str]:
        cache = AnswerCache(tmp_path / name, request_runner(server, tmp_path).judge.identity)
        return [answer.text if (answer := cache.get(question)) else "" for question in QUESTIONS]

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # in offline mode no question is sent
    with serve(lambda body: completion(body["messages"][0]["content"][-1])) as server:
        compare(
            row,
            tmp_path,
            lambda name, _: request_runner(server, tmp_path / name).ask_all(QUESTIONS),
            cached_answers,
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
    """To a Hub in this process, used by the killed process."""
    chosen = repositories[:2]

    def run(name: str, resume: bool) -> None:
        publish(api(hub), chosen, "1.0.0")

    def result(name: str) -> dict[str, Any]:
        found = {
            key: (there.files, {tag: dict(there.commits)[commit] for tag, commit in there.tags.items()})
            for key, there in hub.repositories.items()
        }
        hub.repositories.clear()
        hub.large.clear()
        return found

    compare(row, tmp_path, run, result)
