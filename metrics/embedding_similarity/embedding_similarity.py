"""Similarity to a reference by contextual embeddings: nine scores from one encoder pass over each text."""

import evaluate

from openmeva.metrics.core.checkpoint import find_checkpoint
from openmeva.metrics.core.inputs import chosen_names, is_number
from openmeva.metrics.core.module import StoryInputs, encoder_part, progress_bar, signature_of
from openmeva.metrics.core.runtime import precision
from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import BERT_SCORES, SCORES, SimilarityScorer

HUB_IDS = {
    "default": "openmeva/embedding-similarity",
    "encoder": "openmeva/embedding-similarity-encoder",
}

_DESCRIPTION = """
Similarity of a text and its references by contextual word embeddings: Greedy Matching, Vector Average, Vector Extrema,
min-max pooling (the referenced part of RUBER), BERTScore's precision, recall and F1, and MoverScore of unigrams and
bigrams, with exact optimal transport. Higher is more similar.
"""

_CITATION = """
@inproceedings{zhang-etal-2020-bertscore,
    title = "{BERTS}core: Evaluating Text Generation with {BERT}",
    author = "Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav",
    booktitle = "Proceedings of ICLR 2020",
    year = "2020",
}
@inproceedings{zhao-etal-2019-moverscore,
    title = "{M}over{S}core: Text Generation Evaluating with Contextualized Embeddings and Earth Mover Distance",
    author = "Zhao, Wei and Peyrard, Maxime and Liu, Fei and Gao, Yang and Meyer, Christian M. and Eger, Steffen",
    booktitle = "Proceedings of EMNLP-IJCNLP 2019",
    year = "2019",
    pages = "563--578",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: texts, a list of strings, raw or tokenised.
    references: for each text, a text or a list of texts; each score is the highest over the references.
    scores: which scores to compute, a list of the names under "Returns"; default: all nine.
    idf: weight BERTScore's tokens and MoverScore's words by their inverse document frequency in the references.
    rescale_with_baseline: rescale BERTScore so that two unrelated stories score 0 on average; True, or a dict of
        "bertscore_precision", "bertscore_recall" and "bertscore_f1".
    layer: the encoder layer whose output is used, counted from 1; default: the last.
    batch_size: texts per batch.
    device: "cpu", "cuda", ...; default: chosen automatically.
    dtype: "auto" (bfloat16 if the processor is faster in it), "float32" or "bfloat16".
    show_progress: a progress bar, which appears after five seconds.
Returns:
    greedy_matching, vector_average, vector_extrema, min_max_pooling, bertscore_precision, bertscore_recall,
    bertscore_f1, moverscore_1, moverscore_2: the mean of each, -1 to 1 (unless rescaled), higher is more
        similar.
    greedy_matching_scores, ...: under each name with "_scores", one per row, in order.
    warnings: one per story, None or why the score may mean little (no words, too short, not English, special tokens).
Raises:
    ValueError: no texts; a row that is not a string, is blank or has no tokens; a different number of
        references; an unknown score or layer; no baseline for the encoder and layer; a text and a reference
        with more than 100 million pairs of tokens.
Examples:
    >>> similarity = evaluate.load("metrics/embedding_similarity")
    >>> near, far = similarity.compute(
    ...     predictions=["He employed a lawyer.", "It rained in May."],
    ...     references=["He hired an attorney.", "He hired an attorney."],
    ... )["moverscore_1_scores"]
    >>> near > far
    True
"""


class EmbeddingSimilarity(StoryInputs, evaluate.Metric):
    """The evaluate module; `config_name` is `default`, `encoder`, or an encoder: a folder or a Hub id."""

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
                "https://openreview.net/forum?id=SkeHuCVFDr",
                "https://aclanthology.org/D19-1053",
            ],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        name = self.config_name or "default"
        self._encoder = TextEncoder(find_checkpoint("embedding_similarity", name, HUB_IDS))
        self._scorer = SimilarityScorer(self._encoder)
        self._revision = f"{name}@{self._encoder.revision}"
        self._encoder_part = encoder_part(self._encoder.settings)

    def signature(
        self,
        dtype: str = "auto",
        layer: int | None = None,
        idf: bool = False,
        rescale_with_baseline: bool | dict[str, float] = False,
        device: str | None = None,
    ) -> str:
        """Everything that a score depends on: encoder, revision, layer, idf, baseline, length, precision, versions.

        The arguments are those of `compute`.
        """
        self._encoder.check_layer(layer)
        baseline = self._baseline(rescale_with_baseline, layer)
        return signature_of(
            "embedding_similarity",
            checkpoint=self._revision,
            **self._encoder_part,
            layer=layer or self._encoder.layers,
            idf="yes" if idf else "no",
            baseline=",".join(f"{baseline[name]:g}" for name in BERT_SCORES) if baseline else "no",
            max_length=self._encoder.max_length,
            dtype=precision(dtype, device),
        )

    def _baseline(self, option, layer):
        """The baseline to rescale with, or None."""
        if option is False or option is None:
            return None
        if option is True:
            baseline = self._encoder.settings.get("baseline", {}).get(str(layer or self._encoder.layers))
            if baseline is None:
                raise ValueError(
                    "rescale_with_baseline: the encoder has no baseline for this layer; expected a dict of "
                    + ", ".join(BERT_SCORES)
                )
            return baseline
        if not isinstance(option, dict) or set(option) != set(BERT_SCORES):
            raise ValueError(
                f"rescale_with_baseline: expected a bool or a dict of {', '.join(BERT_SCORES)}, got {option!r:.60}"
            )
        for name, value in option.items():
            if not is_number(value) or not -1 <= value < 1:
                raise ValueError(
                    f"rescale_with_baseline, {name}: expected a number from -1 to below 1, got {value!r:.60}"
                )
        return option

    def _check_options(self, options):
        super()._check_options(options)
        chosen_names(options.get("scores"), SCORES)

    def _compute(
        self,
        predictions,
        references,
        scores=None,
        idf=False,
        rescale_with_baseline=False,
        layer=None,
        batch_size=64,
        device=None,
        dtype="auto",
        show_progress=True,
    ):
        chosen = chosen_names(scores, SCORES)

        scores_by_name = self._scorer.scores(
            predictions,
            references,
            chosen,
            idf=idf,
            baseline=self._baseline(rescale_with_baseline, layer),
            layer=layer,
            batch_size=batch_size,
            device=device,
            dtype=dtype,
            progress=progress_bar("embedding_similarity", show_progress, "windows"),
        )
        result: dict[str, float | list[float]] = {}
        for name, values in scores_by_name.items():
            result[name] = sum(values) / len(values)
            result[f"{name}_scores"] = values
        return result
