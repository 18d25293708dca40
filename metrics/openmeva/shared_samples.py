"""Shares random draws between the metrics of one table, so that they are made once.

Each metric of a table starts with a generator of the same seed, so it would repeat the draws of the previous metric.
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
def share_random_samples() -> Iterator[None]:
    """Context manager in which `cached_sample` caches its results."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def cached_sample(make: Callable[..., Made], *arguments: np.ndarray | int, rng: np.random.Generator) -> Made:
    """`make(*arguments, rng)`; in `share_random_samples`, cached by the arguments and the generator's state.

    A cached result leaves the generator in the same state as a new one. Results are shared: do not modify them.

    >>> with share_random_samples():
    ...     one, two = (cached_sample(np.random.Generator.random, rng=np.random.default_rng(0)) for _ in range(2))
    >>> one == two
    True
    """
    cache = _kept.get()
    if cache is None:
        return make(*arguments, rng)
    key = (make, *map(_key, arguments), str(rng.bit_generator.state))
    if key not in cache:
        cache[key] = make(*arguments, rng), rng.bit_generator.state
    sample, rng.bit_generator.state = cache[key]
    return sample


def _key(argument: np.ndarray | int) -> Any:
    return (
        (argument.dtype.str, argument.shape, argument.tobytes())
        if isinstance(argument, np.ndarray)
        else argument
    )
