"""Time all tables of the benchmark module for 1,000 stories and 10,000 bootstrap draws.

python -m training.speed.openmeva_module
"""

from __future__ import annotations

import time

import numpy as np

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.sections import judgment_tables

TARGET = 20.0


def made_up_stories(count: int, rng: np.random.Generator) -> tuple[JudgedStories, np.ndarray]:
    """Judged stories of MANS' shape (five models a prompt, five ratings, error types), and a metric's scores."""
    words = np.array("the dog ran home and then it slept near a warm red house by the sea".split())
    quality = rng.normal(size=count)
    rows = []
    for place in range(count):
        ratings = np.clip(np.rint(3 + quality[place] + 0.7 * rng.normal(size=5)), 1, 5)
        rows.append(
            {
                "prompt": str(place // 5),
                "story": " ".join(rng.choice(words, rng.integers(30, 50))),
                "source_model": "abcde"[place % 5],
                "ratings": ratings.tolist(),
                "error_types": [
                    [str(rng.choice(["chaotic", "repetitive"]))] if r < 3 else [] for r in ratings
                ],
            }
        )
    return JudgedStories.from_rows(rows), quality + rng.normal(size=count)


def measure(count: int = 1000, draws: int = 10_000) -> tuple[float, float]:
    """Seconds on the clock and of the processor for all tables of one metric, with one other to compare."""
    rng = np.random.default_rng(0)
    judged, metric = made_up_stories(count, rng)
    other = metric + rng.normal(size=count)
    clock, processor = time.perf_counter(), time.process_time()
    judgment_tables(metric, judged, {"other": other}, 4.0, True, draws, rng)
    return time.perf_counter() - clock, time.process_time() - processor


if __name__ == "__main__":
    seconds, used = measure()
    print(
        f"1,000 stories, 10,000 draws: {seconds:.1f} s ({used:.1f} s of processor time; target {TARGET:.0f} s)"
    )
