"""Code shared by the evaluate modules of story metrics: input checks, optional columns, threads, progress, signature.

A mixin rather than a base class, because evaluate loads the first subclass of `EvaluationModule` that it finds.
"""

import hashlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from itertools import combinations
from types import MappingProxyType
from typing import Any

import datasets
from tqdm.auto import tqdm

from openmeva.metrics.core.inputs import check_lengths, check_options, check_reference_lists, check_texts
from openmeva.metrics.core.lock import ModuleLock
from openmeva.metrics.core.text_warnings import MIN_WORDS, USUAL_WORD_COUNTS, warnings_of
from openmeva.metrics.core.version import __version__

MODEL_LIBRARIES = ("torch", "transformers")
MAX_NAME_BYTES = 100  # bytes of a folder's name; file systems allow 255


def progress_bar(
    metric: str, show: bool, items: str = "texts", unit: str = "batch"
) -> Callable[[Iterable[Any], int], Iterable[Any]]:
    """A function that wraps batches in a progress bar; the bar appears after five seconds."""

    def progress(batches: Iterable[Any], count: int) -> Iterable[Any]:
        return tqdm(batches, desc=f"{metric}, {count} {items}", unit=unit, delay=5, disable=not show)

    return progress


def signature_of(metric: str, libraries: Sequence[str] = MODEL_LIBRARIES, **settings: Any) -> str:
    """What a score depends on, in one line: the settings and the versions of this project and of the libraries.

    >>> signature_of("overlap", (), bleu="smoothed").startswith("overlap|bleu:smoothed|version:")
    True
    """
    versions = {"version": __version__, **{name: version(name) for name in libraries}}
    return "|".join([metric, *(f"{name}:{value}" for name, value in (settings | versions).items())])


def encoder_part(settings: Mapping[str, Any]) -> dict[str, str]:
    """The part of a signature that names the encoder of an adapter with these settings; empty for other weights.

    >>> encoder_part({"encoder": {"sha256": "0123456789abcdef"}}), encoder_part({"max_length": 64})
    ({'encoder': '0123456789ab'}, {})
    """
    digest = (settings.get("encoder") or {}).get("sha256")
    return {"encoder": digest[:12]} if digest else {}


def signature_with(metric: Any, options: Mapping[str, Any]) -> str:
    """The signature of a metric's scores with some options of `compute`; irrelevant options are ignored."""
    parameters = inspect.signature(metric.signature).parameters
    signature: str = metric.signature(
        **{name: value for name, value in options.items() if name in parameters}
    )
    return signature


