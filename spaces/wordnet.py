"""Fetches WordNet when a Space starts: METEOR and the perturbations need it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.wordnet_files import fetch_wordnet

_FETCH_LOCK = threading.Lock()  # the lab and its scorer both start with fetching WordNet
_RETRY_LOCK = threading.Lock()  # held by the thread that retries
_FIRST, _LONGEST = 60, 3600  # seconds between attempts
_LOG = logging.getLogger(__name__)


def fetch_or_retry(sleep: Callable[[float], object] = time.sleep) -> None:
    """Fetches WordNet where it is missing and registers it with NLTK; metrics and aspects that need it report its absence.

    After a failure it is tried again in the background until it succeeds: after one minute, then after pauses that double
    up to one hour.

    Args:
        sleep: waits for a number of seconds.
    """
    if not _is_fetched() and _RETRY_LOCK.acquire(blocking=False):
        threading.Thread(target=_retry, args=(sleep,), name="wordnet", daemon=True).start()


def _is_fetched() -> bool:
    try:
        with _FETCH_LOCK:
            fetch_wordnet(resources.nltk_data_folder())
            resources.use_with_nltk()
    except (
        Exception
    ) as error:  # whatever it is, a Space runs without WordNet, and the next attempt may succeed
        _LOG.warning("WordNet could not be fetched: %s: %s", type(error).__name__, error)
        return False
    return True


def _retry(sleep: Callable[[float], object]) -> None:
    pause = _FIRST
    try:
        sleep(pause)
        while not _is_fetched():
            pause = min(2 * pause, _LONGEST)
            sleep(pause)
    finally:
        _RETRY_LOCK.release()
