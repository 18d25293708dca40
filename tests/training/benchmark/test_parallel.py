"""Several metrics score in parallel, before the tables are made."""

import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.training.benchmark import parallel
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry
from openmeva.training.benchmark.data.sets import TEST_SETS, always_available
from openmeva.training.benchmark.run import Settings, run
from openmeva.training.benchmark.scoring.inputs import MetricInputs, inputs_for_set
from openmeva.training.benchmark.scoring.scores import cached_scores

ROWS = [{"story": f"a story of {k} words .", "prompt": "once ."} for k in range(5)]


def one_thread() -> Executor:
    return ThreadPoolExecutor(1)  # one at a time: the test metric counts its calls


def another_process() -> Executor:
    """A real second process, forked, so that imports run only once."""
    return ProcessPoolExecutor(1, mp_context=get_context("fork"))


@pytest.fixture
def works(words: tuple[MetricEntry, Path], monkeypatch: pytest.MonkeyPatch) -> list[MetricInputs]:
    monkeypatch.setattr(parallel, "MIN_CHARACTERS", 1)
    mans, union = TEST_SETS["mans_roc"], TEST_SETS["union_roc"]
    second = replace(words[0], name="second", title="Second")
    return [
        MetricInputs(words[0], "roc", mans, ROWS),
        MetricInputs(second, "roc", mans, ROWS[:2]),
        MetricInputs(words[0], "roc", union, ROWS[2:]),
    ]


def test_scores_computed_in_parallel_are_reused_from_the_cache(
    works: list[MetricInputs], words: tuple[MetricEntry, Path], tmp_path: Path
) -> None:
    messages: list[str] = []
    parallel.score_in_parallel(works, tmp_path / "cache", None, 2, messages.append, one_thread())
    assert words[1].read_text() == "xx", "each metric once: the second set's stories are among the first's"
    assert messages[0] == "2 metrics to score, 2 in parallel"
    assert "Words (roc): 8 stories of 2 sets" in messages[1], "the longest first"
    scores = cached_scores(words[0], "roc", ROWS, tmp_path / "cache")
    assert words[1].read_text() == "xx"
    assert scores == cached_scores(words[0], "roc", ROWS, tmp_path / "other")


def test_scoring_failure_is_raised_only_when_the_scores_are_needed(
    works: list[MetricInputs], tmp_path: Path
) -> None:
    broken = replace(works[1].entry, outputs={"Row": "absent"})
    messages: list[str] = []
    parallel.score_in_parallel(
        [works[0], replace(works[1], entry=broken)], tmp_path, None, 2, messages.append, one_thread()
    )
    assert messages[-1].endswith("Second (roc): not scored")
    with pytest.raises(ValueError, match="expected absent"):
        cached_scores(broken, "roc", ROWS, tmp_path)


def write_and_wait(pipe: int) -> None:
    os.write(pipe, b"x")
    signal.pause()


def test_processes_end_with_the_run_that_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "get_context", lambda method: get_context("fork"))
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        with parallel.process_pool(2) as pool:
            assert pool is not None
            pool.submit(write_and_wait, write_end).result()
        os._exit(0)
    os.close(write_end)
    assert os.read(read_end, 1) == b"x"
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    assert os.read(read_end, 1) == b"", "nobody is left who holds the other end"
    os.close(read_end)


def test_killed_process_does_not_abort_the_run(works: list[MetricInputs], tmp_path: Path) -> None:
    class Dying(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **keywords: Any) -> Any:
            future = super().submit(int)
            future.exception = lambda timeout=None: BrokenProcessPool("killed")  # type: ignore[method-assign]
            return future

    messages: list[str] = []
    parallel.score_in_parallel(works, tmp_path, None, 2, messages.append, Dying(1))
    assert messages[-1].startswith("  a process ended early")


