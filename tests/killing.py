"""Ends work early: as by `kill -9` in a forked process, so that nothing is cleaned up and imports run only once, or a
training by an interruption in this process."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
Work = Callable[[], object]
EVERY = int(os.environ.get("KILL_EVERY", "15"))  # step between tested changes; `make faults` tests each


def killed_before(change: int, work: Work) -> bool:
    """Runs `work` in a forked process that ends before its `change`th change of a file or folder, counted from 1.

    Returns:
        Whether it was killed; else it had finished.

    Raises:
        ChildProcessError: the work failed by itself.
    """
    return _was_killed(_forked(work, change))


def killed_after(seconds: float, work: Work) -> bool:
    """As `killed_before`, but killed after a time."""
    child = _forked(work)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return _was_killed(child)


def run_to_end(work: Work) -> None:
    """Runs `work` in a forked process to its end; raises as `killed_before`, also if it was killed."""
    _check_finished(_forked(work))


def count_changes(work: Work, note: Path) -> int:
    """Runs `work` as `run_to_end` does and counts its changes of files and folders; `note` is a file to count in."""

    def counted() -> None:
        work()
        note.write_text(str(_done))

    _check_finished(_forked(counted, sys.maxsize))
    return int(note.read_text())


@contextmanager
def interrupt_at_call(trainer: type[Any], method: str, call: int) -> Iterator[None]:
    """Interrupts the `call`th call, counted from 1, of a trainer's method; the work must get that far."""
    original, calls = getattr(trainer, method), 0

    def interrupted(self: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return original(self, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            yield


def _forked(work: Work, change: int | None = None) -> int:
    child = os.fork()
    if child:
        return child
    try:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
        if change is not None:
            sys.addaudithook(_killer_at(change))
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        os._exit(1)


def _was_killed(child: int) -> bool:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code not in (0, -signal.SIGKILL):
        raise ChildProcessError(
            f"the work failed by itself with {code}, expected 0 or {-signal.SIGKILL}; its error is above"
        )
    return code != 0


def _check_finished(child: int) -> None:
    if _was_killed(child):
        raise ChildProcessError("the work was killed, expected it to come to its end")


_done = 0


def _killer_at(change: int) -> Callable[[str, tuple[object, ...]], None]:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        global _done
        flags = arguments[2] if event == "open" else 0
        written = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
        if written or event in _CHANGES:
            _done += 1
            if _done == change:
                os.kill(os.getpid(), signal.SIGKILL)

    return hook
