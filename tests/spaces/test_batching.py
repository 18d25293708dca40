"""Many users at once: batches, priorities, and the cache."""

import hashlib
import threading
from collections.abc import Sequence

import pytest

from openmeva.spaces.batching import Batcher, BatchFunction, ResultCache

PATIENCE = 60.0


class Gate:
    """Work that waits until it is released, and records its items."""

    def __init__(self) -> None:
        self.open, self.begun = threading.Event(), threading.Event()
        self.seen: list[list[str]] = []

    def __call__(self, items: list[str]) -> Sequence[str]:
        self.seen.append(items)
        self.begun.set()
        assert self.open.wait(PATIENCE)
        return [item.upper() for item in items]


def test_waiting_requests_are_batched_in_order_of_priority() -> None:
    gate, batcher = Gate(), Batcher(1)
    score, explain = BatchFunction("score", gate, 3), BatchFunction("explain", gate, 3)
    (first,) = batcher.submit(score, ["a"])
    assert gate.begun.wait(PATIENCE)
    later = [
        *batcher.submit(explain, ["later"], due=2),
        *batcher.submit(score, ["b", "c"], due=1),
        *batcher.submit(explain, ["urgent"], due=0),
        *batcher.submit(score, ["d", "e"], due=1),
    ]
    assert batcher.waiting == len(later)
    gate.open.set()
    assert first.result(PATIENCE) == "A"
    assert [future.result(PATIENCE) for future in later] == ["LATER", "B", "C", "URGENT", "D", "E"]
    assert gate.seen == [["a"], ["urgent", "later"], ["b", "c", "d"], ["e"]]


def test_failure_is_raised_to_its_callers_and_batcher_continues() -> None:
    def broken(_: list[str]) -> Sequence[str]:
        raise KeyError("gone")

    batcher = Batcher(1)
    for future in batcher.submit(BatchFunction("broken", broken, 8), ["a", "b"]):
        with pytest.raises(KeyError, match="gone"):
            future.result(PATIENCE)
    assert batcher.submit(BatchFunction("sound", list, 8), ["c"])[0].result(PATIENCE) == "c"


def test_cache_keeps_recent_results_and_no_text() -> None:
    cache: ResultCache[float] = ResultCache(2)
    digests = [cache.digest("union", "roc", {"predictions": f"My secret {n}."}) for n in range(3)]
    for digest, value in zip(digests, (0.1, 0.2, 0.3), strict=True):
        assert cache.get(digest) is None
        cache.put(digest, value)
        cache.get(digests[0])  # used, so that another is dropped
    assert [cache.get(digest) for digest in digests] == [0.1, None, 0.3]
    assert "secret" not in repr(vars(cache))
    assert len(set(digests)) == 3


def test_cache_digests_are_keyed_by_a_secret_of_the_process() -> None:
    parts = ("union", "roc", "He ran.")
    own = ResultCache.digest(*parts)
    assert own == ResultCache.digest(*parts)
    assert own != hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()
