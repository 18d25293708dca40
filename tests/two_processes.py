"""Runs a function in two processes that work together, as those that `accelerate launch` starts."""

import os
import socket
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import Any

import torch

from openmeva.training import processes


def run_in_two_processes(function: Callable[..., None], *arguments: Any) -> None:
    """Runs a module's `function(*arguments)` in each of two processes that have joined.

    Raises:
        ChildProcessError: the function failed in one of them; the other is then ended.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # forked, a process need not import torch anew; with CUDA it has to
    context = get_context("spawn" if torch.cuda.is_available() else "fork")
    workers = [
        context.Process(target=_run_as_rank, args=(rank, port, function, arguments), daemon=True)
        for rank in (0, 1)
    ]
    for process in workers:
        process.start()
    running = workers
    while running:  # where one fails, the other would wait for it
        wait([process.sentinel for process in running])
        running = [process for process in running if process.is_alive()]
        if any(process.exitcode for process in workers):
            for process in running:
                process.kill()
    if any(codes := [process.exitcode for process in workers]):
        raise ChildProcessError(f"{function.__name__}: exit statuses {codes}")


def _run_as_rank(rank: int, port: int, function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    torch.set_num_threads(1)
    variables = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": 2,
        "LOCAL_WORLD_SIZE": 2,
        "MASTER_PORT": port,
    }
    os.environ.update({name: str(value) for name, value in variables.items()} | {"MASTER_ADDR": "127.0.0.1"})
    processes.join()
    function(*arguments)
