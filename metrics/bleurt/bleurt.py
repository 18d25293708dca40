"""BLEURT (Sellam et al., ACL 2020): a learned comparison of a story with a reference."""

import evaluate

from openmeva.metrics.bleurt.scoring import BleurtScorer
from openmeva.metrics.core.checkpoint import find_checkpoint
from openmeva.metrics.core.module import StoryInputs, encoder_part, progress_bar, signature_of
from openmeva.metrics.core.runtime import precision

HUB_IDS = {"roc": "openmeva/bleurt-roc"}

_DESCRIPTION = """
BLEURT scores how well a story could replace its reference (Sellam et al., ACL 2020). It is a regression model on pairs
of reference and story, pretrained on synthetic pairs to predict BLEU, ROUGE, BERTScore, MoverScore and entailment. It
is meant to be fine-tuned on human ratings. Higher is better.
"""

_CITATION = """
@inproceedings{sellam-etal-2020-bleurt,
    title = "{BLEURT}: Learning Robust Metrics for Text Generation",
    author = "Sellam, Thibault and Das, Dipanjan and Parikh, Ankur",
    booktitle = "Proceedings of ACL 2020",
    year = "2020",
    pages = "7881--7892",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    references: for each story, a text or a list of texts; the score is the highest over its references.
    batch_size: pairs per batch.
    device: "cpu", "cuda", ...; default: chosen automatically.
    dtype: "auto" (bfloat16 if the processor is faster in it), "float32" or "bfloat16".
    show_progress: a progress bar, which appears after five seconds.
Returns:
    score: the mean of the scores.
    scores: one per story, in order, unbounded, higher is better: for `roc` the predicted mean of six signals,
        each in standard deviations from its mean over the synthetic pairs; for a fine-tuned checkpoint on the
        scale of its ratings.
    warnings: one per story, None or why the score may mean little (no words, too short, not English, special tokens,
        the wrong kind of story).
Raises:
    ValueError: no stories; a row that is not a string, is blank or has no tokens; a different number of
        references.
Examples:
    >>> bleurt = evaluate.load("metrics/bleurt", "roc")
    >>> near, far = bleurt.compute(
    ...     predictions=["Ann was hungry. She made a big sandwich.", "The car was red. Nobody drove it."],
    ...     references=["Ann was hungry. She made a sandwich."] * 2,
    ... )["scores"]
    >>> near > far
    True
"""


class Bleurt(StoryInputs, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `roc`, a folder or a Hub id."""

    required = ("references",)
    optional = ()
    several_references = True

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/2020.acl-main.704"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        name = "roc" if self.config_name in (None, "default") else self.config_name
        self._scorer = BleurtScorer(find_checkpoint("bleurt", name, HUB_IDS))
        self._revision = f"{name}@{self._scorer.revision}"
        self._encoder_part = encoder_part(self._scorer.settings)

    def signature(self, dtype: str = "auto", device: str | None = None) -> str:
        """Everything that a score depends on: checkpoint, revision, encoder, maximum length, precision and versions.

        The arguments are those of `compute`.
        """
        return signature_of(
            "bleurt",
            checkpoint=self._revision,
            **self._encoder_part,
            max_length=self._scorer.max_length,
            dtype=precision(dtype, device),
        )

    def _compute(self, predictions, references, batch_size=64, device=None, dtype="auto", show_progress=True):
        scores = self._scorer.scores(
            predictions,
            references,
            batch_size,
            device,
            dtype,
            progress_bar("bleurt", show_progress, items="pairs"),
        )
        return {"score": sum(scores) / len(scores), "scores": scores}
