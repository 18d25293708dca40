"""SENTAVG (Lai and Tetreault, SIGDIAL 2018), a baseline in Table 5 of the plot-guided paper, as an evaluate module."""

from typing import Any

import evaluate

from openmeva.metrics.core.classifier_module import StoryClassifierModule
from openmeva.metrics.sentavg.scoring import SentAvgScorer

HUB_IDS = {"roc": "openmeva/sentavg-roc"}

_DESCRIPTION = """
SENTAVG is the probability that a story is human-written, by a small recurrent network: an LSTM encodes each sentence,
and a hidden layer scores the mean of the sentence vectors (Lai and Tetreault 2018; a baseline in Ghazarian et al.,
NAACL 2021). It ignores the order of sentences. Higher is better.
"""

_CITATION = """
@inproceedings{lai-tetreault-2018-discourse,
    title = "Discourse Coherence in the Wild: A Dataset, Evaluation and Methods",
    author = "Lai, Alice and Tetreault, Joel",
    booktitle = "Proceedings of SIGDIAL 2018",
    year = "2018",
    pages = "214--223",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    contexts: leading contexts, one per story, optional; `roc` joins them to the story as its first sentence.
    context_is_part_of_story: True: a context is joined to its story, unless the story begins with it; False: it is a
        prompt and ignored; None (default): the rule of the checkpoint.
    batch_size: sentences per batch.
    device: "cpu", "cuda", ...; default: selected automatically.
    dtype: "float32" (default), "bfloat16", or "auto" (bfloat16 if the processor is faster in it).
    show_progress: show a progress bar after five seconds.
Returns:
    score: the mean of the scores, 0 to 1.
    scores: one per story, in order, 0 to 1, higher is better.
    warnings: one per story, None or why its score means little (no words, too short, not English, special tokens, wrong
        kind of story).
Raises:
    ValueError: no stories; a row that is not a string; a story that is blank or has no tokens; a number of
        contexts other than that of the stories.
Examples:
    >>> sentavg = evaluate.load("metrics/sentavg", "roc")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> 0 <= sentavg.compute(predictions=[story])["score"] <= 1
    True
"""


class Sentavg(StoryClassifierModule, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `roc`, a folder or a Hub id."""

    default_dtype = "float32"
    batch_items = "sentences"

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/W18-5023"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        self._load("sentavg", "roc", HUB_IDS, SentAvgScorer)

    def _compute(  # type: ignore[override]  # no `explain`: SENTAVG has no explanations
        self,
        predictions: list[str],
        contexts: list[str] | None = None,
        context_is_part_of_story: bool | None = None,
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = default_dtype,
        show_progress: bool = True,
    ) -> dict[str, Any]:
        return super()._compute(
            predictions,
            contexts,
            context_is_part_of_story,
            batch_size,
            device,
            dtype,
            show_progress=show_progress,
        )
