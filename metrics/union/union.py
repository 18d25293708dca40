"""UNION (Guan and Huang, EMNLP 2020): an unreferenced metric for open-ended story generation."""

import evaluate

from openmeva.metrics.core.classifier_module import StoryClassifierModule
from openmeva.metrics.union.scoring import UnionScorer

HUB_IDS = {
    "roc": "openmeva/union-roc",
    "roc_base": "openmeva/union-roc-base",
    "wp": "openmeva/union-wp",
    "wp_base": "openmeva/union-wp-base",
}

_DESCRIPTION = """
UNION scores a story without a reference: the probability that it is human-written, not corrupted by repetition,
substitution, reordering or negation. It is trained to discriminate the two and to reconstruct the original (Guan
and Huang, EMNLP 2020). Higher is better.
"""

_CITATION = """
@inproceedings{guan-huang-2020-union,
    title = "{UNION}: An Unreferenced Metric for Evaluating Open-ended Story Generation",
    author = "Guan, Jian and Huang, Minlie",
    booktitle = "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing",
    year = "2020",
    pages = "9157--9166",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    contexts: leading contexts, one per story, optional. `roc` and `roc_base` join the context to the story as its
        first sentence; `wp` and `wp_base` take it for a prompt, not part of the story, and ignore it.
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
        sentence that lowers the score; `edits`,
        words that the reconstruction head would change: `token`, `suggestion` ("" to delete it),
        `sentence`, and `start` and `end`, word positions in the sentence.
    warnings: one per story, None or why its score means little (no words, too short, not English, special tokens, wrong
        kind of story).
Raises:
    ValueError: no stories; a row that is not a string; a story that is blank or has no tokens; a number of
        contexts other than that of the stories.
Examples:
    >>> union = evaluate.load("metrics/union", "roc")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> broken = "Ann was hungry. She felt full. She felt full. She did not make a castle. She ate it."
    >>> good, bad = union.compute(predictions=[story, broken])["scores"]
    >>> good > bad
    True
"""


class Union(StoryClassifierModule, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `roc`, `roc_base`, `wp`, `wp_base`,
    a folder or a Hub id."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/2020.emnlp-main.736"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        self._load("union", "roc", HUB_IDS, UnionScorer)
