"""DisScore: a discriminator of human-written and generated stories, as a metric."""

import evaluate
import torch
import transformers
from tqdm.auto import tqdm

from .classifier_scoring import ClassifierScorer
from .encoder import find_checkpoint
from .encoder import load_checkpoint
from .inference import Normalizer
from .inputs import StoryInputs
from .story_classifier import StoryClassifier
from .story_scoring import StoryScorer
from .version import __version__

# evaluate copies the siblings that this file imports and no others; those not used below are named here.
__all__ = ["Discriminator", "Normalizer", "StoryClassifier", "StoryScorer"]

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
    explain: also return `explanations`.
    show_progress: a progress bar, which shows after five seconds.
Returns:
    score: the mean of the scores, 0 to 1.
    scores: one a story, in order, 0 to 1, higher is better.
    explanations (with `explain`): a dict a story; `sentences` with `text` and `gain` (the score of the story
        without the sentence minus the score with it: above 0 for a sentence that costs the story).
Raises:
    ValueError: no stories; a row that is not a text or is blank; contexts of another number.
Examples:
    >>> discriminator = evaluate.load("metrics/discriminator", "roc")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> 0 <= discriminator.compute(predictions=[story])["score"] <= 1
    True
"""


class Discriminator(StoryInputs, evaluate.Metric):
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
        name = "roc" if self.config_name in (None, "default") else self.config_name
        folder = find_checkpoint("discriminator", name, __file__, HUB_IDS)
        checkpoint = load_checkpoint(folder, "discriminator")
        self._scorer = ClassifierScorer(checkpoint)
        self._context = checkpoint.settings["context"]
        self._revision = f"{name}@{checkpoint.revision}"

    def signature(self, dtype: str = "auto", context_is_part_of_story: bool | None = None) -> str:
        """What a score depends on: checkpoint, revision, rule for contexts, maximum length, precision, versions."""
        rule = {True: "first_sentence", False: "prompt", None: self._context}[context_is_part_of_story]
        return "|".join(
            [
                "discriminator",
                f"checkpoint:{self._revision}",
                f"context:{rule}",
                f"max_length:{self._scorer.max_length}",
                f"dtype:{dtype}",
                f"version:{__version__}",
                f"torch:{torch.__version__}",
                f"transformers:{transformers.__version__}",
            ]
        )

    def _compute(
        self,
        predictions,
        contexts=None,
        context_is_part_of_story=None,
        batch_size=64,
        device=None,
        dtype="auto",
        explain=False,
        show_progress=True,
    ):
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size: expected a whole number above 0, got {batch_size!r}")
        if context_is_part_of_story not in (True, False, None):
            raise ValueError(
                f"context_is_part_of_story: expected True, False or None, got {context_is_part_of_story!r}"
            )

        def progress(batches, texts):
            return tqdm(
                batches,
                desc=f"discriminator, {texts} texts",
                unit="batch",
                delay=5,
                disable=not show_progress,
            )

        scores, explanations = self._scorer.score(
            predictions,
            contexts,
            batch_size,
            device,
            dtype,
            explain,
            progress,
            joins=context_is_part_of_story,
        )
        result = {"score": sum(scores) / len(scores), "scores": scores}
        if explanations is not None:
            result["explanations"] = explanations
        return result
