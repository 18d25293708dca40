"""Random draws that the metrics of one table have in common, made once.

Each metric of a table begins with a generator of the same seed, so that it draws what the metric before it drew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

Made = TypeVar("Made")

_kept: ContextVar[dict[Any, tuple[Any, Any]] | None] = ContextVar("kept", default=None)


@contextmanager
def common_draws() -> Iterator[None]:
    """Within it `drawn` keeps what it makes."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def drawn(make: Callable[..., Made], *given: np.ndarray | int, rng: np.random.Generator) -> Made:
    """`make(*given, rng)`; within `common_draws` made once for equal arguments and an equal state of the generator.

    The generator is left as if it had been made anew. What is returned is shared: it must not be changed.

    >>> with common_draws():
    ...     one, two = (drawn(np.random.Generator.random, rng=np.random.default_rng(0)) for _ in range(2))
    >>> one == two
    True
    """
    kept = _kept.get()
    if kept is None:
        return make(*given, rng)
    key = (make, *map(_key, given), str(rng.bit_generator.state))
    if key not in kept:
        kept[key] = make(*given, rng), rng.bit_generator.state
    made, rng.bit_generator.state = kept[key]
    return made


def _key(one: np.ndarray | int) -> Any:
    return (one.dtype.str, one.shape, one.tobytes()) if isinstance(one, np.ndarray) else one
