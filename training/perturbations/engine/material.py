"""Resources of perturbations (other stories, paraphraser, similarity), and their thresholds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openmeva.training.perturbations.engine.paraphraser import Paraphraser
from openmeva.training.perturbations.engine.story_pool import StoryPool

Similarity = Callable[[Sequence[tuple[str, str]]], list[float]]
"""Similarities of pairs of sentences, higher is more similar; MoverScore on the shared encoder is used."""


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of similarity and word overlap.

    The first two depend on the encoder. The shared one gives the five pairs of Table 14, in its order, -.06,
    -.09, .30, .54 and .73 (the paper's: .05, .16, .42, .57, .75): .25 accepts the same three (two of them pass
    BLEU-1, too). 16 % of ROC stories are below -.05; in Table 6, 12 % are weakly related.

    Attributes:
        similarity: minimum MoverScore of a paraphrase with its original (the paper's encoder: .4).
        relatedness: a story is weakly related if all pairs of its sentences are below this MoverScore (the paper's: .1).
        overlap: a paraphrase has less than this BLEU-1 with its original (paper: .6).
    """

    similarity: float = 0.25
    relatedness: float = -0.05
    overlap: float = 0.6


@dataclass(frozen=True)
class PerturbationMaterial:
    """Resources and settings of perturbations.

    Attributes:
        keep: number of leading sentences that never change: 1 if the first sentence is the context (ROC), 0 if the
            context is a separate prompt (WP).
        corpus: other stories, for relatedness.
        paraphraser: source of paraphrases, for semantic repetition and paraphrase.
        similarity: MoverScore, for the same two and to select weakly related stories.
        thresholds: of similarity and overlap.
        avoided: phrases of up to three tokens, in lower case, that no paraphrase may add to its sentence; "^ and" opens it.

    Raises:
        ValueError: `keep` is negative.
    """

    keep: int = 1
    corpus: StoryPool | None = None
    paraphraser: Paraphraser | None = None
    similarity: Similarity | None = None
    thresholds: Thresholds = Thresholds()
    avoided: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.keep < 0:
            raise ValueError(f"keep: expected 0 or more, got {self.keep}")
