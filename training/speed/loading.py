"""Seconds to load by name, by the state of the network, compared with a minimal evaluate module.

First, everything is installed into a separate cache, as by `make install`. Each measurement runs in its own process in
an empty folder. A failing network refuses every connection; a hanging one accepts and never answers.
`OPENMEVA_LOAD_LIMIT` sets the timeout of a measurement in seconds (60).
"""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tqdm.auto import tqdm

from openmeva.metrics.core.version import __version__
from openmeva.training.hub.caches import Caches
from openmeva.training.hub.description import read_description
from openmeva.training.hub.install import Installation
from openmeva.training.paths import ROOT
from openmeva.training.speed.parts import Rows

CLOSED = "http://127.0.0.1:9"  # a closed port
OFFLINE = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
STORY = "['Ann was hungry. She made a sandwich. She ate it.']"
IMPORTS = "import torch; from transformers import BertModel"
FIRST_SCORE = "import evaluate; evaluate.load({name!r}, 'roc').compute(predictions=" + STORY + ")"

# A module like evaluate's accuracy, because that may not be available here.
ACCURACY = """
import datasets
import evaluate


class Accuracy(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("int32"), "references": datasets.Value("int32")})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {"accuracy": sum(p == r for p, r in zip(predictions, references)) / len(references)}
"""

# what is loaded: its imports, and the statement that is timed
LOADS = {
    "evaluate.load of a module like accuracy": ("import evaluate", "evaluate.load('accuracy')"),
    'evaluate.load("union")': ("import evaluate, torch, transformers.models.bert.modeling_bert", "evaluate.load('union', 'roc')"),
    'evaluate.load("openmeva/union")': (
        "import evaluate, torch, transformers.models.bert.modeling_bert",
        "evaluate.load('openmeva/union', 'roc')",
    ),
    "evaluate.load(folder of union)": (
        "import evaluate, torch, transformers.models.bert.modeling_bert",
        f"evaluate.load({str(ROOT / 'metrics' / 'union')!r}, 'roc')",
    ),
    'load_dataset("openmeva/autos")': ("import datasets", "datasets.load_dataset('openmeva/autos', 'mini')"),
    'AutoModel "openmeva/union-roc"': (
        "from transformers import AutoModel; import torch, transformers.models.bert.modeling_bert",
        "AutoModel.from_pretrained('openmeva/union-roc')",
    ),
}  # fmt: skip


def loading_rows() -> Rows:
    """Time to the first score compared with the imports, then load times by name and network."""
    with tempfile.TemporaryDirectory() as scratch:
        home, folder = Path(scratch) / "home", Path(scratch) / "empty"
        folder.mkdir()
        caches = Caches(home, home / "hub", home / "modules", home / "datasets")
        Installation(caches).install(read_description(ROOT), __version__, ROOT)
        module = home / "modules/evaluate_modules/metrics/evaluate-metric--accuracy" / ("0" * 64)
        module.mkdir(parents=True)
        (module / "accuracy.py").write_text(ACCURACY)
        for package in (module, module.parent):
            (package / "__init__.py").touch()
        return [*first_score_rows(home, folder), *network_rows(home, folder)]


def first_score_rows(home: Path, folder: Path) -> Rows:
    """Time of a new process to its first score, offline, compared with one that only imports torch and transformers."""
    local = str(ROOT / "metrics" / "union")
    scripts = {
        "imports": IMPORTS,
        "evaluate": "import evaluate",
        "name": FIRST_SCORE.format(name="union"),
        "folder": FIRST_SCORE.format(name=local),
    }
    walls, processors = ({name: float("inf") for name in scripts} for _ in range(2))
    for _ in tqdm(range(4), desc="first scores"):  # in turns: other load affects all alike
        for name, script in scripts.items():
            wall, processor = _cost(script, home, folder, OFFLINE)
            walls[name], processors[name] = min(walls[name], wall), min(processors[name], processor)
    labels = {
        "imports": "a process that imports torch and transformers' BERT",
        "evaluate": "a process that imports evaluate",
        "name": 'a process that loads "union" and gives its first score',
        "folder": "the same by path",
    }
    return [
        (
            label,
            f"{walls[name]:.1f} s ({processors[name]:.1f} s of processor time)",
            f"{walls[name] / walls['imports']:.2f} ({processors[name] / processors['imports']:.2f})",
            "1.5" if name in ("name", "folder") else "",
        )
        for name, label in labels.items()
    ]


def network_rows(home: Path, folder: Path) -> Rows:
    """Seconds of each load with the offline flags, with a failing network and with a hanging one."""
    limit = float(os.environ.get("OPENMEVA_LOAD_LIMIT", "60"))
    measured: dict[str, list[str]] = {name: [] for name in LOADS}
    with _silent_proxy() as hanging:
        # loads that only wait may run in parallel
        networks = ((OFFLINE, 1), (_proxy(CLOSED), 1), (_proxy(hanging), len(LOADS)))
        for settings, workers in tqdm(networks, desc="networks"):
            measure = partial(_seconds, home=home, folder=folder, settings=settings, limit=limit)
            with ThreadPoolExecutor(workers) as pool:
                found = list(pool.map(measure, LOADS.values()))
            for name, seconds in zip(LOADS, found, strict=True):
                measured[name].append(f"{seconds:.2f}" if seconds < limit else f"over {limit:.0f}")
    return [
        (name, " / ".join(found) + " s", "offline / failing / hanging", "as accuracy")
        for name, found in measured.items()
    ]


def _seconds(
    load: tuple[str, str], home: Path, folder: Path, settings: dict[str, str], limit: float
) -> float:
    imports, action = load
    script = f"{imports}\nimport time\nstart = time.perf_counter()\n{action}\nprint('took', time.perf_counter() - start)"
    try:
        done = _run(script, home, folder, settings, limit + 60)
    except subprocess.TimeoutExpired:
        return limit
    return min(float(done.rpartition("took")[2]), limit)


def _cost(script: str, home: Path, folder: Path, settings: dict[str, str]) -> tuple[float, float]:
    """Wall-clock and processor seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _run(script, home, folder, settings, None)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(script: str, home: Path, folder: Path, settings: dict[str, str], limit: float | None) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.upper().startswith(("HF_", "NO_PROXY"))}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**environment, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1", **settings},
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{script.splitlines()[-2:]}: {done.stderr[-500:]}")
    return done.stdout


def _proxy(address: str) -> dict[str, str]:
    return {
        name: address
        for pair in (("http_proxy", "https_proxy"), ("HTTP_PROXY", "HTTPS_PROXY"))
        for name in pair
    }


@contextmanager
def _silent_proxy() -> Iterator[str]:
    """The address of a server that accepts connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(128)  # the system accepts; nothing reads
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
