"""Non-logically ordered plots: a preceding event is told after its event, or a following one before it."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, rounded_count
from openmeva.training.text.knowledge.events import RelatedEvent

NAME = "illogical_order"
CONNECTIONS = ("then", "later", "subsequently", "")
_VERB_FORMS = ("VBD", "VBG", "VBN", "VBZ")


def misorder_events(
    plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Inserts a related event on the wrong side of a share of the phrases with a verb.

    A commonsense model predicts the events before and after a phrase. The second of the two phrases begins with
    "then", "later" or "subsequently", or with no connective. The event takes the verb form of the phrase. None if the
    model has no related event for any phrase.
    """
    verbs = [
        (row, index)
        for row, phrases in enumerate(plot.sentences)
        for index, phrase in enumerate(phrases)
        if any(material.tag(word).startswith("VB") for word in phrase.text.split())
    ]
    wanted = rounded_count(material.share, sum(map(len, plot.sentences)))
    chosen: list[tuple[int, int]] = []
    for row, index in rng.shuffled(verbs):
        if len(chosen) < wanted and _related_events(plot, row, index, material):
            chosen.append((row, index))
    # from last to first, so that an insertion does not shift the indices of later ones
    for row, index in sorted(chosen, reverse=True):
        phrase = plot.sentences[row][index]
        event = rng.choice(_related_events(plot, row, index, material))
        text = _in_form_of(phrase.text, event.text, material)
        connection = f"{rng.choice(CONNECTIONS)} "
        if event.precedes:  # it precedes the phrase, so it is told after it
            new = (phrase, Phrase(f"{connection}{text}".strip(), NAME))
        else:
            new = (
                Phrase(text, NAME),
                Phrase(f"{connection}{phrase.text}".strip(), phrase.manipulation or NAME),
            )
        plot = plot.with_phrases(row, index, index + 1, *new)
    return plot.with_manipulation(NAME) if chosen else None


def _related_events(
    plot: ManipulatedPlot, row: int, index: int, material: PlotMaterial
) -> list[RelatedEvent]:
    """Events related to a phrase, or else to its verb, that have only words of the corpus."""
    text = plot.sentences[row][index].text
    verb = next(word for word in text.split() if material.tag(word).startswith("VB"))
    for event in (text, verb):
        related = [
            candidate
            for candidate in material.events.related(event)
            if all(map(material.knows, candidate.text.split()))
        ]
        if related:
            return related
    return []


def _in_form_of(phrase: str, event: str, material: PlotMaterial) -> str:
    """The event with its first word in the form of the phrase's verb: for "worked", "get paid" becomes "got paid"."""
    language = material.language
    for word in phrase.split():
        tag = material.tag(word)
        if tag in _VERB_FORMS and language.lemma(word, tag) != word:
            first, *rest = event.split()
            if not material.tag(first).startswith("VB"):
                break
            return " ".join([language.inflect(first, tag), *rest])
    return event
