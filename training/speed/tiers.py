"""Cost of plot coherence on the small and the larger encoder: time to the first score, memory, stories per second.

Each is measured in a separate process, as for a user. The speed is compared with that of BERT-base, run as in the
papers, in the same run.
"""

import json
import subprocess
import sys

from openmeva.metrics.core.backbone import BackboneNotFoundError, backbone_folder
from openmeva.training.paths import METRICS
from openmeva.training.speed.parts import Rows, bench_stories, seconds
from openmeva.training.speed.scoring import bert_base, score_as_in_papers

TIERS = {
    "mix": (1000, "40"),
    "base": (320, "5"),
}  # number of stories scored, and target speed as a multiple of BERT-base's
MEASURE_SCRIPT = """
import json, time
begun = time.perf_counter()
import evaluate
metric = evaluate.load({folder!r}, {name!r})
metric.compute(predictions=[{story!r}])
first = time.perf_counter() - begun
from openmeva.training.processes import peak_memory
from openmeva.training.speed.parts import bench_stories
stories = bench_stories({count})
metric.compute(predictions=stories[:64])
begun = time.perf_counter()
metric.compute(predictions=stories)
print(json.dumps([first, {count} / (time.perf_counter() - begun), peak_memory()]))
"""


def tier_rows() -> Rows:
    """Rows for both tiers, compared with BERT-base as in the papers; a tier whose encoder is missing is reported."""
    stories = bench_stories(40)
    big = bert_base()
    score_as_in_papers(big, stories[:10])
    usual = 40 / seconds(lambda: score_as_in_papers(big, stories), 2)
    rows: Rows = [("BERT-base as in the papers", f"{usual:.1f} stories/s", "1", "")]
    folder = METRICS / "plot_coherence"
    for name, (count, target) in TIERS.items():
        title = f"plot coherence {name}: {count:,} stories, text to score"
        settings = json.loads((folder / "weights" / name / "config.json").read_text(encoding="utf-8"))
        try:
            backbone_folder(settings["plot_coherence"]["encoder"], folder / "weights" / name)
        except BackboneNotFoundError as error:
            rows.append((title, str(error).partition("\n")[0], "-", target))
            continue
        first, rate, memory = _measured(name, count)
        rows += [
            (title, f"{rate:.1f} stories/s", f"{rate / usual:.1f}", target),
            (f"plot coherence {name}: a new process until its first score", f"{first:.1f} s", "", ""),
            (f"plot coherence {name}: peak memory", f"{memory / 2**30:.2f} GiB", "", ""),
        ]
    return rows


def _measured(name: str, count: int) -> tuple[float, float, float]:
    """Seconds to the first score, stories per second, and peak memory in bytes of a process that scores."""
    script = MEASURE_SCRIPT.format(
        folder=str(METRICS / "plot_coherence"), name=name, story=bench_stories(1)[0], count=count
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"plot coherence {name}: {done.stderr[-500:]}")
    first, rate, memory = json.loads(done.stdout.splitlines()[-1])
    return first, rate, memory
