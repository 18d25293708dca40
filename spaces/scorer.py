"""Scores stories with every metric of the catalogue; metrics are loaded once, in the background.

Requests of several threads are computed in batches (`batching`); scores are cached.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.text import split_sentences
from openmeva.spaces.batching import Batcher, BatchFunction, ResultCache
from openmeva.spaces.catalogue import CORPORA, CatalogueEntry, Number, read_catalogue
from openmeva.spaces.distributions import Distributions, PercentileRank, checkpoint_of
from openmeva.spaces.limits import (
    BUSY_QUEUE_LENGTH,
    EXPLAIN_BATCH_SIZE,
    MAX_BATCHED_SENTENCES,
    MAX_CACHED_SCORES,
    MAX_CACHED_SHAPES,
    SCORE_BATCH_SIZE,
    SCORING_THREADS,
)
from openmeva.spaces.loaded_metric import LoadedMetric, Row, available_options, why_not_loaded
from openmeva.spaces.texts import Text, check_corpus, inputs_of_text, missing_input

_LOG = logging.getLogger(__name__)
_WARM_UP = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."


@dataclass(frozen=True)
class Score:
    """One number of one metric for one story.

    Attributes:
        metric: the metric's name in the catalogue.
        number: description of the number: title, key, range and direction.
        value: `None` where there is no score; `note` says why.
        percentile_ranks: its percentile in each group of reference stories.
    """

    metric: str
    number: Number
    value: float | None
    note: str = ""
    percentile_ranks: tuple[PercentileRank, ...] = ()


class Patience(IntEnum):
    """Deadlines in seconds after a request. Under load, the earliest deadline is served first."""

    VERDICT = 0
    REASONS = 1
    MORE = 5
    FILE = 30

    def since(self, asked: float | None = None) -> float:
        """The deadline of a request made at `asked` (a time of `time.monotonic`; default: now)."""
        return self + (time.monotonic() if asked is None else asked)


class Scorer:
    """All metrics behind one call.

    Args:
        catalogue: the metrics; default: those of `metrics/`.
        distributions: reference distributions of scores; default: the shipped ones.
        fetch_resources: called in a thread of its own; metrics look for these resources when scoring.
        threads: processor threads of one call; default: PyTorch's own number.
    """

    def __init__(
        self,
        catalogue: Mapping[str, CatalogueEntry] | None = None,
        distributions: Distributions | None = None,
        fetch_resources: Callable[[], None] | None = None,
        threads: int | None = None,
    ) -> None:
        self._fetch_resources, self._threads = fetch_resources, threads
        self._batcher = Batcher(SCORING_THREADS)
        self._cache: ResultCache[dict[str, Any]] = ResultCache(MAX_CACHED_SCORES)
        self.catalogue = read_catalogue() if catalogue is None else catalogue
        self.distributions = distributions or Distributions()
        self._starting = threading.Lock()
        self._metrics: dict[tuple[str, str], Future[LoadedMetric]] = {
            (name, corpus): Future()
            for corpus in CORPORA
            for name, entry in self.catalogue.items()
            if corpus in entry.call.configs
        }
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Loads and warms up all metrics in the background; calling it again does nothing."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._load_all, name="metrics", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Returns when all metrics are loaded or have failed to load."""
        self.start()
        wait(self._metrics.values())

    def _load_all(self) -> None:
        # PyTorch compiles code for each new matrix shape and caches it. These variables bound its two caches: batches
        # hardly ever have the same shape.
        for name in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
            os.environ.setdefault(name, str(MAX_CACHED_SHAPES))
        if self._threads is not None:
            import torch  # slow to import; the page does not wait for it

            torch.set_num_threads(self._threads)
        self._load_each([key for key in self._metrics if key[0] == DEFAULT_METRIC])
        if self._fetch_resources is not None:
            threading.Thread(target=_fetch, args=(self._fetch_resources,), daemon=True).start()
        self._load_each([key for key in self._metrics if key[0] != DEFAULT_METRIC])

    def _load_each(self, keys: Sequence[tuple[str, str]]) -> None:
        loaded: dict[tuple[str, str], LoadedMetric] = {}
        for name, corpus in keys:
            future = self._metrics[name, corpus]
            config = self.catalogue[name].call.configs[corpus]
            try:
                if (name, config) not in loaded:
                    loaded[name, config] = self._load(name, config)
                future.set_result(loaded[name, config])
            except Exception as error:  # one metric that cannot be loaded must not stop the others
                _LOG.warning("%s (%s) is not available: %s", name, config, error)
                future.set_exception(error)

    def _load(self, name: str, config: str) -> LoadedMetric:
        import evaluate  # slow to import; the page does not wait for it

        entry = self.catalogue[name]
        # the default metric does most of the work: one copy per thread
        copies = SCORING_THREADS if name == DEFAULT_METRIC else 1
        # in memory: no text is written to disk, and no copy waits for another one's file
        modules = [evaluate.load(str(entry.call.folder), config, keep_in_memory=True) for _ in range(copies)]
        rows = {column: [_WARM_UP] for column in ("predictions", *entry.call.inputs)}
        for module in modules:
            module.compute(**rows, **available_options(entry, module))
        signature = getattr(modules[0], "signature", None)
        return LoadedMetric(entry, modules, checkpoint_of(str(signature()) if callable(signature) else name))

    @property
    def is_busy(self) -> bool:
        """Whether the load is so high that work that is not urgent should be postponed."""
        return self._batcher.waiting > BUSY_QUEUE_LENGTH

    def checkpoint(self, name: str, corpus: str) -> str | None:
        """Name of the weights that a metric scores with; `None` where it cannot be used."""
        self.start()
        loaded = self._get(name, corpus)
        return None if loaded is None else loaded.checkpoint

    def score(
        self,
        texts: Sequence[Text],
        corpus: str,
        only: Sequence[str] | None = None,
        due: float | None = None,
    ) -> list[list[Score]]:
        """The numbers of all metrics for each text, in the catalogue's order.

        Args:
            texts: stories that passed `limits.check_text`.
            corpus: `roc` or `wp`; it decides which checkpoints are used and what a context is.
            only: names of metrics; default: all.
            due: deadline, from `Patience`.

        Raises:
            ValueError: unknown corpus.
        """
        self.start()
        check_corpus(corpus)
        due = Patience.MORE.since() if due is None else due
        chosen = [entry for name, entry in self.catalogue.items() if only is None or name in only]
        pending = [self._submit(entry, texts, corpus, due) for entry in chosen]
        return [
            [
                score
                for entry, row in zip(chosen, pending, strict=True)
                for score in self._collect(entry, row[index], corpus)
            ]
            for index in range(len(texts))
        ]

    def explain(
        self, text: Text, corpus: str, only: Sequence[str] | None = None, due: float | None = None
    ) -> dict[str, dict[str, Any]]:
        """The explanations of the metrics that have them, by metric; arguments as in `score`.

        The cost of each sentence (`gain`) is in the explanation of the recommended metric only.

        Raises:
            ValueError: unknown corpus, or a metric rejects the story.
        """
        self.start()
        due = Patience.REASONS.since() if due is None else due
        pending = {}
        for name, entry in self.catalogue.items():
            selected = entry.explains and (only is None or name in only)
            loaded = self._get(name, check_corpus(corpus)) if selected else None
            if loaded is None or missing_input(entry, loaded.module, text, corpus):
                continue
            row = inputs_of_text(entry, loaded.module, text, corpus)
            alone = len(split_sentences(row["predictions"])) > MAX_BATCHED_SENTENCES
            key = (name, corpus, "explain alone" if alone else "explain", *row)
            work = BatchFunction(key, loaded.explanations, 1 if alone else EXPLAIN_BATCH_SIZE)
            (pending[name],) = self._batcher.submit(work, [row], due)
        return {name: _result(future.result()) for name, future in pending.items()}

    def _get(self, name: str, corpus: str) -> LoadedMetric | None:
        future = self._metrics.get((name, corpus))
        return None if future is None or future.exception() else future.result()

    def _submit(
        self, entry: CatalogueEntry, texts: Sequence[Text], corpus: str, due: float
    ) -> list[str | Future[Any]]:
        """For each text a future of the metric's numbers by key, or a sentence that says why there are none."""
        loaded = self._get(entry.name, corpus)
        if loaded is None:
            future = self._metrics.get((entry.name, corpus))
            failed = None if future is None else future.exception()
            reason = "Not for stories of this kind." if failed is None else why_not_loaded(failed)
            return [reason] * len(texts)
        pending: list[str | Future[Any]] = [missing_input(entry, loaded.module, t, corpus) for t in texts]
        new: dict[BatchFunction, list[tuple[int, bytes, Row]]] = {}
        for index, text in enumerate(texts):
            if pending[index]:
                continue
            row = inputs_of_text(entry, loaded.module, text, corpus)
            digest = self._cache.digest(entry.name, corpus, row)
            cached = self._cache.get(digest)
            if cached is None:
                work = BatchFunction((entry.name, corpus, "score", *row), loaded.scores, SCORE_BATCH_SIZE)
                new.setdefault(work, []).append((index, digest, row))
            else:
                completed: Future[Any] = Future()
                pending[index] = completed
                completed.set_result(cached)
        for work, rows in new.items():
            results = self._batcher.submit(work, [row for _, _, row in rows], due)
            for (index, digest, _), result in zip(rows, results, strict=True):
                result.add_done_callback(partial(self._cache_result, digest))
                pending[index] = result
        return pending

    def _cache_result(self, digest: bytes, result: Future[Any]) -> None:
        values = None if result.exception() else result.result()
        if isinstance(values, dict) and not any(isinstance(value, str) for value in values.values()):
            self._cache.put(digest, values)  # a missing score is not cached: it may be available later

    def _collect(self, entry: CatalogueEntry, pending: str | Future[Any], corpus: str) -> list[Score]:
        """A metric's numbers; waits until they are available."""
        if isinstance(pending, str):
            return [Score(entry.name, number, None, pending) for number in entry.numbers]
        try:
            values = _result(pending.result())
        except ValueError as error:
            _LOG.info("%s refused a story: %s", entry.name, type(error).__name__)
            note = f"{entry.title} could not read this story."
            return [Score(entry.name, number, None, note) for number in entry.numbers]
        return [self._number(entry, number, values[number.key], corpus) for number in entry.numbers]

    def _number(self, entry: CatalogueEntry, number: Number, value: float | str, corpus: str) -> Score:
        if isinstance(value, str):
            return Score(entry.name, number, None, value)
        if not math.isfinite(value):
            return Score(entry.name, number, None, f"{entry.title} has no score for this story.")
        checkpoint = self._metrics[entry.name, corpus].result().checkpoint
        ranks = self.distributions.percentile_ranks(
            corpus, entry.name, number.key, value, number.higher, checkpoint
        )
        return Score(entry.name, number, value, "", tuple(ranks))


def _fetch(fetch: Callable[[], None]) -> None:
    try:
        fetch()
    except Exception as error:  # the metrics that need the resource report that it is missing
        _LOG.warning("a resource that some metrics need was not fetched: %s: %s", type(error).__name__, error)


def _result(result: Any) -> Any:
    """The result of a row; raises it if it is an error."""
    if isinstance(result, ValueError):
        raise result
    return result
