"""Speed of the benchmark: all tables of `metrics/openmeva` for 1,000 stories and 10,000 bootstrap resamples."""

import numpy as np

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.sections import judgment_tables
from openmeva.training.speed.parts import Rows, time_call

TARGET = 20.0  # seconds


def benchmark_rows() -> Rows:
    """All tables of `metrics/openmeva` for 1,000 stories."""
    wall, processor = measure()
    return [
        (
            "all tables of the benchmark, 1,000 stories, 10,000 resamples",
            f"{wall:.1f} s ({processor:.1f} s of processor time)",
            "-",
            f"under {TARGET:.0f} s",
        )
    ]


def synthetic_stories(count: int, rng: np.random.Generator) -> tuple[JudgedStories, np.ndarray]:
    """Synthetic judged stories shaped like MANS (five models per prompt, five ratings, error types), and scores."""
    words = np.array("the dog ran home and then it slept near a warm red house by the sea".split())
    quality = rng.normal(size=count)
    rows = []
    for index in range(count):
        ratings = np.clip(np.rint(3 + quality[index] + 0.7 * rng.normal(size=5)), 1, 5)
        rows.append(
            {
                "prompt": str(index // 5),
                "story": " ".join(rng.choice(words, rng.integers(30, 50))),
                "source_model": "abcde"[index % 5],
                "ratings": ratings.tolist(),
                "error_types": [
                    [str(rng.choice(["chaotic", "repetitive"]))] if r < 3 else [] for r in ratings
                ],
            }
        )
    return JudgedStories.from_rows(rows), quality + rng.normal(size=count)


def measure(count: int = 1000, draws: int = 10_000) -> tuple[float, float]:
    """Wall-clock and processor seconds for all tables of one metric, compared with one other metric."""
    rng = np.random.default_rng(0)
    judged, metric = synthetic_stories(count, rng)
    other = metric + rng.normal(size=count)
    return time_call(lambda: judgment_tables(metric, judged, {"other": other}, 4.0, True, draws, rng))
