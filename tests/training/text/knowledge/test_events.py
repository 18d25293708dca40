"""Events before and after an event."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.training.text.knowledge.events import (
    ORDERING_RELATIONS,
    CometEvents,
    ConceptNetEvents,
    RelatedEvent,
    event_model,
    word_vector_embedder,
)
from tests.tiny.models import write_bart

TRIPLES = [
    ("Causes", "work", "get paid"),
    ("HasPrerequisite", "work", "wake up"),
    ("HasFirstSubevent", "go to sleep", "close your eyes"),
    ("HasLastSubevent", "go to sleep", "wake up"),
    ("Causes", "work", "a definition that is far too long"),
    ("UsedFor", "pen", "write"),
]


def test_relation_determines_event_order() -> None:
    events = ConceptNetEvents(TRIPLES)
    assert events.related("work") == (RelatedEvent("get paid", False), RelatedEvent("wake up", True))
    assert events.related("go to sleep") == (
        RelatedEvent("close your eyes", True),
        RelatedEvent("wake up", False),
    )


def test_generic_subject_is_removed() -> None:
    triples = [("Causes", "scream", "you make loud noise"), ("HasPrerequisite", "scream", "your mouth open")]
    events = ConceptNetEvents([*triples, ("Causes", "scream", "you scream")])
    assert events.related("scream") == (
        RelatedEvent("make loud noise", False),
        RelatedEvent("your mouth open", True),
    )


def test_events_are_found_by_the_lemma_of_a_word() -> None:
    events = ConceptNetEvents(TRIPLES)
    assert events.related("worked hard") == events.related("work")
    assert events.related("pen") == ()  # no relation of order


def test_nearest_known_event_is_used_above_the_similarity_threshold() -> None:
    vectors = {"work": [1.0, 0.0], "go to sleep": [0.0, 1.0], "toil": [0.9, 0.1], "sing": [0.5, 0.5]}

    def embed(texts: Sequence[str]) -> np.ndarray:
        return np.array([vectors[text] for text in texts])

    events = ConceptNetEvents(TRIPLES, embed, nearness=0.8)
    assert events.related("toil") == events.related("work")
    assert events.related("sing") == ()


def test_word_vectors_of_similar_events_are_closer() -> None:
    embed = word_vector_embedder()
    cook, fry, drive = embed(["cook dinner", "bake bread", "drive home"])
    assert np.isclose(np.linalg.norm(cook), 1, atol=1e-5)
    assert cook @ fry > cook @ drive


def test_comet_model_is_queried_for_each_relation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_bart(tmp_path / "comet", ["eat dinner Causes [GEN] feel full", "HasPrerequisite cook it"])
    events = event_model(f"comet:{folder}")
    assert isinstance(events, CometEvents)
    queries: list[str] = []
    tails = [f"{relation} Tail {n}." for relation in ORDERING_RELATIONS for n in range(3)]
    tails[1], tails[2] = "none", tails[0]  # nothing known, and the same again
    tokenizer = events._tokenizer

    class Tokenizer:
        def __call__(self, prompts: list[str], **options: Any) -> Any:
            queries.extend(prompts)
            return tokenizer(prompts, **options)

        def batch_decode(self, written: Any, **_: Any) -> list[str]:
            assert len(written) == len(tails), "three beams per relation"
            return tails

    monkeypatch.setattr(events, "_tokenizer", Tokenizer())
    related_events = events.related("eat dinner")
    assert queries == [f"eat dinner {relation} [GEN]" for relation in ORDERING_RELATIONS]
    assert related_events[0] == RelatedEvent("hasprerequisite tail 0", True)
    assert [event.precedes for event in related_events] == [True] + [True] * 3 + [False] * 6
    assert events.related("eat dinner") == related_events
    assert len(queries) == len(ORDERING_RELATIONS), "queried once"


def test_unknown_event_model_is_refused() -> None:
    for name in ("comet:", "atomic", "conceptnet:x"):
        with pytest.raises(ValueError, match="expected conceptnet, or comet:MODEL"):
            event_model(name)
