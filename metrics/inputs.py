"""What the story metrics share as evaluate modules: checked input, optional contexts, no rows left over.

A mixin rather than a base class, since evaluate takes the first subclass of `EvaluationModule` that it finds.
"""

import os
from collections.abc import Sequence
from typing import Any


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


def check_lengths(predictions: Sequence[str], others: Sequence[str], what: str) -> None:
    """Raises a `ValueError` unless there is one of `others` for each prediction."""
    if len(predictions) != len(others):
        raise ValueError(f"{what}: expected {len(predictions)}, one a prediction, got {len(others)}")


class StoryInputs:
    """Mixin for `evaluate.Metric`: `predictions` are stories, `contexts` may be given or not.

    `features` of the module's info is a list of two: without `contexts`, and with them.
    """

    features: Any
    selected_feature_format: Any
    writer: Any
    data: Any

    def compute(self, *, predictions: Any = None, contexts: Any = None, **kwargs: Any) -> Any:
        """Scores `predictions` (or the rows added before); see the module's `inputs_description`."""
        waiting = self.writer is not None
        if predictions is None and not waiting:
            raise ValueError("predictions: expected at least one story, got none")
        if predictions is not None:
            self.add_batch(predictions=predictions, contexts=contexts)
        try:
            return super().compute(**kwargs)  # type: ignore[misc]
        except BaseException:
            self._discard_rows()
            raise

    def add_batch(self, *, predictions: Any = None, contexts: Any = None, references: Any = None) -> None:
        """Adds stories, with their contexts if those are used at all."""
        stories = check_texts(predictions, "predictions")
        if not stories:
            raise ValueError("predictions: expected at least one story, got none")
        batch = {"predictions": stories}
        if contexts is not None:
            batch["contexts"] = check_texts(contexts, "contexts", blank=True)
            check_lengths(stories, batch["contexts"], "contexts")
        if self.writer is not None and set(batch) != set(self._feature_names()):
            raise ValueError("contexts: expected with every batch or with none")
        if self.writer is None:
            self.selected_feature_format = self._infer_feature_from_batch(batch)
        super().add_batch(**batch)  # type: ignore[misc]

    def add(self, *, prediction: Any = None, context: Any = None, reference: Any = None) -> None:
        """Adds one story."""
        self.add_batch(predictions=[prediction], contexts=None if context is None else [context])

    def _feature_names(self) -> list[str]:
        if self.data is not None:  # being computed: evaluate has forgotten the format by then
            return list(self.data.column_names)
        return list(self.selected_feature_format or self.features[0])

    def _infer_feature_from_batch(self, batch: dict[str, Any]) -> Any:
        return self.features[int("contexts" in batch)]

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
