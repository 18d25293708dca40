"""Several metrics score in parallel, before the tables are made."""

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.training.benchmark import parallel
from openmeva.training.benchmark.inputs import MetricInputs, inputs_for_set
from openmeva.training.benchmark.registry import MetricEntry, read_registry
from openmeva.training.benchmark.run import Settings, run
from openmeva.training.benchmark.scores import cached_scores
from openmeva.training.benchmark.sets import TEST_SETS

ROWS = [{"story": f"a story of {k} words .", "prompt": "once ."} for k in range(5)]


def threads(count: int) -> Executor:
    return ThreadPoolExecutor(1)  # one at a time: the test metric counts its calls


def another(count: int) -> Executor:
    """A real second process, forked, so that imports run only once."""
    return ProcessPoolExecutor(1, mp_context=get_context("fork"))


@pytest.fixture
def works(words: tuple[MetricEntry, Path], monkeypatch: pytest.MonkeyPatch) -> list[MetricInputs]:
    monkeypatch.setattr(parallel, "MIN_CHARACTERS", 1)
    one, other = TEST_SETS["mans_roc"], TEST_SETS["union_roc"]
    named = replace(words[0], name="second", title="Second")
    return [
        MetricInputs(words[0], "roc", one, ROWS),
        MetricInputs(named, "roc", one, ROWS[:2]),
        MetricInputs(words[0], "roc", other, ROWS[2:]),
    ]


def test_what_was_scored_ahead_is_not_scored_again(
    works: list[MetricInputs], words: tuple[MetricEntry, Path], tmp_path: Path
) -> None:
    said: list[str] = []
    parallel.score_in_parallel(works, tmp_path / "cache", None, 2, said.append, threads)
    assert words[1].read_text() == "xx", "each metric once: the second set's stories are among the first's"
    assert said[0] == "2 metrics to score, 2 in parallel"
    assert "Words (roc): 8 stories of 2 sets" in said[1], "the longest first"
    found = cached_scores(words[0], "roc", ROWS, tmp_path / "cache")
    assert words[1].read_text() == "xx"
    assert found == cached_scores(words[0], "roc", ROWS, tmp_path / "other")


def test_a_failure_is_left_to_who_asks(works: list[MetricInputs], tmp_path: Path) -> None:
    broken = replace(works[1].entry, outputs={"Row": "absent"})
    said: list[str] = []
    parallel.score_in_parallel(
        [works[0], replace(works[1], entry=broken)], tmp_path, None, 2, said.append, threads
    )
    assert said[-1].endswith("Second (roc): not scored")
    with pytest.raises(ValueError, match="expected absent"):
        cached_scores(broken, "roc", ROWS, tmp_path)


def test_a_process_that_dies_ends_nothing(works: list[MetricInputs], tmp_path: Path) -> None:
    class Dying(ThreadPoolExecutor):
        def submit(self, *given: Any, **named: Any) -> Any:
            future = super().submit(int)
            future.exception = lambda timeout=None: BrokenProcessPool("killed")  # type: ignore[method-assign]
            return future

    said: list[str] = []
    parallel.score_in_parallel(works, tmp_path, None, 2, said.append, Dying)
    assert said[-1].startswith("  a process ended early")


def test_tables_come_in_order() -> None:
    works = [(2, 3), (3, 2), (2, 5)]
    assert parallel.run_in_parallel(pow, works, 2, threads) == [8, 9, 32]
    assert parallel.run_in_parallel(pow, works[:2], 2, pytest.fail) == [8, 9], "too few for processes"
    assert parallel.run_in_parallel(pow, works, 1, pytest.fail) == [8, 9, 32]


def test_a_run_in_processes_is_a_run(
    words: tuple[MetricEntry, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All arguments can be passed to another process, and its results come back unchanged."""
    rng = np.random.default_rng(0)
    rows = [
        {**row, "story": f"{row['story']} {k}", "score": float(rng.normal())}
        for k, row in enumerate(ROWS * 4)
    ]
    sets = [replace(TEST_SETS["plot_guided_roc"], name=f"judged_{k}", read=lambda _: rows) for k in range(3)]

    def elsewhere(function: Any, works: Any, processes: int, pool: Any) -> list[Any]:
        assert processes == 2
        return parallel.run_in_parallel(function, works, processes, another)

    settings = Settings(data=None, draws=100, say=lambda line: None, cache=tmp_path / "cache")
    plain = run([words[0]], sets, settings)
    monkeypatch.setattr("openmeva.training.benchmark.run.run_in_parallel", elsewhere)
    assert run([words[0]], sets, replace(settings, processes=2)) == plain
    assert list(plain["judged"]) == ["judged_0", "judged_1", "judged_2"]


def test_one_pass_gives_the_rows_of_two_entries_where_there_are_references(
    words: tuple[MetricEntry, Path], tmp_path: Path
) -> None:
    with_references = replace(
        words[0], name="both", inputs=("contexts", "references"), shared_outputs=("halves",), explain=False
    )
    entry = replace(words[0], outputs={"Half": "halves"}, with_references=with_references, explain=False)
    one = TEST_SETS["mans_roc"]
    assert inputs_for_set(entry, one, ROWS).entry is entry
    work = inputs_for_set(entry, one, [{**row, "reference": "it ended ."} for row in ROWS])
    assert work.entry is with_references
    found = cached_scores(replace(with_references, inputs=("contexts",)), "roc", ROWS, tmp_path)
    assert found["halves"] == [value / 2 for value in found["scores"]]
    registry = read_registry()
    ruber = registry["ruber_bert"]
    assert ruber.with_references == registry["ruber_bert_hybrid"]
    assert registry["ruber_bert_hybrid"].shared_outputs == ("unreferenced",)


def test_little_is_scored_in_this_process(works: list[MetricInputs], tmp_path: Path) -> None:
    parallel.score_in_parallel(works[:1], tmp_path, None, 2, pytest.fail, pytest.fail)


def test_tasks_go_to_other_processes(works: list[MetricInputs]) -> None:
    tasks = parallel.group_into_tasks(works)
    with another(1) as executor:
        assert list(executor.map(replace, tasks)) == tasks
    assert [task.title for task in tasks] == ["Words (roc)", "Second (roc)"]


def test_all_that_a_run_asks_for_is_there(words: tuple[MetricEntry, Path]) -> None:
    both = replace(words[0], configs={"roc": "roc", "wp": "wp"}, inputs=("contexts", "references"))
    rows = [{**row, "reference": "it ended ."} for row in ROWS]
    loaded = [(TEST_SETS[name], rows) for name in ("mans_roc", "mans_wp", "union_roc")]
    loaded.append((TEST_SETS["plot_guided_roc"], ROWS))  # no references: skipped
    found = [(work.test_set.name, work.config, work.explain) for work in parallel.all_inputs([both], loaded)]
    on_sets = [("mans_roc", "roc", False), ("mans_wp", "wp", False), ("union_roc", "roc", False)]
    drift = [(name, config, False) for name in ("mans_roc", "mans_wp") for config in ("roc", "wp")]
    assert found == [*on_sets, *drift, ("union_roc", "roc", True)]
