"""Plot extractors by name, and the plots of a whole corpus."""

from collections.abc import Callable, Sequence

import numpy as np

from openmeva.training.plot_guided.plots.keywords import storyline
from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.plot_guided.plots.semantic_roles import PREFIX, SemanticRoles
from openmeva.training.plot_guided.plots.verbs import verb_plot
from openmeva.training.text.tagged_story import TaggedStory


def opening_plot(
    words: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], generator: np.random.Generator
) -> Plot:
    """The first sentence as one phrase, for open-ended generation; the other sentences have no phrases.

    >>> opening_plot([["Ann", "ran", "."], ["She", "fell", "."]], [], np.random.default_rng(0))
    [['Ann ran .'], []]
    """
    return [[" ".join(words[0])], *([] for _ in words[1:])]


Extractor = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]], np.random.Generator], Plot]
"""Maps the words of each sentence, their Penn Treebank tags and a random generator to a plot."""

EXTRACTORS: dict[str, Extractor] = {"storyline": storyline, "verbs": verb_plot, "opening": opening_plot}
ALTERNATION_SIGN = "+"


def extract_plots(stories: Sequence[TaggedStory], extractor: str, seed: int) -> list[Plot]:
    """The plot of each story; it depends only on the story, the seed and the story's index.

    Args:
        stories: words and tags.
        extractor: a name of `EXTRACTORS`, or `srl:` and the Hub id or folder of a semantic-role labeller. Several,
            joined by `+` (`storyline+opening`), alternate between stories.
        seed: seed of extractors that sample.

    Raises:
        ValueError: an unknown extractor.
    """
    check_extractor(extractor)
    turns = [_find_extractor(name) for name in _names(extractor)]
    return [
        turns[index % len(turns)](story.words, story.tags, np.random.default_rng((seed, index)))
        for index, story in enumerate(stories)
    ]


def check_extractor(extractor: str) -> None:
    """Raises a ValueError for an extractor that `extract_plots` does not know."""
    for name in _names(extractor):
        if name not in EXTRACTORS and not name.startswith(PREFIX):
            raise ValueError(
                f"expected a plot extractor of {', '.join(EXTRACTORS)}, or srl:MODEL, got {name!r}"
            )


def _names(extractor: str) -> list[str]:
    """The extractors that alternate."""
    return [extractor] if extractor.startswith(PREFIX) else extractor.split(ALTERNATION_SIGN)


def _find_extractor(name: str) -> Extractor:
    return EXTRACTORS[name] if name in EXTRACTORS else SemanticRoles(name.removeprefix(PREFIX))
