"""What perturbations draw on (other stories, paraphraser, similarity), and their thresholds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openmeva.training.perturbations.engine.corpus import StoryPool
from openmeva.training.perturbations.engine.paraphraser import Paraphraser

Similarity = Callable[[Sequence[tuple[str, str]]], list[float]]
"""Similarities of pairs of sentences, higher is more alike; in use MoverScore on the shared encoder."""


@dataclass(frozen=True)
class Thresholds:
    """Where similarity and word overlap begin and end.

    The first two belong to an encoder. The shared one gives the five pairs of Table 14, in its order, -.06,
    -.09, .30, .54 and .73 (the paper's: .05, .16, .42, .57, .75): .25 lets the same three pass (two
    of them by BLEU-1, too). Below -.05 lie about as many ROC stories (12 %) as are weakly related in Table 6.

    Attributes:
        similarity: a paraphrase has at least this MoverScore with its original (the paper's encoder: .4).
        relatedness: a story whose sentences all stay below this is weakly related (the paper's: .1).
        overlap: a paraphrase has less than this BLEU-1 with its original (paper: .6).
    """

    similarity: float = 0.25
    relatedness: float = -0.05
    overlap: float = 0.6


@dataclass(frozen=True)
class PerturbationMaterial:
    """What perturbations draw on, and their settings.

    Attributes:
        keep: how many leading sentences no perturbation touches: 1 where the first sentence is the context
            (ROC), 0 where the context is a prompt of its own (WP).
        corpus: other stories, for relatedness.
        paraphraser: source of paraphrases; semantic repetition and paraphrase need one.
        similarity: MoverScore, for the same two and for the choice of weakly related stories.
        thresholds: of similarity and overlap.
        avoided: words and phrases, of up to three tokens in lower case, that no paraphrase may add to its sentence.

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
