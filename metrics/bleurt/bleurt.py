"""BLEURT (Sellam et al., ACL 2020): a learnt comparison of a story with a reference."""

import evaluate

from openmeva.metrics.bleurt.scoring import BleurtScorer
from openmeva.metrics.core.checkpoint import find_checkpoint
from openmeva.metrics.core.module import StoryInputs, progress_bar, signature_of
from openmeva.metrics.core.runtime import precision

HUB_IDS = {"roc": "openmeva/bleurt-roc"}

_DESCRIPTION = """
BLEURT scores a story by how good a stand-in for its reference it is. A regression on pairs of reference and story,
pretrained on synthetic pairs to predict BLEU, ROUGE, BERTScore, MoverScore and what the damage did to the meaning
(Sellam et al., ACL 2020), and made to be fine-tuned on human ratings. Higher is better.
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
    references: for each, a text or a list of texts; the score is that of the reference where it is highest.
    batch_size: pairs scored at once.
    device: "cpu", "cuda", ...; chosen by itself where not given.
    dtype: "auto" (bfloat16 where the processor multiplies it natively), "float32" or "bfloat16".
    show_progress: a progress bar, which shows after five seconds.
Returns:
    score: the mean of the scores.
    scores: one a story, in order, higher is better. `roc` gives standard deviations from the mean of its synthetic
        pairs; a fine-tuned checkpoint gives the scale of its ratings.
    warnings: one a story, None or why its score says little (no words, too short, not English, marks, the wrong kind).
Raises:
    ValueError: no stories; a row that is not a text, is blank or has no word; references of another number.
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

    def signature(self, dtype: str = "auto", device: str | None = None) -> str:
        """What a score depends on: checkpoint, revision, maximum length, precision and versions.

        The arguments are those of `compute`.
        """
        return signature_of(
            "bleurt",
            checkpoint=self._revision,
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
            progress_bar("bleurt", show_progress, counted="pairs"),
        )
        return {"score": sum(scores) / len(scores), "scores": scores}
