"""Engines that do the parts of a run: a loop in this process, or actors of Ray Data on this machine or a cluster."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.processes import cores
from openmeva.training.scale.worker import Done, PartWorker, Work

NAMES = ("plain", "ray")
OBJECTS = 100 * 2**20  # bytes of Ray's memory on this machine: what passes through it are numbers of parts
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_TQDM_PATCH_PRINT": "0",  # this process's print stays its own
    "RAY_worker_niceness": "0",  # Ray's is 15: beside any other work an actor would get next to nothing of a core
}
"""Of Ray, where it is started on this machine and the environment has no others."""
_HEARD = {"ray.data": logging.WARNING, "ray.data._internal.progress": logging.ERROR}


@dataclass(frozen=True)
class Engine:
    """Who does the work; it changes how long a run takes, and nothing of what it writes.

    Attributes:
        name: `plain`, a loop in this process, or `ray`.
        address: of a Ray cluster; None: Ray is started on this machine, and ended.
        actors: processes of Ray that work at the same time; None: one for every `cpus` there are.
        cpus: cores of each, and its threads.
        gpus: GPUs of each; a part of one where several share it.

    Raises:
        ValueError: another name, or options of Ray for the other engine.
    """

    name: str = "ray"
    address: str | None = None
    actors: int | None = None
    cpus: int = 1
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise ValueError(f"engine: expected {' or '.join(NAMES)}, got {self.name!r}")
        if self.name == "plain" and (self.address is not None or self.actors is not None or self.gpus):
            raise ValueError("address, actors and gpus are Ray's: expected engine ray beside them, got plain")

    def run(self, out: Path, work: Work, keep: bool, parts: Sequence[int]) -> Iterator[Done]:
        """Does parts, and says of each what became of it, in no order.

        Raises:
            ModuleNotFoundError: no Ray (it says how to get it).
            ValueError: a cluster without the cores or GPUs of an actor.
        """
        if self.name == "plain":
            worker = PartWorker(str(out), work, keep, self.cpus)
            yield from map(worker.make, parts)
        elif parts:
            with started(self) as ray:
                yield from self._by_actors(ray, out, work, keep, parts)

    def _by_actors(self, ray: Any, out: Path, work: Work, keep: bool, parts: Sequence[int]) -> Iterator[Done]:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        for name, level in _HEARD.items():
            logging.getLogger(name).setLevel(level)
        rows = ray.data.from_items([{"part": part} for part in parts], override_num_blocks=len(parts))
        done = rows.map_batches(
            PartWorker,
            fn_constructor_args=(str(out.resolve()), work, keep, self.cpus),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(
                size=self._count(ray.cluster_resources(), len(parts)), max_tasks_in_flight_per_actor=1
            ),
            num_cpus=self.cpus,
            num_gpus=self.gpus,
        )
        for row in done.iter_rows():
            yield Done(**row)

    def _count(self, resources: dict[str, float], parts: int) -> int:
        """Actors that the cluster has room for, and that have a part to do."""
        room = int(resources.get("CPU", 0) // self.cpus)
        if self.gpus:
            room = min(room, int(resources.get("GPU", 0) // self.gpus))
        if not room:
            raise ValueError(
                f"expected {self.cpus} cores and {self.gpus:g} GPUs for an actor, the cluster has "
                f"{resources.get('CPU', 0):g} and {resources.get('GPU', 0):g}"
            )
        return min(room, self.actors or room, parts)


@contextmanager
def started(engine: Engine) -> Iterator[Any]:
    """Ray: the one that runs already, a cluster's, or one that is started on this machine and ended, its files removed."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("ray is needed: pip install '.[scale]' in the clone", name="ray") from error
    if ray.is_initialized():
        yield ray
        return
    folder, address = None, engine.address or os.environ.get("RAY_ADDRESS")  # set in each job of a cluster
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address is not None:
            ray.init(address, **quiet)
        else:
            # its sockets lie there, whose paths may be short alone
            folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp" if os.path.isdir("/tmp") else None)
            ray.init(
                num_cpus=(engine.actors or max(1, cores() // engine.cpus)) * engine.cpus,
                include_dashboard=False,
                object_store_memory=OBJECTS,
                _temp_dir=folder,
                **quiet,
            )
        yield ray
    except ConnectionError as error:
        raise ValueError(f"{address}: expected the address of a Ray cluster ({error})") from error
    finally:
        ray.shutdown()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
