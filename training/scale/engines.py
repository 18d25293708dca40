"""Engines that process the parts of a run: a loop in this process, or Ray Data actors on this machine or a cluster."""

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
from openmeva.training.scale.worker import PartResult, PartWorker, Work

NAMES = ("plain", "ray")
OBJECTS = 100 * 2**20  # bytes of Ray's object store on this machine: only part numbers pass through it
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_TQDM_PATCH_PRINT": "0",  # do not patch print in this process
    "RAY_worker_niceness": "0",  # Ray's default is 15: next to other work, an actor would get almost no processor time
}
"""Ray settings, if it is started on this machine and the environment does not set them."""
_LOG_LEVELS = {"ray.data": logging.WARNING, "ray.data._internal.progress": logging.ERROR}


@dataclass(frozen=True)
class Engine:
    """The engine of a run; affects its duration, but not its output.

    Attributes:
        name: `plain`, a loop in this process, or `ray`.
        address: address of a Ray cluster; None: Ray is started on this machine, and stopped afterwards.
        actors: number of parallel Ray actors; None: as many as fit with `cpus` cores each.
        cpus: cores and threads per actor.
        gpus: GPUs per actor; a fraction if several share one.

    Raises:
        ValueError: unknown name, or Ray's options with the other engine.
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
            raise ValueError("address, actors and gpus: expected with engine ray, got plain")

    def run(self, out: Path, work: Work, keep: bool, parts: Sequence[int]) -> Iterator[PartResult]:
        """Processes parts and yields their outcomes, in any order.

        Raises:
            ModuleNotFoundError: Ray is not installed; the message says how to install it.
            ValueError: the cluster lacks the cores or GPUs for one actor.
        """
        if self.name == "plain":
            worker = PartWorker(str(out), work, keep, self.cpus)
            yield from map(worker.make, parts)
        elif parts:
            with ray_session(self) as ray:
                yield from self._by_actors(ray, out, work, keep, parts)

    def _by_actors(
        self, ray: Any, out: Path, work: Work, keep: bool, parts: Sequence[int]
    ) -> Iterator[PartResult]:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        for name, level in _LOG_LEVELS.items():
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
            yield PartResult(**row)

    def _count(self, resources: dict[str, float], parts: int) -> int:
        """Number of actors: limited by the cluster's resources and by the number of parts."""
        room = int(resources.get("CPU", 0) // self.cpus)
        if self.gpus:  # 1 // .2 is 4
            room = min(room, int(resources.get("GPU", 0) / self.gpus + 1e-9))
        if not room:
            raise ValueError(
                f"expected {self.cpus} cores and {self.gpus:g} GPUs for an actor, the cluster has "
                f"{resources.get('CPU', 0):g} and {resources.get('GPU', 0):g}"
            )
        return min(room, self.actors or room, parts)


@contextmanager
def ray_session(engine: Engine) -> Iterator[Any]:
    """Yields Ray: already running, of a cluster, or started on this machine, then stopped and cleaned up."""
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
            # contains Ray's sockets, whose paths must be short
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
