"""SENTAVG (Lai and Tetreault, SIGDIAL 2018), the baseline of plot-guided's Table 5, as a metric."""

import evaluate
import torch
import transformers
from tqdm.auto import tqdm

from .encoder import find_checkpoint
from .encoder import load_checkpoint
from .inference import Normalizer
from .inputs import StoryInputs
from .modeling import SentAvg
from .scoring import SentAvgScorer
from .story_scoring import StoryScorer
from .version import __version__

# evaluate copies the siblings that this file imports and no others; those not used below are named here.
__all__ = ["Normalizer", "SentAvg", "Sentavg", "StoryScorer"]

HUB_IDS = {"roc": "openmeva/sentavg-roc"}

_DESCRIPTION = """
SENTAVG is the probability that a person wrote a story, by a small recurrent network: an LSTM reads each sentence, and
a hidden layer judges the mean of the sentences (Lai and Tetreault 2018; a baseline in Ghazarian et al., NAACL 2021).
It cannot see the order of sentences. Higher is better.
"""

_CITATION = """
@inproceedings{lai-tetreault-2018-discourse,
    title = "Discourse Coherence in the Wild: A Dataset, Evaluation and Methods",
    author = "Lai, Alice and Tetreault, Joel",
    booktitle = "Proceedings of SIGDIAL 2018",
    year = "2018",
    pages = "214--223",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: stories, a list of strings, raw or tokenised.
    contexts: leading contexts, one a story, optional; `roc` takes them as the story's first sentence and joins them.
    context_is_part_of_story: True: a context is joined to its story; False: it is a prompt, and ignored; None
        (default): as the checkpoint says.
    batch_size: sentences read at once.
    device: "cpu", "cuda", ...; chosen by itself where not given.
    dtype: "float32" (default), "bfloat16", or "auto" (bfloat16 where the processor multiplies it natively).
    show_progress: a progress bar, which shows after five seconds.
Returns:
    score: the mean of the scores, 0 to 1.
    scores: one a story, in order, 0 to 1, higher is better.
Raises:
    ValueError: no stories; a row that is not a text or is blank; contexts of another number.
Examples:
    >>> sentavg = evaluate.load("metrics/sentavg", "roc")
    >>> story = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
    >>> 0 <= sentavg.compute(predictions=[story])["score"] <= 1
    True
"""


class Sentavg(StoryInputs, evaluate.Metric):
    """The evaluate module; the checkpoint is chosen by `config_name`: `roc`, a folder or a Hub id."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=self.feature_choices(),
            reference_urls=["https://aclanthology.org/W18-5023"],
        )

    def _download_and_prepare(self, dl_manager: object) -> None:
        name = "roc" if self.config_name in (None, "default") else self.config_name
        checkpoint = load_checkpoint(find_checkpoint("sentavg", name, __file__, HUB_IDS), "sentavg")
        self._scorer = SentAvgScorer(checkpoint)
        self._context = checkpoint.settings["context"]
        self._revision = f"{name}@{checkpoint.revision}"

    def signature(self, dtype: str = "float32", context_is_part_of_story: bool | None = None) -> str:
        """What a score depends on: checkpoint, revision, rule for contexts, maximum length, precision, versions."""
        rule = {True: "first_sentence", False: "prompt", None: self._context}[context_is_part_of_story]
        return "|".join(
            [
                "sentavg",
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
        dtype="float32",
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
                batches, desc=f"sentavg, {texts} sentences", unit="batch", delay=5, disable=not show_progress
            )

        scores, _ = self._scorer.score(
            predictions,
            contexts,
            batch_size,
            device,
            dtype,
            progress=progress,
            joins=context_is_part_of_story,
        )
        return {"score": sum(scores) / len(scores), "scores": scores}
