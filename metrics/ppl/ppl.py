"""Perplexity of stories under a language model of this project or any other (OpenMEVA section 4.1)."""

import evaluate

from openmeva.metrics.core.module import StoryInputs, encoder_part, progress_bar, signature_of
from openmeva.metrics.core.runtime import precision
from openmeva.metrics.ppl.loading import load_model
from openmeva.metrics.ppl.scoring import PerplexityScorer

HUB_IDS = {
    "roc": "openmeva/ppl-roc",
    "wp": "openmeva/ppl-wp",
    "base": "openmeva/ppl-base",
    "pll": "openmeva/ppl-pll",
    "roc_base": "openmeva/ppl-roc-base",
}

_DESCRIPTION = """
Perplexity of a story under a language model: the exponential of the mean loss of its tokens. A story that is likely
under the model has a low perplexity. The score is the negated perplexity, so that higher is better, as in OpenMEVA
(Guan et al., ACL 2021) and UNION (Guan and Huang, EMNLP 2020).
"""

_CITATION = """
@inproceedings{guan-etal-2021-openmeva,
    title = "{O}pen{MEVA}: A Benchmark for Evaluating Open-ended Story Generation Metrics",
    author = "Guan, Jian and Zhang, Zhexin and Feng, Zhuoer and Liu, Zitao and Ding, Wenbiao and Mao, Xiaoxi and Fan, Changjie and Huang, Minlie",
    booktitle = "Proceedings of ACL-IJCNLP 2021",
    year = "2021",
    pages = "6394--6407",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    contexts: the text before each story, one per story, optional: conditioned on, but not scored.
    batch_size: sequences per batch.
    device: "cpu", "cuda", ...; default: chosen automatically.
    dtype: "auto" (bfloat16 if the processor is faster in it), "float32" or "bfloat16".
    padding_side: "right" or "left" (some third-party models were trained so). The losses are the same; where they would
        not be, "left" raises an error.
    repeated_ngram: n, to score tokens that end an n-gram seen before (in context or story) separately.
    explain: also return `explanations`.
    show_progress: a progress bar, which appears after five seconds.
Returns:
    score: the mean of the scores.
    scores: negated perplexities, one per story, in order, at most -1; higher is better.
    perplexities: 1 and above, lower is better. mean_perplexity: their mean.
    word_perplexities: 1 and above, lower is better: the exponential of a story's summed loss divided by its number of
        words instead of tokens, so that models with different vocabularies are comparable. Words are the Penn
        Treebank's (a punctuation mark is one). A scored end token (`roc`, `wp`, `roc_base`) is one more word.
    nll: the mean loss of each story's tokens in nats (natural logarithm), lower is better.
    log_scores: the negated `nll`, that is, the negated logarithm of the perplexity; higher is better.
    corrected_scores, corrected_log_scores, repeated_shares (with `repeated_ngram`): the scores over the other
        tokens, and the share of repeated tokens, 0 to 1.
    explanations (with `explain`): one dict per story: `sentences` with `text`, `nll` and `tokens` (their number), and
        `tokens` with `token`, `nll` and `sentence`.
    warnings: one per story, None or why the score may mean little (no words, too short, not English, special tokens,
        the wrong kind of story).
Raises:
    ValueError: no stories; a row that is not a string; a story that is blank or has no tokens; a different
        number of contexts than stories.
Examples:
    >>> ppl = evaluate.load("metrics/ppl", "roc")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> broken = "Ann was hungry. She made a whale. It ate sandwich. Felt she full. Then she took a nap."
    >>> good, bad = ppl.compute(predictions=[story, broken])["scores"]
    >>> good > bad
    True
"""


class Ppl(StoryInputs, evaluate.Metric):
    """The evaluate module; `config_name` is `roc`, `wp`, `base`, `roc_base`, `pll`, or a folder or Hub id of a causal model."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/2021.acl-long.500"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        name = "roc" if self.config_name in (None, "default") else self.config_name
        loaded = load_model(name, HUB_IDS)
        self._scorer = PerplexityScorer(loaded)
        self._revision = f"{name}@{loaded.revision}"
        self._encoder_part = encoder_part(loaded.settings)

    def signature(
        self, dtype: str = "auto", repeated_ngram: int | None = None, device: str | None = None
    ) -> str:
        """Everything that a score depends on: checkpoint, revision, encoder, maximum length, n-grams, precision, versions.

        The arguments are those of `compute`.
        """
        return signature_of(
            "ppl",
            checkpoint=self._revision,
            **self._encoder_part,
            max_length=self._scorer.model.max_length,
            repeated_ngram=repeated_ngram or "no",
            dtype=precision(dtype, device),
        )

    def _check_options(self, options):
        super()._check_options(options)
        self._scorer.check_padding_side(options.get("padding_side", "right"))

    def _compute(
        self,
        predictions,
        contexts=None,
        batch_size=32,
        device=None,
        dtype="auto",
        padding_side="right",
        repeated_ngram=None,
        explain=False,
        show_progress=True,
    ):
        result = self._scorer.score(
            predictions,
            contexts,
            batch_size,
            device,
            dtype,
            padding_side,
            repeated_ngram,
            explain,
            progress_bar("ppl", show_progress, "windows"),
        )
        count = len(predictions)
        means = {
            "score": sum(result["scores"]) / count,
            "mean_perplexity": sum(result["perplexities"]) / count,
        }
        return {**means, **result}
