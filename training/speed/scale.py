"""Speed on corpora of any size: plain engine, actors and nodes; memory; and the share of time outside the metric.

Every run is a separate process. The speed is measured between the first finished part and the last one, so it excludes
starting Ray and loading weights, which have their own row.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any

from openmeva.training.files import json_line, write_rows
from openmeva.training.scale.engines import OBJECTS, SETTINGS
from openmeva.training.scale.parts import Size
from openmeva.training.speed.parts import Rows, bench_stories

METRIC = "plot_coherence"
CHEAP_METRIC = "sentavg"
MODELS = {"mix": 2400, "base": 160}  # stories
PARTS = 12  # parts per run, where speed is measured
CORPORA = (20_000, 200_000)
LARGE_BYTES = 2**30  # bytes of a file that is read completely and scored in part
LARGE_PARTS = 10
MEGABYTE = 2**20


@dataclass(frozen=True)
class Measurement:
    """Measurements of a run.

    Attributes:
        report: its report.
        ends: time at which each part was finished, in seconds since the epoch, sorted.
        start: seconds until the first part was finished.
        driver, actor: peak memory in megabytes.
    """

    report: dict[str, Any]
    ends: Sequence[float]
    start: float
    driver: float
    actor: float


def scale_rows() -> Rows:
    """Rows for both engines, one and two actors and nodes, both tiers, and memory by corpus size."""
    rows: Rows = []
    with TemporaryDirectory() as folder:
        work = Path(folder)
        rows += _engines(work)
        rows += _memory(work)
        rows += _large(work)
    return rows


def _engines(folder: Path) -> Rows:
    stories = _corpus(folder / "mix.jsonl", MODELS["mix"])
    halves = [_corpus(folder / f"half-{n}.jsonl", MODELS["mix"] // 2) for n in (0, 1)]
    base_stories = _corpus(folder / "base.jsonl", MODELS["base"])
    common = ["--metric", METRIC, "--part-rows", str(MODELS["mix"] // PARTS)]
    plain_run = _run(stories, folder / "plain", [*common, "--engine", "plain"])
    with ThreadPoolExecutor() as executor:
        parallel = list(
            executor.map(
                lambda half: _run(half, half.with_suffix(""), [*common, "--engine", "plain"]), halves
            )
        )
    ray = [*common, "--engine", "ray", "--actors"]
    one_actor, two_actors = (_run(stories, folder / f"actors-{n}", [*ray, str(n)]) for n in (1, 2))
    of_nodes = []
    for count in (1, 2):
        with _nodes(count) as address:
            options = [*ray, str(count), "--address", address]
            of_nodes.append(_run(stories, folder / f"nodes-{count}", options))
    parts = ["--part-rows", str(MODELS["base"] // PARTS)]
    larger = _run(
        base_stories, folder / "base", ["--metric", METRIC, "--config", "base", *parts, "--engine", "plain"]
    )
    plain_speed, by_one, by_node = _speed(plain_run), _speed(one_actor), _speed(of_nodes[0])
    speeds = [
        ("plain", plain_speed, plain_speed, "", ""),
        (
            "two plain processes in parallel",
            _speed(*parallel),
            plain_speed,
            "of one",
            "limit of this machine",
        ),
        ("ray, one actor", by_one, plain_speed, "of plain", ".90"),
        ("ray, two actors", _speed(two_actors, workers=2), by_one, "of one actor", "1.80"),
        ("ray, one node", by_node, plain_speed, "of plain", ""),
        ("ray, two nodes", _speed(of_nodes[1], workers=2), by_node, "of one node", ""),
    ]
    title = f"plot coherence mix, {MODELS['mix']:,} stories, one core per worker"
    rows = [
        (f"{title}: {name}", f"{speed:.1f} stories/s", f"{speed / baseline:.2f} {unit}".strip(), target)
        for name, speed, baseline, unit, target in speeds
    ]
    return [
        *rows,
        ("time of an actor outside the metric", f"{two_actors.report['outside']:.1%}", "", "under 10 %"),
        (
            "until the first part: plain, one actor",
            f"{plain_run.start:.1f} s, {one_actor.start:.1f} s",
            "",
            "",
        ),
        (f"plot coherence base, {MODELS['base']} stories: plain", f"{_speed(larger):.1f} stories/s", "", ""),
    ]


@contextmanager
def _nodes(count: int) -> Iterator[str]:
    """The address of a Ray cluster on this machine whose nodes have one core each."""
    os.environ.update(SETTINGS)
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": OBJECTS}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        for _ in range(1, count):
            cluster.add_node(**node)
        yield cluster.address
    finally:
        cluster.shutdown()


def _memory(folder: Path) -> Rows:
    rows: Rows = []
    peaks = []
    for count in CORPORA:
        stories = _corpus(folder / f"{count}.jsonl", count)
        options = ["--metric", CHEAP_METRIC, "--engine", "ray", "--actors", "1"]
        measurement = _run(stories, folder / f"memory-{count}", options)
        peaks.append(measurement.driver)
        title = f"{CHEAP_METRIC}, {count:,} stories, ray, one actor"
        memory = f"{measurement.driver:,.0f} MB, {measurement.actor:,.0f} MB"
        rows.append((title, f"{_speed(measurement):,.1f} stories/s", "", ""))
        rows.append(
            (
                f"{title}: memory of driver, actor",
                memory,
                f"{measurement.driver / peaks[0]:.2f}",
                "driver at most 1.10",
            )
        )
    return rows


def _large(folder: Path) -> Rows:
    """Memory on a file of a gigabyte, stopped after some parts: it does not grow with later parts."""
    stories, out = folder / "large.jsonl", folder / "large"
    block = b"".join(
        json_line({"story_id": n, "story": story}) for n, story in enumerate(bench_stories(10_000))
    )
    with stories.open("wb") as file:
        for _ in range(LARGE_BYTES // len(block) + 1):
            file.write(block)
    options = ["--metric", CHEAP_METRIC, "--engine", "plain"]
    begun, facts = time.time(), out / ".work" / "input" / "facts.json"
    read_seconds = 0.0
    peaks = {"driver": 0.0, "actor": 0.0}
    with Popen(_command(stories, out, options), stderr=DEVNULL) as process:
        while process.poll() is None and len(list(out.glob("part-*.parquet"))) < LARGE_PARTS:
            read_seconds = read_seconds or (facts.is_file() and time.time() - begun) or 0.0
            _record_peaks(process.pid, peaks)
            time.sleep(0.1)
        process.kill()
    if not read_seconds:
        raise RuntimeError("the file of a gigabyte was not read to its end")
    rows = json.loads(facts.read_text(encoding="utf-8"))["rows"]
    return [
        (
            f"reading {stories.stat().st_size / 1e9:.2f} GB of JSONL, {rows:,} rows",
            f"{rows / read_seconds:,.0f} rows/s",
            "",
            "",
        ),
        (
            f"memory while reading it and scoring {LARGE_PARTS * Size().rows:,} of its rows with {CHEAP_METRIC}",
            f"{peaks['driver']:,.0f} MB",
            "",
            "",
        ),
    ]


def _corpus(path: Path, count: int) -> Path:
    write_rows(
        path, ({"story_id": index, "story": story} for index, story in enumerate(bench_stories(count)))
    )
    return path


def _run(stories: Path, out: Path, options: list[str]) -> Measurement:
    """Scores a file with the command in a separate process, and monitors its memory."""
    begun = time.time()
    with Popen(_command(stories, out, options), stderr=PIPE, text=True) as process:
        peaks = {"driver": 0.0, "actor": 0.0}
        watcher = threading.Thread(target=_watch, args=(process, peaks))
        watcher.start()
        _, errors = process.communicate()
        watcher.join()
    if process.returncode:
        raise RuntimeError(f"{' '.join(options)}: {errors[-500:]}")
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    ends = sorted(path.stat().st_mtime for path in out.glob("part-*.parquet"))
    return Measurement(report, ends, ends[0] - begun, peaks["driver"], peaks["actor"])


def _speed(*runs: Measurement, workers: int = 1) -> float:
    """Stories per second of parallel runs, while all are running and each worker has finished a part."""
    begun = max(run.ends[workers - 1] for run in runs)
    ended = min(run.ends[-1] for run in runs)
    done = sum(
        run.report["scored"] / len(run.ends) * sum(begun < end <= ended for end in run.ends) for run in runs
    )
    return done / (ended - begun)


def _command(stories: Path, out: Path, options: list[str]) -> list[str]:
    return [sys.executable, "-m", "openmeva.training.cli", "score", str(stories), str(out), *options]


def _watch(process: "Popen[str]", peaks: dict[str, float]) -> None:
    """Records the peak memory of a process, and of any Ray actor below it, ten times per second."""
    while process.poll() is None:
        _record_peaks(process.pid, peaks)
        time.sleep(0.1)


def _record_peaks(number: int, peaks: dict[str, float]) -> None:
    for name, size in _memory_sizes(number):
        peaks[name] = max(peaks[name], size)


def _memory_sizes(number: int) -> Iterator[tuple[str, float]]:
    """Memory in megabytes of a process (`driver`) and of the Ray actors below it (`actor`)."""
    import psutil

    try:
        driver = psutil.Process(number)
        yield "driver", driver.memory_info().rss / MEGABYTE
        for child in driver.children(recursive=True):
            if "MapWorker" in "".join(child.cmdline()):
                yield "actor", child.memory_info().rss / MEGABYTE
    except psutil.Error:  # the process has ended meanwhile
        return
