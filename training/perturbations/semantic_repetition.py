"""Semantic repetition: a sentence said again in other words."""

from training.negatives.draws import Draws

from .aspect import DISCRIMINATION, Aspect
from .edits import Edit
from .material import Material
from .paraphrasing import good_paraphrase
from .story import Story


def repeat_meaning(story: Story, draws: Draws, material: Material) -> list[Edit] | None:
    """Put a paraphrase of a sentence after it; see `paraphrasing.good_paraphrase` for which serve."""
    for sentence in draws.shuffled(story.sentences[material.keep :]):
        new = good_paraphrase(sentence, draws, material)
        if new is not None:
            blank = story.separator if "\n" not in story.separator and story.separator.isspace() else " "
            return [Edit(sentence.end, sentence.end, blank + new)]
    return None


ASPECT = Aspect(
    name="semantic_repetition",
    kind=DISCRIMINATION,
    techniques={"paraphrase_repetition": repeat_meaning},
    needs=("paraphraser", "similarity"),
)
