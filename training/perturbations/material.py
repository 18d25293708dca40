"""Everything beside the story and the random draws that a perturbation may use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .corpus import Corpus
from .paraphraser import Paraphraser

Similarity = Callable[[Sequence[tuple[str, str]]], list[float]]
"""Similarities of pairs of sentences, higher is more alike; in use MoverScore on the shared encoder."""


@dataclass(frozen=True)
class Thresholds:
    """Where similarity and word overlap begin and end; the first two are the encoder's, see `PRECISION.md`.

    Attributes:
        similarity: a paraphrase has at least this MoverScore with its original (paper: .4, its encoder).
        relatedness: a story whose sentences all stay below this is weakly related (paper: .1).
        overlap: a paraphrase has less than this BLEU-1 with its original (paper: .6).
    """

    similarity: float = 0.4
    relatedness: float = 0.1
    overlap: float = 0.6


@dataclass(frozen=True)
class Material:
    """What perturbations draw on, and their settings.

    Attributes:
        keep: how many leading sentences no perturbation touches: 1 where the first sentence is the context
            (ROC), 0 where the context is a prompt of its own (WP).
        corpus: other stories, for relatedness.
        paraphraser: source of paraphrases; semantic repetition and paraphrase need one.
        similarity: MoverScore, for the same two and for the choice of weakly related stories.
        thresholds: of similarity and overlap.

    Raises:
        ValueError: `keep` is negative.
    """

    keep: int = 1
    corpus: Corpus | None = None
    paraphraser: Paraphraser | None = None
    similarity: Similarity | None = None
    thresholds: Thresholds = Thresholds()

    def __post_init__(self) -> None:
        if self.keep < 0:
            raise ValueError(f"keep: expected 0 or more, got {self.keep}")
