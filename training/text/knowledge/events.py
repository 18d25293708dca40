"""Commonsense models of the events before and after an event, like the plot-guided paper's COMET (section 3.2.1).

`ConceptNetEvents` looks up triples of ConceptNet, by the nearest known event for an unknown one. `CometEvents` uses a
COMET model of the Hub.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.conceptnet_files import Assertion, load

# Whether the tail of a triple precedes its head.
ORDERING_RELATIONS = {
    "HasPrerequisite": True,
    "HasFirstSubevent": True,
    "Causes": False,
    "HasLastSubevent": False,
}
LONGEST_EVENT = 4  # words; longer tails are definitions rather than events
# ConceptNet has "you will feel good" and "person to laugh" where a plot has "feel good" and "laugh".
_SUBJECT = re.compile(
    r"^(?:that )?(?:you|i|we|one|person)(?: (?:to|may|might|will|can|could|should))? (?=\w)"
)
Embedder = Callable[[Sequence[str]], np.ndarray]
"""Maps texts to vectors with L2 norm 1, shape (n, width)."""


@dataclass(frozen=True, order=True)
class RelatedEvent:
    """An event (base forms), and whether it comes before (`True`) or after the event that it is related to."""

    text: str
    precedes: bool


class EventModel(Protocol):
    """A model of the events before and after an event."""

    def related(self, event: str) -> tuple[RelatedEvent, ...]:
        """Events before and after `event`; empty if the model has none."""


class ConceptNetEvents:
    """Events of ConceptNet's ordering relations, by the event itself, its lemmas, or the nearest known event.

    Args:
        assertions: `(relation, head, tail)`; default: the fetched ConceptNet (`openmeva resources`).
        embed: embeds phrases for comparison; without it, only known events are found.
        nearness: minimum cosine similarity of the nearest known event.

    Raises:
        MissingResourceError: ConceptNet has not been fetched.

    >>> ConceptNetEvents([("Causes", "work", "get paid")]).related("worked")
    (RelatedEvent(text='get paid', precedes=False),)
    """

    def __init__(
        self,
        assertions: Iterable[Assertion] | None = None,
        embed: Embedder | None = None,
        nearness: float = 0.6,
    ) -> None:
        if assertions is None:
            assertions = load(resources.require_resource("conceptnet"))
        events_of: defaultdict[str, set[RelatedEvent]] = defaultdict(set)
        for relation, head, tail in assertions:
            first = ORDERING_RELATIONS.get(relation)
            if first is None or len(tail.split()) > LONGEST_EVENT:
                continue
            event = without_subject(tail)
            if event != head:
                events_of[head].add(RelatedEvent(event, first))
        self._known = {head: tuple(sorted(related)) for head, related in sorted(events_of.items())}
        self._embed, self._nearness = embed, nearness
        self._heads = list(self._known)
        self._vectors = embed(self._heads) if embed and self._heads else None
        self._cached = lru_cache(maxsize=1 << 16)(self._related)

    def related(self, event: str) -> tuple[RelatedEvent, ...]:
        """Events before and after `event`, sorted."""
        return self._cached(event)

    def _related(self, event: str) -> tuple[RelatedEvent, ...]:
        base = [lemma(word, "VBD") for word in event.split()]
        for key in (event, " ".join(base), *base):
            if key in self._known:
                return self._known[key]
        if self._vectors is None or self._embed is None:
            return ()
        nearness = self._vectors @ self._embed([" ".join(base)])[0]
        best = int(np.argmax(nearness))
        return self._known[self._heads[best]] if nearness[best] >= self._nearness else ()


def without_subject(event: str) -> str:
    """An event of ConceptNet as a verb phrase, without a generic subject.

    >>> without_subject("you will feel good"), without_subject("person to laugh"), without_subject("get paid")
    ('feel good', 'laugh', 'get paid')
    """
    return _SUBJECT.sub("", event)


class CometEvents:
    """A sequence-to-sequence COMET model of the Hub, such as that of Hwang et al. (2021).

    Args:
        model: Hub id or folder of a model trained on `head relation [GEN]`.
        beams: number of tails per relation.
    """

    def __init__(self, model: str, beams: int = 3) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self._tokenizer: Any = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
        self._model: Any = AutoModelForSeq2SeqLM.from_pretrained(model, trust_remote_code=False).eval()
        self._beams = beams
        self._cached = lru_cache(maxsize=1 << 16)(self._related)

    def related(self, event: str) -> tuple[RelatedEvent, ...]:
        """Events before and after `event`, sorted by relation and likelihood."""
        return self._cached(event)

    def _related(self, event: str) -> tuple[RelatedEvent, ...]:
        prompts = [f"{event} {relation} [GEN]" for relation in ORDERING_RELATIONS]
        inputs = self._tokenizer(prompts, return_tensors="pt", padding=True)
        written = self._model.generate(
            **inputs, num_beams=self._beams, num_return_sequences=self._beams, max_new_tokens=16
        )
        tails = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        related = []
        for index, tail in enumerate(tails):
            first = list(ORDERING_RELATIONS.values())[index // self._beams]
            text = " ".join(tail.split()).lower().strip(".")
            if text and text != "none" and text != event:
                related.append(RelatedEvent(text, first))
        return tuple(dict.fromkeys(related))


def event_model(name: str | None = None) -> EventModel:
    """The model `conceptnet` (default), with the nearest known event by word vectors, or `comet:` with a Hub id or folder.

    Raises:
        ValueError: an unknown name.
        MissingResourceError: ConceptNet has not been fetched.
    """
    kind, _, model = (name or "conceptnet").partition(":")
    if kind == "comet" and model:
        return CometEvents(model)
    if kind != "conceptnet" or model:
        raise ValueError(f"events: expected conceptnet, or comet:MODEL, got {name!r}")
    return ConceptNetEvents(embed=word_vector_embedder())


def check_event_model(name: str | None = None) -> None:
    """Checks, without reading it, that what `event_model` and manipulations of plots read is available.

    Raises:
        MissingResourceError: WordNet, or ConceptNet where it is needed, has not been fetched.
    """
    resources.require_resource("wordnet")
    if not (name or "").startswith("comet:"):
        resources.require_resource("conceptnet")


def word_vector_embedder() -> Embedder:
    """Mean word vectors of the shared story encoder, with L2 norm 1: sufficient for short verb phrases."""
    from tokenizers import Tokenizer

    from openmeva.metrics.core.checkpoint import read_tensors
    from openmeva.training.paths import ENCODER

    table = read_tensors(ENCODER / FULL_MODEL)["bert.embeddings.word_embeddings.weight"].float().numpy()
    table = table - table.mean(0)  # remove the component that all words share
    tokenizer = Tokenizer.from_file(str(ENCODER / "tokenizer.json"))

    def embed(texts: Sequence[str]) -> np.ndarray:
        rows = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        means = np.stack([table[row.ids or [0]].mean(0) for row in rows])
        return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)

    return embed