class StoryInputs:
    """Mixin for `evaluate.Metric`: `predictions` are stories; further columns are required or optional.

    In addition to what the module computes, a result has `warnings`: one per story, None or why its score may be
    meaningless (see `text_warnings`); they are about the texts of `_scored_texts`. Threads may share a module: `compute`,
    `add` and `add_batch` take turns.

    Attributes:
        required: columns that must be given, out of `contexts` and `references`.
        optional: columns that may be given.
        several_references: whether a row of `references` is a list of texts (a single text counts as a list of one).
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ("contexts",)
    several_references = False
    _encoder_part: Mapping[str, str] = MappingProxyType({})  # of the signature, see `encoder_part`

    features: Any
    selected_feature_format: Any
    writer: Any
    data: Any

    def __init__(self, config_name: Any = None, *args: Any, **kwargs: Any) -> None:
        self._lock = ModuleLock()
        self._options: dict[str, Any] = {}  # of the `compute` that is running
        self._warnings: list[str | None] = []
        name = None if config_name is None else str(config_name)  # may be the path of a folder
        super().__init__(name, *args, **kwargs)  # type: ignore[call-arg]

    def _build_data_dir(self) -> str:
        """evaluate's folder for added rows; a path as configuration gives it a name, but is not written to."""
        module: Any = self
        configuration = re.sub(r"[^\w.-]+", "-", module.config_name).strip("-.")
        name = configuration.encode()
        if len(name) > MAX_NAME_BYTES:
            end = name[-MAX_NAME_BYTES:].decode(errors="ignore")
            configuration = f"{end}-{hashlib.sha256(name).hexdigest()[:12]}"
        folder = os.path.join(module._data_dir_root, module.name, configuration)
        os.makedirs(folder, exist_ok=True)
        return folder

    @classmethod
    def feature_choices(cls) -> list[datasets.Features]:
        """`features` for the module's info: one for each subset of the optional columns, the empty subset first."""
        text = datasets.Value("string")
        kinds = {"contexts": text, "references": datasets.List(text) if cls.several_references else text}
        chosen = [c for n in range(len(cls.optional) + 1) for c in combinations(cls.optional, n)]
        return [
            datasets.Features(
                {"predictions": text, **{name: kinds[name] for name in (*cls.required, *names)}}
            )
            for names in chosen
        ]

    def compute(
        self, *, predictions: Any = None, contexts: Any = None, references: Any = None, **kwargs: Any
    ) -> Any:
        """Scores `predictions`, or the rows added before; see the module's `inputs_description`."""
        # an iterator can be read only once, but options are read by the check and by the computation
        kwargs = {name: list(v) if isinstance(v, Iterator) else v for name, v in kwargs.items()}
        self._check_options(kwargs)  # before anything is done: rows that were added before stay
        with self._lock:
            if predictions is None and self.writer is None:
                raise ValueError("predictions: expected at least one story, got none")
            if predictions is None and (contexts is not None or references is not None):
                column = "contexts" if references is None else "references"
                raise ValueError(
                    f"predictions: expected with {column}, got none; rows added before have their own"
                )
            # a rejected batch leaves the rows that were added before unchanged
            batch = None if predictions is None else self._check_batch(predictions, contexts, references)
            self._options = kwargs
            try:
                if batch is not None:
                    self._write(batch)
                result = super().compute(**kwargs)  # type: ignore[misc]
            except BaseException:
                self._discard_rows()
                raise
            finally:
                self._options = {}  # may contain a key
            module: Any = self
            module.filelocks = module.file_paths = None  # released locks, which cannot be copied or pickled
            return result if result is None else {**result, "warnings": self._warnings}

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Refuses options of `compute` that no rows could be scored with.

        Raises:
            ValueError: a value that is not allowed; on modules with a signature of precision, also no such device.
            TypeError: an option that the module does not have.
        """
        check_options(options)
        module: Any = self
        inspect.signature(module._compute).bind_partial(**options)
        if "dtype" in inspect.signature(module.signature).parameters:
            signature_with(module, options)

    def _finalize(self) -> None:
        super()._finalize()  # type: ignore[misc]
        if self.data is not None:  # in the process that computes the scores
            texts = self._scored_texts({name: self.data[name] for name in self.data.column_names})
            self._warnings = warnings_of(texts, *self._usual_word_count())

    def _scored_texts(self, columns: Mapping[str, Sequence[Any]]) -> Sequence[str]:
        """The text of each row that is scored as its story; here the prediction."""
        return columns["predictions"]

    def _usual_word_count(self) -> tuple[int, int | None]:
        """The least and greatest number of words of the stories that the module, or its configuration, is meant for."""
        corpus = getattr(self, "_revision", "").partition("@")[0].partition("_")[0]
        return USUAL_WORD_COUNTS.get(corpus, (MIN_WORDS, None))

    def add_batch(self, *, predictions: Any = None, contexts: Any = None, references: Any = None) -> None:
        """Adds stories, with the other columns that the module uses."""
        with self._lock:
            self._write(self._check_batch(predictions, contexts, references))

    def _check_batch(self, predictions: Any, contexts: Any, references: Any) -> dict[str, Any]:
        """The columns of a batch that the module uses, by name.

        Raises:
            ValueError: an invalid column or row, or columns other than those of the rows added before.
        """
        stories = check_texts(predictions, "predictions")
        if not stories:
            raise ValueError("predictions: expected at least one story, got none")
        batch: dict[str, Any] = {"predictions": stories}
        for name, values in (("contexts", contexts), ("references", references)):
            accepted = name in self.required or name in self.optional
            if name in self.required and values is None:
                raise ValueError(f"{name}: expected {len(stories)}, one per prediction, got none")
            if values is None or not accepted:  # evaluate.combine passes all columns to every metric
                continue
            if name == "references" and self.several_references:
                batch[name] = check_reference_lists(values)
            else:
                batch[name] = check_texts(
                    values, name, blank=name == "contexts" and name not in self.required
                )
            check_lengths(stories, batch[name], name)
        if self.writer is not None and set(batch) != set(self._feature_names()):
            changed = sorted(set(batch) ^ set(self._feature_names()))
            raise ValueError(
                f"{', '.join(changed)}: expected with every batch or with none; the rows added before are waiting for compute()"
            )
        return batch

    def _write(self, batch: dict[str, Any]) -> None:
        if self.writer is None:
            self.selected_feature_format = self._infer_feature_from_batch(batch)
        super().add_batch(**batch)  # type: ignore[misc]

    def add(
        self,
        *,
        prediction: Any = None,
        context: Any = None,
        reference: Any = None,
        predictions: Any = None,
        contexts: Any = None,
        references: Any = None,
    ) -> None:
        """Adds one story; `evaluate.combine` passes it by the plural names."""
        story, own_context, own_reference = (
            many if one is None else one
            for one, many in ((prediction, predictions), (context, contexts), (reference, references))
        )
        self.add_batch(
            predictions=[story],
            contexts=None if own_context is None else [own_context],
            references=None if own_reference is None else [own_reference],
        )

    def _feature_names(self) -> list[str]:
        if self.data is not None:  # while computing: evaluate has reset the format by then
            return list(self.data.column_names)
        if self.selected_feature_format:
            return list(self.selected_feature_format)
        # `evaluate.combine` passes the columns of these names; it always has references, possibly None
        return [*self._choices()[0], *(["references"] if "references" in self.optional else [])]

    def _choices(self) -> list[Any]:
        return self.features if isinstance(self.features, list) else [self.features]

    def _infer_feature_from_batch(self, batch: dict[str, Any]) -> Any:
        return next(choice for choice in self._choices() if set(choice) == set(batch))

    def _discard_rows(self) -> None:
        """Discards the rows of a failed computation, which evaluate would otherwise score with the next ones."""
        module: Any = self
        if module.writer is not None:
            with suppress(Exception):  # the disk may be full: the rows are discarded anyway
                module.writer.close()
        module.data = None
        # the files first: once a lock is released, another process may write its own rows to the same path
        for path in {module.cache_file_name, *(module.file_paths or [])}:
            if path:
                with suppress(OSError):
                    os.remove(path)
        for lock in [module.filelock, *(module.filelocks or [])]:
            if lock is not None:
                lock.release(force=True)
        module.writer = module.buf_writer = module.cache_file_name = module.filelock = None
        module.filelocks = module.file_paths = module.selected_feature_format = None
