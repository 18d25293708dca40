"""Builds the manipulator of a corpus from its stories and lexical knowledge of English."""

from collections.abc import Sequence

from openmeva.training.plot_guided.manipulations.manipulator import PlotManipulator
from openmeva.training.plot_guided.manipulations.material import (
    REPEATED_SHARE,
    SENTENCES_PER_REPETITION,
    PlotMaterial,
    most_frequent_tags,
)
from openmeva.training.plot_guided.plots.corpus import PlottedStory
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.knowledge.events import event_model


def build_manipulator(
    stories: Sequence[PlottedStory],
    seed: int,
    events: str | None = None,
    without: tuple[str, ...] = (),
    whole_sentences: bool = False,
    repeated_share: float = REPEATED_SHARE,
    sentences_per_repetition: int = SENTENCES_PER_REPETITION,
) -> PlotManipulator:
    """A manipulator that takes phrases of other stories from the plots of `stories`.

    Args:
        stories: human stories with their plots.
        seed: any non-negative integer.
        events: name of the model of events before and after an event (see `training.text.knowledge.events.event_model`).
        without: manipulations to exclude.
        whole_sentences: whether substitution replaces all phrases of a sentence.
        repeated_share: share of the phrases that repetition repeats.
        sentences_per_repetition: a repeated phrase is inserted in one of this many sentences.

    Raises:
        ValueError: a negative seed, or unknown manipulations or events.
        MissingResourceError: ConceptNet has not been downloaded and no other model of events is named.
    """
    material = PlotMaterial(
        plots=[story.plot for story in stories],
        tags=most_frequent_tags(story.story for story in stories),
        language=English(),
        events=event_model(events),
        whole_sentences=whole_sentences,
        repeated_share=repeated_share,
        sentences_per_repetition=sentences_per_repetition,
    )
    return PlotManipulator(material, seed, without)
