"""Non-logically ordered plots: what should come before an event is told after it, or the other way round."""

from openmeva.training.common.draws import Draws
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, count_of
from openmeva.training.text.knowledge.events import RelatedEvent

NAME = "illogical_order"
CONNECTIONS = ("then", "later", "subsequently", "")
_VERB_FORMS = ("VBD", "VBG", "VBN", "VBZ")


def misorder_events(plot: ManipulatedPlot, draws: Draws, material: PlotMaterial) -> ManipulatedPlot | None:
    """Sets a related event on the wrong side of a share of the phrases with a verb.

    A commonsense model says what comes before and after the event. The later of the two begins with "then",
    "later" or "subsequently", or with nothing. The event takes the verb form of the phrase. None where the
    model knows of no event around any phrase.
    """
    verbs = [
        (row, place)
        for row, phrases in enumerate(plot.sentences)
        for place, phrase in enumerate(phrases)
        if any(material.tag(word).startswith("VB") for word in phrase.text.split())
    ]
    wanted = count_of(material.share, sum(map(len, plot.sentences)))
    chosen: list[tuple[int, int]] = []
    for row, place in draws.shuffled(verbs):
        if len(chosen) < wanted and _known(plot, row, place, material):
            chosen.append((row, place))
    # from the last phrase on, so that an insertion moves no place still to come
    for row, place in sorted(chosen, reverse=True):
        phrase = plot.sentences[row][place]
        event = draws.choice(_known(plot, row, place, material))
        text = _in_form_of(phrase.text, event.text, material)
        connection = f"{draws.choice(CONNECTIONS)} "
        if event.first:  # it belongs before the phrase, so it is told after it
            new = (phrase, Phrase(f"{connection}{text}".strip(), NAME))
        else:
            new = (Phrase(text, NAME), Phrase(f"{connection}{phrase.text}".strip(), phrase.by or NAME))
        plot = plot.with_phrases(row, place, place + 1, *new)
    return plot.done(NAME) if chosen else None


def _known(plot: ManipulatedPlot, row: int, place: int, material: PlotMaterial) -> list[RelatedEvent]:
    """What the model knows around a phrase, or else around its verb, in words that the corpus has."""
    text = plot.sentences[row][place].text
    verb = next(word for word in text.split() if material.tag(word).startswith("VB"))
    for event in (text, verb):
        found = [
            other for other in material.events.related(event) if all(map(material.knows, other.text.split()))
        ]
        if found:
            return found
    return []


def _in_form_of(phrase: str, event: str, material: PlotMaterial) -> str:
    """The event with its first word in the form of the phrase's verb: "get paid" beside "worked" is "got paid"."""
    language = material.language
    for word in phrase.split():
        tag = material.tag(word)
        if tag in _VERB_FORMS and language.lemma(word, tag) != word:
            first, *rest = event.split()
            if not material.tag(first).startswith("VB"):
                break
            return " ".join([language.inflect(first, tag), *rest])
    return event
