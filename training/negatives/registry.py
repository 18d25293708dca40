"""All operations by name, the operations of each technique, and the recipes that combine them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives import negation, released, reordering, repetition, substitution
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial

Operation = Callable[[EditedStory, BufferedRandom, NegativeMaterial], EditedStory | None]
"""Takes an edited story and returns it with one more edit, or None if the operation does not apply."""

# The sampler applies the operations in this order. Sentence-level ones come first: they replace or remove whole
# sentences, and with them any finer edits made before.
OPERATIONS: dict[str, Operation] = {
    substitution.SENTENCE: substitution.substitute_sentence,
    repetition.SENTENCE: repetition.repeat_sentence,
    reordering.SENTENCE: reordering.reorder_sentences,
    substitution.LEXICAL: substitution.substitute_keywords,
    negation.LEXICAL: negation.alter_negation,
    repetition.LEXICAL: repetition.repeat_ngram,
}

# technique -> (operation at word level, operation at sentence level); reordering and negation
# alteration have one level each in the paper
TECHNIQUE_OPERATIONS: dict[str, tuple[str, ...]] = {
    "repetition": (repetition.LEXICAL, repetition.SENTENCE),
    "substitution": (substitution.LEXICAL, substitution.SENTENCE),
    "reordering": (reordering.SENTENCE,),
    "negation": (negation.LEXICAL,),
}


@dataclass(frozen=True)
class Recipe:
    """How a sampler applies the techniques that it has sampled.

    Attributes:
        operations: operations by name.
        in_sampled_order: whether techniques are applied in the order in which they were sampled; else in the order of
            `operations`.
        sentence_level: probability of the sentence level by technique, where it differs from `UnionSampling`'s.
        min_sentences: a story with fewer sentences, not counting the kept ones, has no negative sample.
    """

    operations: Mapping[str, Operation]
    in_sampled_order: bool = False
    sentence_level: Mapping[str, float] = field(default_factory=dict)
    min_sentences: int = 0


RECIPES = {
    "paper": Recipe(OPERATIONS),
    "released": Recipe(
        {
            substitution.SENTENCE: released.substitute_sentences,
            repetition.SENTENCE: released.repeat_sentence,
            reordering.SENTENCE: released.permute_sentences,
            substitution.LEXICAL: released.substitute_keywords,
            negation.LEXICAL: released.alter_negations,
            repetition.LEXICAL: released.repeat_ngrams,
        },
        in_sampled_order=True,
        sentence_level={"repetition": 0.7},
        min_sentences=3,
    ),
}
