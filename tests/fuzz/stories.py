"""Text tools, perturbation aspects and operations of negative sampling, for any story."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from openmeva.metrics.core.text import (
    UNSHIELD_PLACEHOLDERS,
    Normalizer,
    clean,
    sentence_spans,
    split_sentences,
)
from openmeva.training.negatives import OPERATIONS, BufferedRandom, EditedStory, NegativeMaterial, TaggedStory
from openmeva.training.paths import ROOT
from openmeva.training.perturbations import PerturbationMaterial, Perturber, Story, StoryPool, parse
from openmeva.training.perturbations.paraphrasers import RuleParaphraser
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.tagger.tagging import tag
from tests.fuzz.inputs import real_stories, texts, weighted, wrong_values
from tests.fuzz.outcome import REFUSED, SCORED, Checked
from tests.tiny.language import ANN, KEN, TOM, tagged

CORPUS = ROOT / "tests" / "training" / "perturbations" / "corpus.txt"


def seeded(longest: int) -> st.SearchStrategy[tuple[Any, int]]:
    """A text, or sometimes another value, and a seed."""
    text = weighted((4, real_stories()), (3, texts(longest)), (1, wrong_values()))
    return st.tuples(text, st.integers(0, 99))


def check_text_tools(text: str) -> Checked:
    """Words and sentences together give the text, and contain no white space."""
    normalizer = Normalizer()
    sentences = normalizer.sentences(text)
    for words in sentences:
        assert words
        assert " ".join(words).split() == words, words
    assert normalizer.sentences(text) == sentences
    without_shields = text.translate(
        dict.fromkeys(UNSHIELD_PLACEHOLDERS, " ")
    )  # its own private-use characters
    cleaned = clean(without_shields).translate(UNSHIELD_PLACEHOLDERS)
    assert " ".join(split_sentences(text)).split() == cleaned.split()
    at = 0
    for start, end in sentence_spans(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end].strip() == text[start:end]
        at = end
    assert not text[at:].strip()
    return Checked(SCORED if sentences else REFUSED, repr(sentences))


def perturbation_material() -> PerturbationMaterial:
    """The resources of an aspect, without caches; every pair of texts has similarity 1."""
    pool = StoryPool(parse(CORPUS.read_text(encoding="utf-8").splitlines()))
    return PerturbationMaterial(0, pool, RuleParaphraser(), lambda pairs: [1.0] * len(pairs))


def check_aspect(aspect: str, material: PerturbationMaterial, given: tuple[Any, int]) -> Checked:
    """The text outside the spans is unchanged, and the same seed gives the same story."""
    text, seed = given
    perturber = Perturber(aspect, seed, material=material)
    if not isinstance(text, str) or not Story(text).sentences:
        with pytest.raises(ValueError, match="'s1'") as caught:
            perturber({"story": text, "story_id": "s1"})
        return Checked(REFUSED, str(caught.value))
    row = perturber({"story": text, "story_id": "s1"})
    result = perturber.perturb(parse([text])[0], "s1")
    assert row["perturbed"] == (result and result.story)
    if result is None:
        return Checked(REFUSED, "not perturbed")
    assert result.story != text
    at = new_at = 0
    for span in result.spans:
        assert text[at : span.original_start] == result.story[new_at : span.start]
        assert text[span.original_start : span.original_end] != result.story[span.start : span.end]
        at, new_at = span.original_end, span.end
    assert text[at:] == result.story[new_at:]
    return Checked(SCORED, repr(row))


def negative_material() -> NegativeMaterial:
    """A corpus of three stories and English, without caches."""
    corpus = [tagged(*KEN), tagged(*ANN), tagged(*TOM)]
    language = English()
    return NegativeMaterial(language, KeywordTable.count(corpus, language), corpus, keep=0)


def check_operation(name: str, material: NegativeMaterial, given: tuple[Any, int]) -> Checked:
    """Text that an operation does not change is the original's, and the same seed gives the same sample."""
    text, seed = given
    sentences = Normalizer().sentences(text) if isinstance(text, str) else []
    if not sentences:
        return Checked(REFUSED, "no word")
    story = TaggedStory(sentences, tag(sentences))
    made = [
        OPERATIONS[name](EditedStory.start(story), BufferedRandom(np.random.default_rng(seed)), material)
        for _ in range(2)
    ]
    assert made[0] == made[1]
    if made[0] is None:
        return Checked(REFUSED, "not changed")
    assert made[0].applied == (name,)
    assert made[0].words != sentences
    flat = story.flat_words()
    used = []
    for words, origins, operations in zip(made[0].words, made[0].origins, made[0].operations, strict=True):
        for word, origin, operation in zip(words, origins, operations, strict=True):
            assert word
            assert not any(map(str.isspace, word))
            assert operation or word == flat[origin]
            used += [origin] if origin >= 0 else []
    assert len(used) == len(set(used))
    return Checked(SCORED, repr(made[0].words))
