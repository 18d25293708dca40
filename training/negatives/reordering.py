"""Reordering (section 3.2): shuffled sentences, for conflicting plots."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial

SENTENCE = "sentence_reordering"


def reorder_sentences(
    story: EditedStory, rng: BufferedRandom, material: NegativeMaterial
) -> EditedStory | None:
    """Put the sentences after the kept ones in a random order that changes the text.

    All such orders are equally likely; swapping two identical sentences is not a change. Returns None if no such
    order exists.
    """
    keep = material.keep
    rest = story.sentences[keep:]
    texts = [list(sentence.words) for sentence in rest]
    if all(text == texts[0] for text in texts):
        return None
    order = list(range(len(rest)))
    # if two sentences differ, at least half of all orders change the text, so this ends soon
    while all(texts[new] == text for new, text in zip(order, texts, strict=True)):
        order = rng.shuffled(range(len(rest)))
    moved = tuple(
        rest[old]._replace(moved=True) if texts[old] != texts[new] else rest[old]
        for new, old in enumerate(order)
    )
    return story.with_sentences(SENTENCE, story.sentences[:keep] + moved)
