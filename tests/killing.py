"""Kills a piece of work before any one of its changes to files, as `kill -9` does: nothing is cleaned up."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress

_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"}


def killed_before(change: int, work: Callable[[], object]) -> bool:
    """Runs `work` in a forked process that ends before its `change`th change of a file or folder, counted from 1.

    Returns:
        Whether it was ended; else it had come to its end.

    Raises:
        ChildProcessError: the work failed by itself.
    """
    child = os.fork()
    if child == 0:
        sys.addaudithook(_ending_at(change))
        with suppress(BaseException):
            work()
            os._exit(0)
        os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 1:
        raise ChildProcessError(f"the work failed before its change {change}")
    return code != 0


def _ending_at(change: int) -> Callable[[str, tuple[object, ...]], None]:
    done = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        flags = arguments[2] if event == "open" else 0
        written = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
        if written or event in _CHANGES:
            done += 1
            if done == change:
                os._exit(9)

    return hook
