"""Scores stories with every metric of the catalogue; metrics are loaded once, in the background."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from openmeva.metrics.core.text import split_sentences
from openmeva.spaces.catalogue import CORPORA, CatalogueEntry, Number, read_catalogue
from openmeva.spaces.distributions import Distributions, Placement, checkpoint_of

_LOG = logging.getLogger(__name__)
_WARM_UP = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."


@dataclass(frozen=True)
class Text:
    """A story to score.

    Attributes:
        story: as typed, with or without the beginning.
        context: the story's beginning (`roc`) or the prompt (`wp`), blank where not given.
        reference: a story to compare it with, blank where not given.
    """

    story: str
    context: str = ""
    reference: str = ""

    def whole(self, corpus: str) -> str:
        """What a reader of the story reads: in `roc` the context is its beginning."""
        return f"{self.context} {self.story}".strip() if corpus == "roc" else self.story


@dataclass(frozen=True)
class Score:
    """One number of one metric for one story.

    Attributes:
        metric: the metric's name in the catalogue.
        number: what it is.
        value: `None` where there is no score; `note` says why.
        placements: where it falls among reference stories.
    """

    metric: str
    number: Number
    value: float | None
    note: str = ""
    placements: tuple[Placement, ...] = ()


@dataclass
class _Loaded:
    module: Any
    checkpoint: str
    lock: threading.Lock = field(default_factory=threading.Lock)


class Scorer:
    """All metrics behind one call.

    Modules of evaluate keep state between calls, so that each is used by one thread at a time.

    Args:
        catalogue: the metrics; those of `metrics/` unless given.
        distributions: where scores fall; the shipped ones unless given.
        before: called in the background before the first metric is loaded, to fetch what they need.
        threads: of the processor for one call; PyTorch's own number unless given.
    """

    def __init__(
        self,
        catalogue: Mapping[str, CatalogueEntry] | None = None,
        distributions: Distributions | None = None,
        before: Callable[[], None] | None = None,
        threads: int | None = None,
    ) -> None:
        self._before, self._threads = before, threads
        self.catalogue = read_catalogue() if catalogue is None else catalogue
        self.distributions = distributions or Distributions()
        self._starting = threading.Lock()
        self._found: dict[tuple[str, str], Future[_Loaded]] = {
            (name, corpus): Future()
            for corpus in CORPORA
            for name, entry in self.catalogue.items()
            if corpus in entry.call.configs
        }
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Loads all metrics in the background, and warms them up; calling it again does nothing."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._load_all, name="metrics", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Returns when everything is loaded that can be."""
        self.start()
        for future in self._found.values():
            future.exception()

    def _load_all(self) -> None:
        if self._before is not None:
            self._before()
        if self._threads is not None:
            import torch  # slow to import, and the page need not wait for it

            torch.set_num_threads(self._threads)
        kept: dict[tuple[str, str], _Loaded] = {}
        for (name, corpus), future in self._found.items():
            config = self.catalogue[name].call.configs[corpus]
            try:
                if (name, config) not in kept:
                    kept[name, config] = self._load(name, config)
                future.set_result(kept[name, config])
            except Exception as error:  # one metric that cannot be loaded must not take the others along
                _LOG.warning("%s (%s) is not available: %s", name, config, error)
                future.set_exception(error)

    def _load(self, name: str, config: str) -> _Loaded:
        import evaluate  # slow to import, and the page need not wait for it

        entry = self.catalogue[name]
        module = evaluate.load(str(entry.call.folder), config)
        columns = {"predictions": [_WARM_UP]}
        columns |= {what: [_WARM_UP] for what in entry.call.inputs}
        module.compute(**columns, **entry.call.options)
        signature = getattr(module, "signature", None)
        return _Loaded(module, checkpoint_of(str(signature()) if callable(signature) else name))

    def checkpoint(self, name: str, corpus: str) -> str | None:
        """Which weights a metric scores with; `None` where it cannot be used."""
        self.start()
        future = self._found.get((name, corpus))
        return None if future is None or future.exception() else future.result().checkpoint

    def score(
        self, texts: Sequence[Text], corpus: str, only: Sequence[str] | None = None
    ) -> list[list[Score]]:
        """For each text the numbers of all metrics, in the catalogue's order.

        Args:
            texts: stories that passed `limits.check_text`.
            corpus: `roc` or `wp`, which decides the checkpoints and what a context is.
            only: names of metrics, all where not given.

        Raises:
            ValueError: another corpus.
        """
        self.start()
        rows: list[list[Score]] = [[] for _ in texts]
        for name, entry in self.catalogue.items():
            if only is not None and name not in only:
                continue
            for row, scores in zip(rows, self._scores(entry, texts, check_corpus(corpus)), strict=True):
                row += scores
        return rows

    def explain(self, text: Text, corpus: str) -> dict[str, dict[str, Any]]:
        """By metric, the explanations that say what each sentence costs (`sentences` with `gain`)."""
        self.start()
        found = {}
        for name, entry in self.catalogue.items():
            loaded = self._get(name, check_corpus(corpus)) if entry.explains else None
            if loaded is None or self._lacks(entry, loaded.module, text, corpus):
                continue
            columns = self._columns(entry, loaded.module, [text], corpus)
            with loaded.lock:
                result = loaded.module.compute(**columns, **{**entry.call.options, "explain": True})
            explanation = result["explanations"][0]
            if all("gain" in sentence for sentence in explanation["sentences"]):
                found[name] = explanation
        return found

    def _get(self, name: str, corpus: str) -> _Loaded | None:
        future = self._found.get((name, corpus))
        return None if future is None or future.exception() else future.result()

    def _scores(self, entry: CatalogueEntry, texts: Sequence[Text], corpus: str) -> list[list[Score]]:
        loaded = self._get(entry.name, corpus)
        if loaded is None:
            here = (entry.name, corpus) in self._found
            note = "The weights are not here." if here else "Not for stories of this kind."
            return [[Score(entry.name, number, None, note) for number in entry.numbers] for _ in texts]
        notes = [self._lacks(entry, loaded.module, text, corpus) for text in texts]
        rows = [text for text, note in zip(texts, notes, strict=True) if not note]
        results: dict[str, list[Any]] = {}
        if rows:
            columns = self._columns(entry, loaded.module, rows, corpus)
            try:
                with loaded.lock:
                    results = loaded.module.compute(**columns, **entry.call.options)
            except ValueError as error:
                if len(texts) > 1:  # one story in the way: the others get their scores
                    return [scores for text in texts for scores in self._scores(entry, [text], corpus)]
                _LOG.info("%s refused a story: %s", entry.name, error)
                notes = [f"{entry.title} could not read this story."]
        place = iter(range(len(rows)))
        found = []
        for note in notes:
            row = None if note else next(place)
            found.append(
                [self._number(entry, number, results, row, note, corpus, loaded) for number in entry.numbers]
            )
        return found

    def _number(
        self,
        entry: CatalogueEntry,
        number: Number,
        results: Mapping[str, Any],
        row: int | None,
        note: str,
        corpus: str,
        loaded: _Loaded,
    ) -> Score:
        if row is None:
            return Score(entry.name, number, None, note)
        value = float(results[number.key][row])
        if value != value or value in (float("inf"), float("-inf")):
            return Score(entry.name, number, None, f"{entry.title} has no score for this story.")
        placements = self.distributions.place(
            corpus, entry.name, number.key, value, number.higher, loaded.checkpoint
        )
        return Score(entry.name, number, value, "", tuple(placements))

    def _lacks(self, entry: CatalogueEntry, module: Any, text: Text, corpus: str) -> str:
        """What keeps a story from being scored, as a sentence; blank where nothing does."""
        required = getattr(module, "required", entry.call.inputs)
        if "references" in required and not text.reference:
            return "Needs a reference story to compare with."
        if "contexts" in required and corpus == "wp" and not text.context:
            return "Needs the prompt that the story was written to."
        if "contexts" in required and corpus == "roc" and len(split_sentences(text.whole(corpus))) < 2:
            return "Needs a story of two sentences or more."
        return ""

    def _columns(
        self, entry: CatalogueEntry, module: Any, texts: Sequence[Text], corpus: str
    ) -> dict[str, list[str]]:
        """What `compute` gets. In `roc`, a metric that needs the context apart gets the first sentence as it."""
        required = getattr(module, "required", entry.call.inputs)
        columns: dict[str, list[str]] = {}
        if "references" in entry.call.inputs and all(text.reference for text in texts):
            columns["references"] = [text.reference for text in texts]
        if "contexts" in required:
            pairs = [
                (text.context, text.story) if corpus == "wp" else _first_sentence(text.whole(corpus))
                for text in texts
            ]
            columns["contexts"] = [context for context, _ in pairs]
            columns["predictions"] = [story for _, story in pairs]
        elif entry.referenced:  # a reference stands against what was typed, not against the beginning too
            columns["predictions"] = [text.story for text in texts]
        else:
            columns["predictions"] = [text.whole(corpus) for text in texts]
        return columns


def check_corpus(corpus: str) -> str:
    """`corpus`, or a `ValueError` that names the two there are."""
    if corpus not in CORPORA:
        raise ValueError(f"The kind of story is one of {', '.join(CORPORA)}, not {str(corpus)[:20]!r}.")
    return corpus


def _first_sentence(story: str) -> tuple[str, str]:
    first, *rest = split_sentences(story)
    return first, " ".join(rest)
