"""All operations by name, and which of them realise which technique."""

from collections.abc import Callable

from openmeva.training.common.draws import Draws
from openmeva.training.negatives import negation, reordering, repetition, substitution
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial

Operation = Callable[[EditedStory, Draws, NegativeMaterial], EditedStory | None]
"""Takes a story under edit and returns it edited further, or None where it does not apply."""

# Sentence-level operations stand first, and the sampler applies them in this order: what replaces or
# removes whole sentences comes before the finer edits it would lose.
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