def test_parallel_results_keep_their_order() -> None:
    works = [(2, 3), (3, 2), (2, 5)]
    pool = one_thread()
    assert parallel.run_in_parallel(pow, works, pool) == [8, 9, 32]
    pool.shutdown()
    assert parallel.run_in_parallel(pow, works[:2], pool) == [8, 9], "too few for processes"
    with parallel.process_pool(1) as none:
        assert parallel.run_in_parallel(pow, works, none) == [8, 9, 32]


def test_parallel_run_gives_the_same_results(
    words: tuple[MetricEntry, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All arguments can be passed to another process, and its results come back unchanged."""
    rng = np.random.default_rng(0)
    rows = [
        {**row, "story": f"{row['story']} {k}", "score": float(rng.normal())}
        for k, row in enumerate(ROWS * 4)
    ]
    own_set = replace(TEST_SETS["plot_guided_roc"], read=lambda _: rows, is_available=always_available)
    sets = [replace(own_set, name=f"judged_{k}") for k in range(3)]

    def run_in_forked_process(function: Any, works: Any, pool: Executor) -> list[Any]:
        assert pool._max_workers == 2  # type: ignore[attr-defined]
        with another_process() as other:
            return parallel.run_in_parallel(function, works, other)

    settings = Settings(data=None, draws=100, say=lambda line: None, processes=1)
    sequential = run([words[0]], sets, settings)
    monkeypatch.setattr("openmeva.training.benchmark.run.run_in_parallel", run_in_forked_process)
    assert run([words[0]], sets, replace(settings, processes=2)) == sequential
    assert list(sequential["judged"]) == ["judged_0", "judged_1", "judged_2"]


def test_one_pass_fills_rows_of_two_entries_if_references_exist(
    words: tuple[MetricEntry, Path], tmp_path: Path
) -> None:
    with_references = replace(
        words[0],
        name="both",
        inputs=("contexts", "references"),
        shared_outputs=("halves",),
        explanations=False,
    )
    entry = replace(words[0], outputs={"Half": "halves"}, with_references=with_references, explanations=False)
    test_set = TEST_SETS["mans_roc"]
    assert inputs_for_set(entry, test_set, ROWS).entry is entry
    inputs = inputs_for_set(entry, test_set, [{**row, "reference": "it ended ."} for row in ROWS])
    assert inputs.entry is with_references
    scores = cached_scores(replace(with_references, inputs=("contexts",)), "roc", ROWS, tmp_path)
    assert scores["halves"] == [value / 2 for value in scores["scores"]]
    registry = read_registry()
    ruber = registry["ruber_bert"]
    assert ruber.with_references == registry["ruber_bert_hybrid"]
    assert registry["ruber_bert_hybrid"].shared_outputs == ("unreferenced",)


def test_single_task_is_not_scored_in_parallel(works: list[MetricInputs], tmp_path: Path) -> None:
    parallel.score_in_parallel(works[:1], tmp_path, None, 2, pytest.fail, one_thread())


def test_tasks_can_be_sent_to_other_processes(works: list[MetricInputs]) -> None:
    tasks = parallel.group_into_tasks(works)
    with another_process() as executor:
        assert list(executor.map(replace, tasks)) == tasks
    assert [task.title for task in tasks] == ["Words (roc)", "Second (roc)"]


def test_all_inputs_of_a_run_are_listed(words: tuple[MetricEntry, Path]) -> None:
    entry = replace(words[0], configs={"roc": "roc", "wp": "wp"}, inputs=("contexts", "references"))
    rows = [{**row, "reference": "it ended ."} for row in ROWS]
    loaded = [(TEST_SETS[name], rows) for name in ("mans_roc", "mans_wp", "union_roc")]
    loaded.append((TEST_SETS["plot_guided_roc"], ROWS))  # no references: skipped
    inputs = [
        (work.test_set.name, work.config, work.explain) for work in parallel.all_inputs([entry], loaded)
    ]
    on_sets = [("mans_roc", "roc", False), ("mans_wp", "wp", False), ("union_roc", "roc", False)]
    drift = [(name, config, False) for name in ("mans_roc", "mans_wp") for config in ("roc", "wp")]
    assert inputs == [*on_sets, *drift, ("union_roc", "roc", True)]
