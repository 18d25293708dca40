"""Tests of `tests/killing.py`: whether work was killed or finished."""

import os
import signal

import pytest

from tests.killing import killed_before, run_to_end


def end_by(number: int) -> None:
    os.kill(os.getpid(), number)


def test_killed_work_raises_error_in_run_to_end() -> None:
    with pytest.raises(ChildProcessError, match="expected it to come to its end"):
        run_to_end(lambda: end_by(signal.SIGKILL))
    run_to_end(lambda: None)


def test_end_by_another_signal_raises_error() -> None:
    with pytest.raises(ChildProcessError, match="by itself with -15, expected 0 or -9"):
        killed_before(1, lambda: end_by(signal.SIGTERM))
    assert not killed_before(1, lambda: None)
