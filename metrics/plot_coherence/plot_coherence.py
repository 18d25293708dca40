"""Plot coherence: a story's plausibility, after Ghazarian et al. (NAACL 2021), extended in `mix` and `base`."""

import evaluate

from openmeva.metrics.core.classifier_module import StoryClassifierModule
from openmeva.metrics.core.classifier_scorer import ClassifierScorer

HUB_IDS = {
    "base": "openmeva/plot-coherence-base",
    "mix": "openmeva/plot-coherence-mix",
    "roc": "openmeva/plot-coherence-roc",
}

_DESCRIPTION = """
Plot coherence scores a story without a reference: the probability that its events form a plausible story, as a
person would write it. The classifier is trained on human-written stories and worse ones (after Ghazarian et al.,
NAACL 2021): stories generated from broken plots and, in `mix` and `base`, also stories with corruptions of
several kinds and degrees.
Higher is better.
"""

_CITATION = """
@inproceedings{ghazarian-etal-2021-plot,
    title = "Plot-guided Adversarial Example Construction for Evaluating Open-domain Story Generation",
    author = "Ghazarian, Sarik and Liu, Zixi and S M, Akash and Weischedel, Ralph and Galstyan, Aram and Peng, Nanyun",
    booktitle = "Proceedings of the 2021 Conference of the North American Chapter of the Association for
        Computational Linguistics: Human Language Technologies",
    year = "2021",
    pages = "4334--4344",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    contexts: leading contexts, one per story, optional.
    context_is_part_of_story: True: a context is the beginning of the story and joined to it, unless the story already
        begins with it; False: it is a prompt and ignored; None (default): the rule of the checkpoint. `mix` and
        `base` then join a context of one declarative sentence to a story of at most ten sentences, unless it begins
        like a prompt ("Write about", "You are"), and ignore any other.
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
        sentence that lowers the score; `error_types` (not with `base`), the
        probability of each error type: `repetition`, `contradiction`, `wrong_order`, `off_topic` (hints only;
        `contradiction` carries no signal); `repetition` (`mix` only), the share of the story's 4-grams that occurred
        in it before, 0 to below 1, which lowers the score above .02.
    warnings: one per story, None or why its score means little (no words, too short, not English, special tokens, with
        `roc` the wrong kind of story).
Raises:
    ValueError: no stories; a row that is not a string; a story that is blank or has no tokens; a number of
        contexts other than that of the stories.
Examples:
    >>> metric = evaluate.load("metrics/plot_coherence", "mix")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> broken = "Ann was hungry. She felt full. The team won the game. She made a sandwich. The car was red."
    >>> good, bad = metric.compute(predictions=[story, broken])["scores"]
    >>> good > bad
    True
"""


class PlotCoherence(StoryClassifierModule, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `mix`, `roc`, `base`, a folder or a Hub id."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/2021.naacl-main.343"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        self._load("plot_coherence", "mix", HUB_IDS, ClassifierScorer)
