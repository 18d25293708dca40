"""DisScore: a discriminator of human-written and generated stories, as a metric."""

import evaluate

from openmeva.metrics.core.classifier_module import StoryClassifierModule
from openmeva.metrics.core.classifier_scorer import ClassifierScorer

HUB_IDS = {"roc": "openmeva/discriminator-roc"}

_DESCRIPTION = """
DisScore is the probability that a person wrote a story, by a classifier trained to tell human stories from those
that a generator wrote (Kannan and Vinyals 2017; a baseline in UNION, Guan and Huang, EMNLP 2020). Higher is better.
"""

_CITATION = """
@article{kannan-vinyals-2017-adversarial,
    title = "Adversarial Evaluation of Dialogue Models",
    author = "Kannan, Anjuli and Vinyals, Oriol",
    journal = "arXiv:1701.08198",
    year = "2017",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    contexts: leading contexts, one a story, optional; `roc` takes them as the story's first sentence and joins them.
    context_is_part_of_story: True: a context is joined to its story; False: it is a prompt, and ignored; None
        (default): as the checkpoint says.
    batch_size: windows scored at once.
    device: "cpu", "cuda", ...; chosen by itself where not given.
    dtype: "auto" (bfloat16 where the processor multiplies it natively), "float32" or "bfloat16".
    explain: also return `explanations`; each sentence costs another reading of its window.
    costs: False saves these readings: no `gain` in the explanations.
    show_progress: a progress bar, which shows after five seconds.
Returns:
    score: the mean of the scores, 0 to 1.
    scores: one a story, in order, 0 to 1, higher is better.
    explanations (with `explain`): a dict a story; `sentences` with `text` and `gain` (the score of the story
        without the sentence minus the score with it, of a long story those of the window around it: above 0 for a
        sentence that costs the story).
    warnings: one a story, None or why its score says little (no words, too short, not English, marks, the wrong kind).
Raises:
    ValueError: no stories; a row that is not a text or is blank; contexts of another number.
Examples:
    >>> discriminator = evaluate.load("metrics/discriminator", "roc")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> 0 <= discriminator.compute(predictions=[story])["score"] <= 1
    True
"""


class Discriminator(StoryClassifierModule, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `roc`, a folder or a Hub id."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://arxiv.org/abs/1701.08198"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        self._load("discriminator", "roc", HUB_IDS, ClassifierScorer)
