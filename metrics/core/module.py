"""What the story metrics share as evaluate modules: checked input, optional columns, progress, signature.

A mixin rather than a base class, since evaluate takes the first subclass of `EvaluationModule` that it finds.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import combinations
from typing import Any

import datasets
from tqdm.auto import tqdm

from openmeva.metrics.core.version import __version__

MODEL_LIBRARIES = ("torch", "transformers")


def check_texts(texts: Any, what: str, blank: bool = False) -> list[str]:
    """`texts` as a list of strings that Arrow can hold (lone surrogates replaced).

    Raises:
        ValueError: not a list, a row that is not a string, or, unless `blank`, one without a character to
            read (the row is named).
    """
    if isinstance(texts, str) or not hasattr(texts, "__iter__"):
        raise ValueError(f"{what}: expected a list of strings, got {type(texts).__name__}")
    rows = list(texts)
    for row, text in enumerate(rows):
        if not isinstance(text, str):
            raise ValueError(f"{what}, row {row}: expected a string, got {type(text).__name__} ({text!r})")
        if not blank and not text.strip():
            raise ValueError(f"{what}, row {row}: expected a text, got a blank one")
    return [text.encode("utf-8", "replace").decode() for text in rows]


def check_reference_lists(references: Any) -> list[list[str]]:
    """References as one list of texts a row; a row that is a string counts as a list of one.

    Raises:
        ValueError: not a list, a row without a reference, or a reference that is blank or no string (the row
            is named).
    """
    if isinstance(references, str) or not hasattr(references, "__iter__"):
        raise ValueError(f"references: expected a list, got {type(references).__name__}")
    rows = []
    for row, texts in enumerate(references):
        several = [texts] if isinstance(texts, str) or not hasattr(texts, "__iter__") else list(texts)
        if not several:
            raise ValueError(f"references, row {row}: expected at least one reference, got none")
        for text in several:
            if not isinstance(text, str):
                raise ValueError(
                    f"references, row {row}: expected a string or a list of strings, "
                    f"got {type(text).__name__} ({text!r})"
                )
        if not all(text.strip() for text in several):
            raise ValueError(f"references, row {row}: expected a text, got a blank one")
        rows.append(check_texts(several, f"references, row {row}"))
    return rows


def check_lengths(predictions: Sequence[str], others: Sequence[Any], what: str) -> None:
    """Raises a `ValueError` unless there is one of `others` for each prediction."""
    if len(predictions) != len(others):
        raise ValueError(f"{what}: expected {len(predictions)}, one a prediction, got {len(others)}")


def check_batch_size(batch_size: Any) -> None:
    """Raises a `ValueError` unless `batch_size` is a whole number above 0."""
    if not isinstance(batch_size, int) or batch_size < 1:
        raise ValueError(f"batch_size: expected a whole number above 0, got {batch_size!r}")


def chosen_names(asked: Any, known: Sequence[str]) -> list[str]:
    """The scores that are asked for, one name or several; all where None.

    Raises:
        ValueError: none, or a name that is not known.
    """
    chosen = list(known) if asked is None else [asked] if isinstance(asked, str) else list(asked)
    if not chosen or not set(chosen) <= set(known):
        raise ValueError(f"scores: expected some of {', '.join(known)}, got {asked!r}")
    return chosen


def progress_bar(
    metric: str, show: bool, counted: str = "texts", unit: str = "batch"
) -> Callable[[Iterable[Any], int], Iterable[Any]]:
    """A function that shows how far the batches of so many texts are; it appears after five seconds."""

    def progress(batches: Iterable[Any], count: int) -> Iterable[Any]:
        return tqdm(batches, desc=f"{metric}, {count} {counted}", unit=unit, delay=5, disable=not show)

    return progress


def signature_of(metric: str, libraries: Sequence[str] = MODEL_LIBRARIES, **settings: Any) -> str:
    """What a score depends on, in one line: the settings, this project's version and the libraries'.

    >>> signature_of("overlap", (), bleu="smoothed").startswith("overlap|bleu:smoothed|version:")
    True
    """
    versions = {"version": __version__, **{name: version(name) for name in libraries}}
    return "|".join([metric, *(f"{name}:{value}" for name, value in (settings | versions).items())])


class StoryInputs:
    """Mixin for `evaluate.Metric`: `predictions` are stories, beside columns that are required or optional.

    Attributes:
        required: columns that must be given: of `contexts` and `references`.
        optional: columns that may be given.
        several_references: whether a row of `references` is a list of texts (one text is taken as such).
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ("contexts",)
    several_references = False

    features: Any
    selected_feature_format: Any
    writer: Any
    data: Any

    def _build_data_dir(self) -> str:
        """evaluate's folder for waiting rows: a checkpoint's path names one, and is itself not written to."""
        module: Any = self
        configuration = re.sub(r"[^\w.-]+", "-", str(module.config_name)).strip("-.")
        folder = os.path.join(module._data_dir_root, module.name, configuration)
        os.makedirs(folder, exist_ok=True)
        return folder

    @classmethod
    def feature_choices(cls) -> list[datasets.Features]:
        """`features` for the module's info: one for each set of optional columns, none of them first."""
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
        """Scores `predictions` (or the rows added before); see the module's `inputs_description`."""
        waiting = self.writer is not None
        if predictions is None and not waiting:
            raise ValueError("predictions: expected at least one story, got none")
        if predictions is not None:
            self.add_batch(predictions=predictions, contexts=contexts, references=references)
        try:
            return super().compute(**kwargs)  # type: ignore[misc]
        except BaseException:
            self._discard_rows()
            raise

    def add_batch(self, *, predictions: Any = None, contexts: Any = None, references: Any = None) -> None:
        """Adds stories, with those of the other columns that are used."""
        stories = check_texts(predictions, "predictions")
        if not stories:
            raise ValueError("predictions: expected at least one story, got none")
        batch: dict[str, Any] = {"predictions": stories}
        for name, values in (("contexts", contexts), ("references", references)):
            known = name in self.required or name in self.optional
            if name in self.required and values is None:
                raise ValueError(f"{name}: expected {len(stories)}, one a prediction, got none")
            if values is None or not known:  # evaluate.combine hands every metric all columns
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
            raise ValueError(f"{', '.join(changed)}: expected with every batch or with none")
        if self.writer is None:
            self.selected_feature_format = self._infer_feature_from_batch(batch)
        super().add_batch(**batch)  # type: ignore[misc]

    def add(self, *, prediction: Any = None, context: Any = None, reference: Any = None) -> None:
        """Adds one story."""
        self.add_batch(
            predictions=[prediction],
            contexts=None if context is None else [context],
            references=None if reference is None else [reference],
        )

    def _feature_names(self) -> list[str]:
        if self.data is not None:  # being computed: evaluate has forgotten the format by then
            return list(self.data.column_names)
        return list(self.selected_feature_format or self._choices()[0])

    def _choices(self) -> list[Any]:
        return self.features if isinstance(self.features, list) else [self.features]

    def _infer_feature_from_batch(self, batch: dict[str, Any]) -> Any:
        return next(choice for choice in self._choices() if set(choice) == set(batch))

    def _discard_rows(self) -> None:
        """Forgets the rows of a failed computation, which evaluate would score with the next ones."""
        module: Any = self
        if module.writer is not None:
            module.writer.close()
        module.data = None
        for lock in [module.filelock, *(module.filelocks or [])]:
            if lock is not None:
                lock.release(force=True)
        for path in {module.cache_file_name, *(module.file_paths or [])}:
            if path and os.path.exists(path):
                os.remove(path)
        module.writer = module.buf_writer = module.cache_file_name = module.filelock = None
        module.filelocks = module.file_paths = module.selected_feature_format = None
