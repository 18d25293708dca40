"""The distributions of UNION's negative samples, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

TECHNIQUES = MappingProxyType({"repetition": 0.1, "substitution": 0.3, "reordering": 0.4, "negation": 0.2})
RECIPES = ("paper", "released")
LEXICONS = ("wordnet", "conceptnet")


@dataclass(frozen=True, slots=True)
class UnionSampling:
    """How negative samples are made. The distributions are the paper's (section 3.2), for both corpora; it gives no
    values for `sentence_level` and `contraction`. `keep` is ROCStories'.

    Attributes:
        counts: Probability of 1, 2, ... techniques in one sample; sums to 1.
        techniques: Weight of each technique, for sampling without replacement; sums to 1.
        without: Techniques to exclude (ablations of Table 7); the others keep their proportions.
        recipe: Implementation of the techniques: as in the paper ("paper"), or as in its released code ("released", see
            `released.py`), which corrupts a story far more.
        lexicon: Source of keywords and antonyms: WordNet, plus ConceptNet's negated relations if they have been
            downloaded ("wordnet"), or ConceptNet only, as in the paper ("conceptnet").
        sentence_level: Probability of the sentence level for techniques with both levels; the released recipe has
            its own value for repetition.
        keep: Number of leading sentences that never change: 1 for ROC, where the first is the context, 0 for
            WP, where the context is the prompt.
        keyword_share: Share of the keywords that lexical substitution replaces, in (0, 1].
        ngram_max: Maximum n of the repeated n-grams.
        contraction: Probability of "n't" for "not" where English allows it.

    Raises:
        ValueError: A field out of its range, or an unknown technique; the message names it.

    >>> UnionSampling(keep=0, without=("reordering",)).weights()
    {'repetition': 0.1, 'substitution': 0.3, 'negation': 0.2}
    """

    counts: tuple[float, ...] = (0.5, 0.2, 0.2, 0.1)
    techniques: Mapping[str, float] = field(default_factory=lambda: dict(TECHNIQUES))
    without: tuple[str, ...] = ()
    recipe: str = "paper"
    lexicon: str = "wordnet"
    sentence_level: float = 0.5
    keep: int = 1
    keyword_share: float = 0.15
    ngram_max: int = 4
    contraction: float = 0.5

    def __post_init__(self) -> None:
        technique_names = ", ".join(TECHNIQUES)
        for name in (*self.techniques, *self.without):
            if name not in TECHNIQUES:
                raise ValueError(f"expected techniques among {technique_names}, got {name!r}")
        for name, choices in (("recipe", RECIPES), ("lexicon", LEXICONS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {getattr(self, name)!r}")
        for name, weights in (("counts", self.counts), ("techniques", tuple(self.techniques.values()))):
            if any(weight < 0 for weight in weights) or abs(sum(weights) - 1.0) > 1e-6:
                raise ValueError(f"{name}: expected non-negative numbers that sum to 1, got {weights}")
        if not 1 <= len(self.counts) <= len(TECHNIQUES):
            raise ValueError(f"counts: expected 1 to {len(TECHNIQUES)} numbers, got {len(self.counts)}")
        if not self.weights():
            raise ValueError(f"without: expected at least one of {technique_names} to remain, got none")
        for name in ("sentence_level", "contraction"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected a number in 0 .. 1, got {getattr(self, name)}")
        if not 0 < self.keyword_share <= 1:
            raise ValueError(f"keyword_share: expected a number in (0, 1], got {self.keyword_share}")
        if self.keep < 0:
            raise ValueError(f"keep: expected 0 or more, got {self.keep}")
        if self.ngram_max < 1:
            raise ValueError(f"ngram_max: expected 1 or more, got {self.ngram_max}")

    def weights(self) -> dict[str, float]:
        """The techniques in use with their weights."""
        return {
            name: weight
            for name, weight in self.techniques.items()
            if weight > 0 and name not in self.without
        }
