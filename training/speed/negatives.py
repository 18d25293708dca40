"""How many negative samples are made in a second."""

from collections import deque
from collections.abc import Sequence
from time import perf_counter

from openmeva.training.negatives.sampling import UnionSampling
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory


def negatives_per_second(
    stories: Sequence[TaggedStory],
    processes: int,
    language: Language | None = None,
    sampling: UnionSampling | None = None,
) -> float:
    """Wall-clock rate of sampling one negative a story, results gathered in this process.

    The stories are tagged already and the keyword table is counted before the clock starts; starting
    the processes is within the time.

    Args:
        stories: Tagged stories, thousands of them for a steady figure.
        processes: How many processes share the work.
        language: Lexicon and inflection; `training.text` unless given.
        sampling: The distributions; the paper's unless given.
    """
    if language is None:
        from openmeva.training.text.knowledge.english import English  # needs WordNet: only where it is used

        language = English()
    sampler = UnionSampler(stories, language, sampling)
    start = perf_counter()
    deque(sampler.sample_all(processes=processes), maxlen=0)
    return len(stories) / (perf_counter() - start)
