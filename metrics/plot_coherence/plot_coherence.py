"""Plot coherence: how plausible a story is (after Ghazarian et al., NAACL 2021), and the mixture that goes beyond."""

import evaluate

from openmeva.metrics.core.classifier_module import StoryClassifierModule
from openmeva.metrics.core.classifier_scorer import ClassifierScorer

HUB_IDS = {
    "base": "openmeva/plot-coherence-base",
    "mix": "openmeva/plot-coherence-mix",
    "roc": "openmeva/plot-coherence-roc",
}

_DESCRIPTION = """
Plot coherence scores a story by itself, without a reference: the probability that its events make a plausible
story as people write them. A classifier learnt it from human stories beside worse ones (Ghazarian et al., NAACL
2021): stories written from broken plots, or, in `mix`, stories damaged in several ways, step by step. Higher is
better.
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
    contexts: leading contexts, one a story, optional.
    context_is_part_of_story: True: a context is the story's beginning, and joined to it; False: it is a prompt,
        and ignored; None (default): as the checkpoint says. `mix` and `base` then join a context that is one declarative
        sentence to a story of at most ten sentences, and ignore any other.
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
        sentence that costs the story), (not with `base`) `kinds`,
        the probability of each kind of error: `repetition`, `contradiction`, `wrong_order`, `off_topic` (hints
        alone; `contradiction` says nothing).
    warnings: one a story, None or why its score says little (no words, too short, not English, marks, with `roc` the wrong kind).
Raises:
    ValueError: no stories; a row that is not a text or is blank; contexts of another number.
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
