"""Speed of the small plot-to-story generator, in stories per second."""

import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from openmeva.training.common.config import read_config
from openmeva.training.paths import CONFIGS, RUNS
from openmeva.training.plot_guided.generator.card import stories_with_plots
from openmeva.training.plot_guided.generator.config import GeneratorConfig
from openmeva.training.plot_guided.generator.model import build_generator, load_generator, save_generator
from openmeva.training.plot_guided.generator.sampling import Sampling, StorySampler
from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.speed.parts import Rows, bench_stories

TRAINED = RUNS / "generator-roc" / "final"
CONFIG = CONFIGS / "generator" / "roc.yaml"
STORIES, PROCESSES = 1024, 2
MEAN_TOKENS = 60  # of a ROC story; an untrained generator does not stop by itself


def generator_rows() -> Rows:
    """Stories per second from intact plots of ROC-like stories, on two processes."""
    plots = [story.plot for story in stories_with_plots(bench_stories(STORIES), "storyline")]
    if TRAINED.is_dir():
        rate = stories_per_second(TRAINED, plots, Sampling(batch_size=256, end_with_plot=True))
        description = "trained"
    else:
        with TemporaryDirectory() as folder:
            config = read_config(GeneratorConfig, CONFIG)
            save_generator(*build_generator(config), config, Path(folder))
            rate = stories_per_second(Path(folder), plots, Sampling(batch_size=256, max_tokens=MEAN_TOKENS))
        description = f"untrained, {MEAN_TOKENS} tokens each"
    return [
        (
            f"stories from plots, small generator ({description}), {PROCESSES} processes",
            f"{rate:.0f} per second",
            "-",
            "50",
        )
    ]


def stories_per_second(folder: Path, plots: Sequence[Plot], sampling: Sampling) -> float:
    """Stories generated per second of wall-clock time, without the time to load the generator."""
    keys = [(1, index) for index in range(len(plots))]
    pools = [get_context("spawn").Pool(1, _load, (folder, sampling)) for _ in range(PROCESSES)]
    try:
        for pool in pools:
            pool.apply(_write, (plots[:4], keys[:4]))  # the first batch is slower
        start = time.perf_counter()
        jobs = [
            pool.apply_async(_write, (plots[first::PROCESSES], keys[first::PROCESSES]))
            for first, pool in enumerate(pools)
        ]
        written = sum(job.get() for job in jobs)
        seconds = time.perf_counter() - start
        if written != len(plots):
            raise RuntimeError(f"expected {len(plots)} stories from {PROCESSES} processes, got {written}")
        return written / seconds
    finally:
        for pool in pools:
            pool.terminate()


_sampler: StorySampler | None = None  # of this process


def _load(folder: Path, sampling: Sampling) -> None:
    global _sampler
    torch.set_num_threads(1)
    _sampler = StorySampler(load_generator(folder), sampling)


def _write(plots: Sequence[Plot], keys: Sequence[tuple[int, ...]]) -> int:
    if _sampler is None:
        raise RuntimeError("a worker process was started without its generator")
    return len(_sampler.write(plots, keys))
