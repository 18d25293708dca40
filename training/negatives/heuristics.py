"""The plot-guided paper's heuristic negatives: HEUR_SENT_SUB and HEUR_KEY_SUB (section 5.1)."""

from collections.abc import Sequence

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory

SENTENCE_SHARE = 0.5
KEYWORD_SHARE = 0.15


def substitute_sentences(
    index: int, stories: Sequence[TaggedStory], rng: BufferedRandom
) -> list[list[str]] | None:
    """Story `index` with a share of its sentences (rounded down, at least one) replaced by those of other
    stories.

    None for a story of one sentence, or if there is no other story.
    """
    words = [list(sentence) for sentence in stories[index].words]
    if len(words) < 2 or len(stories) < 2:
        return None
    for position in rng.shuffled(range(len(words)))[: max(1, int(SENTENCE_SHARE * len(words)))]:
        other_index = rng.below(len(stories) - 1)
        other_index += other_index >= index  # skip the story itself
        words[position] = list(rng.choice(stories[other_index].words))
    return words


def substitute_antonyms(
    story: TaggedStory, language: Language, rng: BufferedRandom
) -> list[list[str]] | None:
    """The story with a share of its keywords (rounded, at least one) replaced by antonyms.

    None if no keyword has an antonym.
    """
    words = [list(sentence) for sentence in story.words]
    keywords, places = 0, []
    for row, (line, tags) in enumerate(zip(story.words, story.tags, strict=True)):
        for at, (word, tag) in enumerate(zip(line, tags, strict=True)):
            if language.is_keyword(word, tag):
                keywords += 1
                antonyms = language.antonyms(word, tag)
                if antonyms:
                    places.append((row, at, antonyms))
    if not places:
        return None
    for row, at, antonyms in rng.shuffled(places)[: max(1, int(KEYWORD_SHARE * keywords + 0.5))]:
        words[row][at] = rng.choice(antonyms)
    return words
