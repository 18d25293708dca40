"""Word overlap with a reference: BLEU, ROUGE and METEOR of each story."""

import warnings

import evaluate

from openmeva.metrics.core.inputs import chosen_names
from openmeva.metrics.core.module import StoryInputs, progress_bar, signature_of
from openmeva.metrics.overlap.meteor import WORDNET_HINT, WORDNET_MISSING, find_wordnet, has_wordnet
from openmeva.metrics.overlap.scoring import SCORES, OverlapScorer

_DESCRIPTION = """
How many words and word sequences a text shares with its references: sentence BLEU (Papineni et al. 2002),
ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) and METEOR (Banerjee and Lavie 2005), by sacrebleu, rouge-score and
NLTK. Higher is more similar. A good story may share nothing with the one reference that it is compared with.
"""

_CITATION = """
@inproceedings{papineni-etal-2002-bleu,
    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",
    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
    booktitle = "Proceedings of ACL 2002",
    year = "2002",
    pages = "311--318",
}
@inproceedings{lin-2004-rouge,
    title = "{ROUGE}: A Package for Automatic Evaluation of Summaries",
    author = "Lin, Chin-Yew",
    booktitle = "Text Summarization Branches Out",
    year = "2004",
    pages = "74--81",
}
@inproceedings{banerjee-lavie-2005-meteor,
    title = "{METEOR}: An Automatic Metric for {MT} Evaluation with Improved Correlation with Human Judgments",
    author = "Banerjee, Satanjeev and Lavie, Alon",
    booktitle = "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for MT",
    year = "2005",
    pages = "65--72",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: texts, a list of strings, raw or tokenised.
    references: for each text, a text or a list of texts; the best reference counts (BLEU uses all of them jointly).
    scores: which scores to compute, a list of "bleu", "rouge1", "rouge2", "rougeL", "meteor"; default: all. Without
        WordNet the default skips METEOR, and a warning says how to get WordNet.
    show_progress: a progress bar, which appears after five seconds.
Returns:
    bleu, rouge1, rouge2, rougeL, meteor: the mean of each, 0 to 1, higher is more similar.
    bleu_scores, rouge1_scores, rouge2_scores, rougeL_scores, meteor_scores: one per row, in order.
    warnings: one per story, None or why the score may mean little (no words, too short, not English, special tokens).
Raises:
    ValueError: no texts; a row that is not a string, is blank or has no tokens; a different number of
        references; an unknown score; METEOR requested by name without WordNet (the message names the command
        that fetches it); on loading, any configuration but "default".
Examples:
    >>> overlap = evaluate.load("metrics/overlap")
    >>> result = overlap.compute(
    ...     predictions=["The dog ran home."], references=[["The dog ran away.", "A cat slept."]],
    ...     scores=["rouge1", "rougeL"],
    ... )
    >>> result["rouge1_scores"], result["rougeL"]
    ([0.75], 0.75)
"""


class Overlap(StoryInputs, evaluate.Metric):
    """The evaluate module; it has one configuration."""

    required = ("references",)
    optional = ()
    several_references = True

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=[
                "https://aclanthology.org/P02-1040",
                "https://aclanthology.org/W04-1013",
                "https://aclanthology.org/W05-0909",
            ],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        if self.config_name != "default":
            raise ValueError(
                f"overlap has one configuration: expected none or 'default', got {self.config_name!r}"
            )
        self._scorer = OverlapScorer()

    def signature(self) -> str:
        """Everything that a score depends on: definitions and versions."""
        return signature_of(
            "overlap",
            ("rouge-score", "nltk"),
            bleu=self._scorer.signature(),
            rouge="no stemming",
            meteor="alpha .9, beta 3, gamma .5",
        )

    def lacking(self) -> dict[str, str]:
        """The scores that cannot be computed here, each with a sentence that says why."""
        return {} if has_wordnet() else {"meteor": f"{WORDNET_MISSING}."}

    def _check_options(self, options):
        super()._check_options(options)
        requested = options.get("scores")
        if "meteor" in chosen_names(requested, SCORES) and requested is not None:
            find_wordnet()

    def _compute(self, predictions, references, scores=None, show_progress=True):
        chosen = chosen_names(scores, SCORES)
        if scores is None and (lacking := self.lacking()):
            chosen = [name for name in chosen if name not in lacking]
            warnings.warn(f"{WORDNET_MISSING}, and is skipped: {WORDNET_HINT}", stacklevel=2)

        result: dict[str, float | list[float]] = {}
        for name, values in self._scorer.scores(
            predictions, references, chosen, progress_bar("overlap", show_progress, unit="text")
        ).items():
            result[name] = sum(values) / len(values)
            result[f"{name}_scores"] = values
        return result
