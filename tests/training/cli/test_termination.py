"""A command that is ended by SIGTERM removes its temporary files and ends its worker processes."""

import signal
import subprocess
import sys
from pathlib import Path

from openmeva.training.cli.running import cleaning_up_on_sigterm
from openmeva.training.common.errors import TERMINATED
from openmeva.training.paths import ROOT
from openmeva.training.processes import map_in_processes

_SCRIPT = """
import os, signal, sys, time
from openmeva.metrics.core.files import atomic_replace
from openmeva.training.cli import app as cli
from openmeva.training.processes import map_in_processes

def work():
    with atomic_replace(sys.argv[1]) as temporary:
        temporary.touch()
        with map_in_processes(time.sleep, [0, 600], 1, method="fork") as done:
            next(done)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(600)

cli.app = work
cli.main()
"""


def test_command_ended_by_sigterm_cleans_up(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-c", _SCRIPT, tmp_path / "out.jsonl"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (process.returncode, process.stderr) == (TERMINATED, "")
    assert list(tmp_path.iterdir()) == []


def test_handler_goes_with_the_command() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with cleaning_up_on_sigterm():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def has_no_handler(number: int) -> bool:
    return signal.getsignal(number) is signal.SIG_DFL


def test_forked_workers_have_no_handler() -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with map_in_processes(has_no_handler, [signal.SIGTERM], 1, method="fork") as found:
            assert list(found) == [True]
    finally:
        signal.signal(signal.SIGTERM, before)
