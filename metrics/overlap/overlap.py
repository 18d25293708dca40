"""Overlap with a reference in words: BLEU, ROUGE and METEOR, a score a story."""

import warnings

import evaluate

from openmeva.metrics.core.inputs import chosen_names
from openmeva.metrics.core.module import StoryInputs, progress_bar, signature_of
from openmeva.metrics.overlap.meteor import FETCH, NEEDS, has_wordnet
from openmeva.metrics.overlap.scoring import SCORES, OverlapScorer

_DESCRIPTION = """
How many words and word sequences a text shares with its references: sentence BLEU (Papineni et al. 2002),
ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) and METEOR (Banerjee and Lavie 2005), by sacrebleu, rouge-score and
NLTK. Higher is more alike. A good story may share nothing with the one reference that it is compared with.
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
    references: for each, a text or a list of texts; the best match counts (for BLEU, all of them at once).
    scores: which to compute, a list of "bleu", "rouge1", "rouge2", "rougeL", "meteor"; all unless given, but
        without WordNet not METEOR, of which a warning then says how to get it.
    show_progress: a progress bar, which shows after five seconds.
Returns:
    bleu, rouge1, rouge2, rougeL, meteor: the mean of each, 0 to 1, higher is more alike.
    bleu_scores, rouge1_scores, rouge2_scores, rougeL_scores, meteor_scores: one a row, in order.
    warnings: one a story, None or why its score says little (no words, too short, not English, marks).
Raises:
    ValueError: no texts; a row that is no text, is blank or has no word; references of another number; an
        unknown score; METEOR asked for by name without WordNet (the message names the command that fetches it); on
        loading, a configuration.
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
        """What a score depends on: definitions and versions."""
        return signature_of(
            "overlap",
            ("rouge-score", "nltk"),
            bleu=self._scorer.signature(),
            rouge="no stemming",
            meteor="alpha .9, beta 3, gamma .5",
        )

    def lacking(self) -> dict[str, str]:
        """The scores that cannot be computed here, and why, a sentence each."""
        return {} if has_wordnet() else {"meteor": f"{NEEDS}."}

    def _compute(self, predictions, references, scores=None, show_progress=True):
        chosen = chosen_names(scores, SCORES)
        if scores is None and (lacking := self.lacking()):
            chosen = [name for name in chosen if name not in lacking]
            warnings.warn(f"{NEEDS}, and is left out: {FETCH}", stacklevel=2)

        result: dict[str, float | list[float]] = {}
        for name, values in self._scorer.scores(
            predictions, references, chosen, progress_bar("overlap", show_progress, unit="text")
        ).items():
            result[name] = sum(values) / len(values)
            result[f"{name}_scores"] = values
        return result
