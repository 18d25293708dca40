"""Runs on a Ray cluster of two nodes on this machine, one of which is lost in each: `python -m … FOLDER CORES RUNS`."""

import os
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
from ray.cluster_utils import Cluster

from openmeva.training.scale.engines import OBJECTS, SETTINGS, Engine
from tests.tiny.work import Counting
from tests.training.scale.test_runs import ROWS, counted

MEMORY = {"object_store_memory": OBJECTS}
# a node that is lost is missed within seconds
HEAD = {
    "include_dashboard": False,
    "_system_config": {
        "health_check_period_ms": 500,
        "health_check_timeout_ms": 2000,
        "health_check_failure_threshold": 3,
    },
}
PAUSE = 0.5  # seconds that a part takes at least


def main(folder: Path, cores: int, runs: int) -> None:
    """Each run has two nodes, the first with `cores`; the second, with one, is killed at a random moment."""
    os.environ.update(SETTINGS)
    cluster = Cluster(initialize_head=True, head_node_args=HEAD | MEMORY | {"num_cpus": cores})
    rng = np.random.default_rng(22)
    try:
        for number in range(runs):
            out, lost = folder / str(number), cluster.add_node(num_cpus=1, **MEMORY)
            parts, seconds = int(rng.integers(0, 5)), float(rng.uniform(0, PAUSE))

            def lose() -> None:
                while len(list(out.glob("part-*.parquet"))) < parts:  # noqa: B023 - ends with the run
                    time.sleep(0.02)
                time.sleep(seconds)  # noqa: B023
                cluster.remove_node(lost, allow_graceful=False)  # noqa: B023

            losing = Thread(target=lose, daemon=True)
            losing.start()
            engine = Engine(address=cluster.address, actors=2)
            print(parts, counted(ROWS, out, engine=engine, work=Counting(pause=PAUSE)), flush=True)
            losing.join()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
