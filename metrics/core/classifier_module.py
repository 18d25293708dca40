"""Code shared by the evaluate modules of story classifiers: UNION, plot coherence, discriminator and SENTAVG."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.checkpoint import Checkpoint, find_checkpoint, load_checkpoint
from openmeva.metrics.core.contexts import MAX_CONTINUED_SENTENCES, join_contexts
from openmeva.metrics.core.module import StoryInputs, encoder_part, progress_bar, signature_of
from openmeva.metrics.core.runtime import precision
from openmeva.metrics.core.story_scorer import StoryScorer
from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS

_CORPORA = {"first_sentence": "roc", "prompt": "wp"}  # by the checkpoint's rule for contexts


class StoryClassifierModule(StoryInputs):
    """Mixin for `evaluate.Metric`: scores stories with the checkpoint that `config_name` selects.

    Attributes:
        default_dtype: the default `dtype` of `compute` and `signature`.
        batch_items: what the batches hold, as named in the progress bar.
    """

    default_dtype = "auto"
    batch_items = "windows"

    config_name: str | None
    _metric: str
    _scorer: StoryScorer
    _revision: str
    _context: str

    def _load(
        self,
        metric: str,
        default: str,
        hub_ids: dict[str, str],
        make: Callable[[Checkpoint], StoryScorer],
    ) -> None:
        """Loads the checkpoint that `config_name` names, or `default`."""
        name = default if self.config_name in (None, "default") else str(self.config_name)
        checkpoint = load_checkpoint(find_checkpoint(metric, name, hub_ids), metric)
        self._metric, self._scorer = metric, make(checkpoint)
        self._context = checkpoint.settings["context"]
        self._revision = f"{name}@{checkpoint.revision}"
        self._encoder_part = encoder_part(checkpoint.settings)

    def signature(
        self,
        dtype: str | None = None,
        context_is_part_of_story: bool | None = None,
        device: str | None = None,
    ) -> str:
        """What a score depends on: checkpoint, revision, encoder, rule for contexts, maximum length, precision,
        versions.

        The arguments are those of `compute`.
        """
        context_setting = {True: "first_sentence", False: "prompt", None: self._context}[
            context_is_part_of_story
        ]
        shorter = self._scorer.shorter_window
        windows: dict[str, Any] = {"max_length": self._scorer.max_length}
        if shorter is not None:
            windows |= {"shorter_window": shorter, "readings": self._scorer.readings}
        if share := getattr(self._scorer, "token_share", 0.0):
            windows["token_share"] = share
        if weight := self._scorer.repetition.weight:
            windows["repetition_weight"] = weight
        automatic = f"joined if one declarative sentence, no prompt, before at most {MAX_CONTINUED_SENTENCES}"
        return signature_of(
            self._metric,
            checkpoint=self._revision,
            **self._encoder_part,
            context=automatic if context_setting == "auto" else context_setting,
            **windows,
            dtype=precision(self.default_dtype if dtype is None else dtype, device),
        )

    def _scored_texts(self, columns: Mapping[str, Sequence[Any]]) -> Sequence[str]:
        """Stories, with their contexts where these are joined to them."""
        joins = self._options.get("context_is_part_of_story")
        return join_contexts(
            columns["predictions"],
            columns.get("contexts", [""] * len(columns["predictions"])),
            self._scorer.joins_context if joins is None else joins,
        )

    def _usual_word_count(self) -> tuple[int, int | None]:
        corpus = _CORPORA.get(self._context)
        return super()._usual_word_count() if corpus is None else USUAL_WORD_COUNTS[corpus]

    def _compute(
        self,
        predictions: list[str],
        contexts: list[str] | None = None,
        context_is_part_of_story: bool | None = None,
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = "auto",
        explain: bool = False,
        costs: bool = True,
        show_progress: bool = True,
    ) -> dict[str, Any]:
        scores, explanations = self._scorer.score(
            predictions,
            contexts,
            batch_size,
            device,
            dtype,
            explain,
            progress_bar(self._metric, show_progress, self.batch_items),
            joins_context=context_is_part_of_story,
            costs=costs,
        )
        result: dict[str, Any] = {"score": sum(scores) / len(scores), "scores": scores}
        if explanations is not None:
            result["explanations"] = explanations
        return result
