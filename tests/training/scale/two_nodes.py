"""A run on a Ray cluster of two nodes on this machine, one of which is lost in the middle: `python -m … OUT CORES`."""

import sys
import time
from pathlib import Path
from threading import Thread

from ray.cluster_utils import Cluster

from openmeva.training.scale.engines import Engine
from tests.tiny_work import Counting
from tests.training.scale.test_runs import ROWS, counted

# a node that is lost is missed within seconds
HEAD = {
    "include_dashboard": False,
    "object_store_memory": 100 * 2**20,
    "_system_config": {
        "health_check_period_ms": 500,
        "health_check_timeout_ms": 2000,
        "health_check_failure_threshold": 3,
    },
}


def main(out: Path, cores: int) -> None:
    """Runs on two nodes; the first has `cores`, the second, which is lost when two parts are done, one."""
    cluster = Cluster(initialize_head=True, head_node_args=HEAD | {"num_cpus": cores})
    lost = cluster.add_node(num_cpus=1, object_store_memory=100 * 2**20)

    def lose() -> None:
        while len(list(out.glob("part-*.parquet"))) < 2:
            time.sleep(0.05)
        cluster.remove_node(lost, allow_graceful=False)

    Thread(target=lose, daemon=True).start()
    try:
        engine = Engine(address=cluster.address, actors=2)
        print(counted(ROWS, out, engine=engine, work=Counting(pause=1.0)))
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
