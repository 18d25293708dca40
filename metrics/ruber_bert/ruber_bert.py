"""RUBER (Tao et al., AAAI 2018) with contextual embeddings (Ghazarian et al., NeuralGen 2019)."""

import evaluate

from openmeva.metrics.core.checkpoint import find_checkpoint, load_checkpoint
from openmeva.metrics.core.module import StoryInputs, encoder_part, progress_bar, signature_of
from openmeva.metrics.core.runtime import precision
from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS
from openmeva.metrics.ruber_bert.blending import check_blend, hybrid
from openmeva.metrics.ruber_bert.scoring import RuberScorer

HUB_IDS = {
    "roc": "openmeva/ruber-bert-roc",
    "wp": "openmeva/ruber-bert-wp",
    "rnn": "openmeva/ruber-bert-rnn",
}

_DESCRIPTION = """
RUBER-BERT blends two parts. The unreferenced part scores how well a story fits its context; it was trained with other
stories' continuations as negative samples. The referenced part is the similarity of the story's word embeddings to
those of a reference. Without references the score is the unreferenced part only. Higher is better.
"""

_CITATION = """
@inproceedings{ghazarian-etal-2019-better,
    title = "Better Automatic Evaluation of Open-Domain Dialogue Systems with Contextualized Embeddings",
    author = "Ghazarian, Sarik and Wei, Johnny and Galstyan, Aram and Peng, Nanyun",
    booktitle = "Proceedings of the Workshop on Methods for Optimizing and Evaluating Neural Language Generation",
    year = "2019",
    pages = "82--89",
}
@inproceedings{tao-etal-2018-ruber,
    title = "{RUBER}: An Unsupervised Method for Automatic Evaluation of Open-Domain Dialog Systems",
    author = "Tao, Chongyang and Mou, Lili and Zhao, Dongyan and Yan, Rui",
    booktitle = "Proceedings of AAAI",
    year = "2018",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised, without their contexts.
    contexts: the text that each story continues, one per story: its first sentence (`roc`, `rnn`) or a prompt
        (`wp`).
    references: a human-written story for each context, or a list of them, whose highest similarity counts; optional.
    blend: "mean" (default), "geometric", "min" or "max": how the two parts are combined.
    normalization: "calibrated" (default: fixed ranges stored with the weights), "batch" (as in the paper: the
        minimum and maximum over these stories, so that a score depends on the other stories) or "none" (both parts
        as they are, a negative cosine set to 0).
    batch_size: texts per batch.
    device: "cpu", "cuda", ...; default: chosen automatically.
    dtype: "auto" (bfloat16 if the processor is faster in it), "float32" or "bfloat16"; `rnn` always
        runs in float32.
    show_progress: a progress bar, which appears after five seconds.
Returns:
    score: the mean of the scores.
    scores: one per story, in order, 0 to 1, higher is better: with references the blend, else the unreferenced part.
    unreferenced: 0 to 1, one per story: probability that the story fits its context.
    referenced (with references): -1 to 1, one per story: cosine of the max- and min-pooled word embeddings,
        contextual ones except with `rnn`.
    warnings: one per story, None or why the score may mean little (no words, too short, not English, special tokens,
        the wrong kind of story).
Raises:
    ValueError: no stories; no contexts; a row that is not a string, is blank or has no tokens; columns of
        different lengths; an unknown blend or normalization.
Examples:
    >>> ruber = evaluate.load("metrics/ruber_bert", "roc")
    >>> context = "Ann was hungry."
    >>> stories = ["She made a sandwich and ate it. She felt full.", "The team lost its last match. The fans left."]
    >>> fitting, strange = ruber.compute(predictions=stories, contexts=[context, context])["scores"]
    >>> fitting > strange
    True
"""


class RuberBert(StoryInputs, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `roc`, `wp`, `rnn`, a folder or a Hub id."""

    required = ("contexts",)
    optional = ("references",)
    several_references = True

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/W19-2310", "https://arxiv.org/abs/1701.03079"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        name = "roc" if self.config_name in (None, "default") else self.config_name
        checkpoint = load_checkpoint(find_checkpoint("ruber_bert", name, HUB_IDS), "ruber_bert")
        self._scorer = RuberScorer(checkpoint)
        self._name, self._revision = name, f"{name}@{checkpoint.revision}"
        self._encoder_part = encoder_part(checkpoint.settings)

    def _usual_word_count(self) -> tuple[int, int | None]:
        # `rnn` was trained on ROCStories
        return USUAL_WORD_COUNTS["roc"] if self._name == "rnn" else super()._usual_word_count()

    def signature(
        self,
        dtype: str = "auto",
        blend: str = "mean",
        normalization: str = "calibrated",
        device: str | None = None,
    ) -> str:
        """Everything that a score depends on: checkpoint, revision, encoder, maximum length, blend, precision, versions.

        The arguments are those of `compute`.
        """
        recurrent = self._scorer.model.encoder == "rnn"  # always runs in float32
        return signature_of(
            "ruber_bert",
            checkpoint=self._revision,
            **self._encoder_part,
            max_length=self._scorer.max_length,
            blend=blend,
            normalization=normalization,
            dtype=precision("float32" if recurrent else dtype, device),
        )

    def _check_options(self, options):
        super()._check_options(options)
        check_blend(options.get("blend", "mean"), options.get("normalization", "calibrated"))

    def _compute(
        self,
        predictions,
        contexts,
        references=None,
        blend="mean",
        normalization="calibrated",
        batch_size=64,
        device=None,
        dtype="auto",
        show_progress=True,
    ):
        unreferenced, referenced = self._scorer.score(
            predictions,
            contexts,
            references,
            batch_size,
            device,
            dtype,
            progress_bar("ruber_bert", show_progress, "windows"),
        )
        scores = unreferenced
        if referenced is not None:
            scores = hybrid(referenced, unreferenced, self._scorer.ranges, blend, normalization)
        result = {"score": sum(scores) / len(scores), "scores": scores, "unreferenced": unreferenced}
        if referenced is not None:
            result["referenced"] = referenced
        return result
