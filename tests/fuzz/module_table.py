"""The evaluate modules that are fuzzed, with tiny random models and with the weights of this project."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tests.tiny.bleurt import write_bleurt
from tests.tiny.classifier import write_classifier
from tests.tiny.models import write_bert, write_checkpoint
from tests.tiny.ppl import write_gpt2, write_ppl_checkpoint
from tests.tiny.ruber import write_ruber_checkpoint
from tests.tiny.sentavg import write_sentavg


@dataclass(frozen=True)
class Module:
    """A module under test.

    Attributes:
        name: of its folder.
        write: writes a tiny checkpoint to a folder; None for a module without weights.
        columns: inputs in addition to `predictions`: `contexts`, `references`.
        low, high: the range of its scores.
        keys: keys of the score lists in the result.
        options: of `compute`, always given.
        shipped: whether it uses the weights of this project, which are slower, instead of tiny random ones.
    """

    name: str
    write: Callable[[Path], Path] | None
    columns: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    keys: tuple[str, ...] = ("scores",)
    options: dict[str, Any] = field(default_factory=lambda: {"dtype": "float32"})
    shipped: bool = False


def _write_similarity_encoder(folder: Path) -> Path:
    torch.manual_seed(6)
    return write_bert(folder, max_position_embeddings=64)


_SIMILARITIES = (
    "greedy_matching", "vector_average", "vector_extrema", "min_max_pooling", "bertscore_precision",
    "bertscore_recall", "bertscore_f1", "moverscore_1", "moverscore_2",
)  # fmt: skip
_OVERLAPS = ("bleu", "rouge1", "rouge2", "rougeL")
METEOR = "overlap (METEOR)"  # NLTK takes seconds to read WordNet
MODULES: dict[str, Module] = {
    "union": Module("union", write_checkpoint, ("contexts",)),
    "plot_coherence": Module(
        "plot_coherence", partial(write_classifier, metric="plot_coherence", token_share=0.3), ("contexts",)
    ),
    "discriminator": Module(
        "discriminator",
        partial(write_classifier, metric="discriminator", context="first_sentence", error_types=False),
        ("contexts",),
    ),
    "sentavg": Module("sentavg", write_sentavg, ("contexts",)),
    # compared by the logarithm of perplexity: the exponential would amplify float32 rounding
    "ppl": Module("ppl", write_ppl_checkpoint, ("contexts",), high=700.0, keys=("nll",)),
    "ppl (masked)": Module(
        "ppl",
        partial(write_ppl_checkpoint, model="masked", spacing=3),
        ("contexts",),
        high=700.0,
        keys=("nll",),
    ),
    "ppl (GPT-2)": Module("ppl", write_gpt2, ("contexts",), high=700.0, keys=("nll",)),
    "ruber_bert": Module("ruber_bert", write_ruber_checkpoint, ("contexts", "references")),
    "ruber_bert (rnn)": Module(
        "ruber_bert", partial(write_ruber_checkpoint, encoder="rnn"), ("contexts", "references")
    ),
    "bleurt": Module("bleurt", write_bleurt, ("references",), -math.inf, math.inf),
    "embedding_similarity": Module(
        "embedding_similarity",
        _write_similarity_encoder,
        ("references",),
        -1.0,
        keys=tuple(f"{name}_scores" for name in _SIMILARITIES),
    ),
    "overlap": Module(
        "overlap",
        None,
        ("references",),
        keys=tuple(f"{name}_scores" for name in _OVERLAPS),
        options={"scores": list(_OVERLAPS)},
    ),
    METEOR: Module("overlap", None, ("references",), keys=("meteor_scores",), options={"scores": "meteor"}),
}
MODULES |= {
    f"{name} (shipped)": replace(MODULES[name], write=None, shipped=True)
    for name in (
        "union", "plot_coherence", "discriminator", "sentavg", "ppl", "ruber_bert", "bleurt", "embedding_similarity",
    )
}  # fmt: skip
