"""DisScore: a discriminator of human-written and generated stories, as an evaluate module."""

import evaluate

from openmeva.metrics.core.classifier_module import StoryClassifierModule
from openmeva.metrics.core.classifier_scorer import ClassifierScorer

HUB_IDS = {"roc": "openmeva/discriminator-roc"}

_DESCRIPTION = """
DisScore is the probability that a story is human-written, by a classifier trained to discriminate human-written from
generated stories (Kannan and Vinyals 2017; a baseline in UNION, Guan and Huang, EMNLP 2020). Higher is better.
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
    contexts: leading contexts, one per story, optional; `roc` joins them to the story as its first sentence.
    context_is_part_of_story: True: a context is joined to its story, unless the story begins with it; False: it is a
        prompt and ignored; None (default): the rule of the checkpoint.
    batch_size: windows per batch.
    device: "cpu", "cuda", ...; default: selected automatically.
    dtype: "auto" (bfloat16 if the processor is faster in it), "float32" or "bfloat16".
    explain: also return `explanations`; scores the window of each sentence again, without it.
    costs: False skips these extra passes: no `gain` in the explanations.
    show_progress: show a progress bar after five seconds.
Returns:
    score: the mean of the scores, 0 to 1.
    scores: one per story, in order, 0 to 1, higher is better.
    explanations (with `explain`): one dict per story; `sentences` with `text` and `gain`, the score of the story
        without the sentence minus the score with it (in a long story, of the window around it): above 0 for a
        sentence that lowers the score.
    warnings: one per story, None or why its score means little (no words, too short, not English, special tokens, wrong
        kind of story).
Raises:
    ValueError: no stories; a row that is not a string; a story that is blank or has no tokens; a number of
        contexts other than that of the stories.
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
