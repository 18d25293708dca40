"""Golden cases of each manipulation, and properties of all of them."""

from dataclasses import replace

import numpy as np
import pytest

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations import (
    MANIPULATIONS,
    ManipulatedPlot,
    PlotManipulator,
    PlotMaterial,
    manipulation_shares,
)
from openmeva.training.plot_guided.manipulations.material import most_frequent_tags
from openmeva.training.text.knowledge.events import ConceptNetEvents
from openmeva.training.text.tagged_story import TaggedStory

PLOT = [["jake walking", "bike path"], ["found wallet", "floor"], ["planned keeping money"], ["father asked"]]
OTHER = [["friends decided", "cruise trip"], ["summer"], ["sailed"]]
TAGS = {
    **dict.fromkeys(("jake", "wallet", "money", "purse", "father", "floor", "trip"), "NN"),
    **dict.fromkeys(("found", "planned", "asked", "decided", "looked", "answered"), "VBD"),
    **dict.fromkeys(("walking", "keeping"), "VBG"),
    "look": "VB",
    "answer": "VB",
}
OPPOSITES = {"wallet": ("purse",), "asked": ("answered",)}


class Words:
    """A language of a few words."""

    def lemma(self, word: str, tag: str) -> str:
        return {"found": "find", "asked": "ask", "planned": "plan"}.get(word, word)

    def inflect(self, lemma: str, tag: str) -> str:
        return {("look", "VBD"): "looked", ("answer", "VBD"): "answered"}.get((lemma, tag), lemma)

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        return OPPOSITES.get(word, ())

    def is_keyword(self, word: str, tag: str) -> bool:
        return True


@pytest.fixture
def material() -> PlotMaterial:
    triples = [("HasPrerequisite", "find", "look"), ("Causes", "ask", "answer")]
    return PlotMaterial([PLOT, OTHER], TAGS, Words(), ConceptNetEvents(triples))


def plot_after(name: str, material: PlotMaterial, seed: int) -> list[list[str]]:
    result = MANIPULATIONS[name](
        ManipulatedPlot.start(PLOT, 0), BufferedRandom(np.random.default_rng(seed)), material
    )
    assert result is not None
    assert result.applied == (name,)
    return result.plot


@pytest.mark.parametrize("seed", range(6))
def test_illogical_order_puts_events_on_the_wrong_side(material: PlotMaterial, seed: int) -> None:
    """Looking precedes finding, and an answer follows a question; here both orders are reversed."""
    plot = plot_after("illogical_order", material, seed)
    connectives = ("", "then ", "later ", "subsequently ")
    after = [["found wallet", f"{c}looked", "floor"] for c in connectives]
    before = [["answered", f"{c}father asked"] for c in connectives]
    assert (plot[1] in after and plot[3] == PLOT[3]) or (plot[3] in before and plot[1] == PLOT[1])
    assert [plot[0], plot[2]] == [PLOT[0], PLOT[2]]


def test_all_connectives_are_used(material: PlotMaterial) -> None:
    texts = " ".join(
        p for seed in range(40) for s in plot_after("illogical_order", material, seed) for p in s
    )
    assert all(word in texts for word in ("then", "later", "subsequently"))


@pytest.mark.parametrize("seed", range(6))
def test_contradiction_adds_the_opposite_next_to_its_phrase(material: PlotMaterial, seed: int) -> None:
    plot = plot_after("contradiction", material, seed)
    wallet = [["found purse", "found wallet", "floor"], ["found wallet", "found purse", "floor"]]
    asked = [["father answered", "father asked"], ["father asked", "father answered"]]
    assert (plot[1] in wallet) != (plot[3] in asked)


def test_contradiction_is_told_before_and_after_its_phrase(material: PlotMaterial) -> None:
    plots = [plot_after("contradiction", material, seed) for seed in range(40)]
    places = {plot[1].index("found purse") for plot in plots if "found purse" in plot[1]}
    assert places == {0, 1}


@pytest.mark.parametrize("seed", range(6))
def test_repetition_repeats_a_phrase_in_a_third_of_the_sentences(material: PlotMaterial, seed: int) -> None:
    plot = plot_after("repetition", material, seed)
    added = [(row, p) for row, phrases in enumerate(plot) for p in phrases if p not in PLOT[row]]
    assert len(added) == 1  # a third of four sentences; 5 % of six phrases is one
    assert added[0][1] in [p for phrases in PLOT for p in phrases]


def test_third_of_the_sentences_is_rounded_down(material: PlotMaterial) -> None:
    """A third is rounded down, as in the released code."""
    plot = [[f"phrase {row} {column}" for column in range(3)] for row in range(5)]
    result = MANIPULATIONS["repetition"](
        ManipulatedPlot.start(plot), BufferedRandom(np.random.default_rng(0)), material
    )
    assert result is not None
    assert sum(map(len, result.sentences)) == 16


def test_share_of_repeated_phrases_and_number_of_places_are_settings(material: PlotMaterial) -> None:
    plot = [[f"phrase {row} {column}" for column in range(3)] for row in range(8)]
    result = MANIPULATIONS["repetition"](
        ManipulatedPlot.start(plot),
        BufferedRandom(np.random.default_rng(0)),
        replace(material, repeated_share=0.15, sentences_per_repetition=4),
    )
    assert result is not None
    assert (
        sum(map(len, result.sentences)) == 24 + 4 * 2
    )  # 15 % of 24 phrases, each in a quarter of 8 sentences


@pytest.mark.parametrize("seed", range(6))
def test_substitution_takes_a_phrase_of_another_story(material: PlotMaterial, seed: int) -> None:
    plot = plot_after("substitution", material, seed)
    changed = [
        (p, q) for old, new in zip(PLOT, plot, strict=True) for p, q in zip(old, new, strict=True) if p != q
    ]
    assert len(changed) == 1  # 15 % of six phrases
    assert changed[0][1] in [p for phrases in OTHER for p in phrases]


@pytest.mark.parametrize("seed", range(6))
def test_substitution_can_replace_whole_sentences_as_in_figure_2(material: PlotMaterial, seed: int) -> None:
    plot = plot_after("substitution", replace(material, whole_sentences=True), seed)
    changed = [(old, new) for old, new in zip(PLOT, plot, strict=True) if old != new]
    assert len(changed) == 1  # 15 % of the sentences, at least one
    assert changed[0][1] in OTHER


def test_substitution_replaces_15_percent_of_the_phrases(material: PlotMaterial) -> None:
    long_plot = [[f"phrase {row} {column}" for column in range(5)] for row in range(4)]
    result = MANIPULATIONS["substitution"](
        ManipulatedPlot.start(long_plot), BufferedRandom(np.random.default_rng(0)), material
    )
    assert result is not None
    assert (
        sum(p.manipulation == "substitution" for phrases in result.sentences for p in phrases) == 3
    )  # 15 % of 20


def test_no_manipulation_applies_to_an_empty_plot(material: PlotMaterial) -> None:
    for manipulate in MANIPULATIONS.values():
        assert (
            manipulate(ManipulatedPlot.start([[], []], 0), BufferedRandom(np.random.default_rng(0)), material)
            is None
        )
    assert PlotManipulator(material, 0).manipulate([[], []], 0) is None


def test_two_to_four_manipulations_are_combined_without_undoing_each_other(material: PlotMaterial) -> None:
    manipulator = PlotManipulator(material, seed=5)
    manipulated = [manipulator.manipulate(PLOT, 0, candidate) for candidate in range(200)]
    names = [b.applied for b in manipulated if b]
    assert {len(names_of_plot) for names_of_plot in names} == {2, 3, 4}
    for b in manipulated:
        assert b is not None
        remaining = {p.manipulation for phrases in b.sentences for p in phrases}
        # an added connection keeps the mark of the manipulation that wrote the phrase
        assert remaining - {""} <= set(b.applied)
        assert set(b.applied) - {"illogical_order"} <= remaining
    shares = manipulation_shares(names)
    assert all(0.6 < shares[name] < 0.9 for name in MANIPULATIONS)  # 3 of 4 on average
    assert 2.8 < shares["manipulations"] < 3.2


def test_same_seed_gives_the_same_manipulations(material: PlotMaterial) -> None:
    first, again = PlotManipulator(material, 1), PlotManipulator(material, 1)
    assert first.manipulate(PLOT, 0, 2) == again.manipulate(PLOT, 0, 2)
    assert any(
        first.manipulate(PLOT, 0, c) != PlotManipulator(material, 2).manipulate(PLOT, 0, c) for c in range(9)
    )


def test_excluded_manipulation_is_never_applied(material: PlotMaterial) -> None:
    manipulator = PlotManipulator(material, 0, without=("repetition",))
    results = [manipulator.manipulate(PLOT, 0, c) for c in range(20)]
    assert all(b and "repetition" not in b.applied for b in results)
    with pytest.raises(ValueError, match="without: expected some of"):
        PlotManipulator(material, 0, without=("typo",))


def test_most_frequent_tags() -> None:
    stories = [TaggedStory([["runs", "runs"]], [["VBZ", "NNS"]]), TaggedStory([["runs"]], [["VBZ"]])]
    assert most_frequent_tags(stories) == {"runs": "VBZ"}


def test_manipulations_are_applied_in_the_order_of_the_registry(material: PlotMaterial) -> None:
    manipulator = PlotManipulator(material, seed=1)
    results = [manipulator.manipulate(PLOT, 0, candidate) for candidate in range(60)]
    full = {result.applied for result in results if result and len(result.applied) == 4}
    assert full == {tuple(MANIPULATIONS)}


@pytest.mark.parametrize("name", ["contradiction", "illogical_order"])
def test_each_of_several_insertions_is_next_to_its_phrase(name: str) -> None:
    plot = [["found wallet", "floor", "found wallet", "floor"]]
    events = ConceptNetEvents([("HasPrerequisite", "find", "look"), ("HasPrerequisite", "find", "zzz")])
    tags = {"found": "VBD", "wallet": "NN", "look": "VB", "looked": "VBD", "floor": "NN", "purse": "NN"}
    material = PlotMaterial([[["x"]]], tags, FewWords(), events, share=0.5)
    for seed in range(20):
        broken = MANIPULATIONS[name](
            ManipulatedPlot.start(plot), BufferedRandom(np.random.default_rng(seed)), material
        )
        (phrases,) = broken.sentences
        texts = [phrase.text for phrase in phrases]
        assert len(texts) == 6
        assert "zzz" not in " ".join(texts), "no word that the lexicon cannot inflect"
        for place, phrase in enumerate(phrases):
            if phrase.manipulation:
                assert "found wallet" in texts[max(place - 1, 0) : place] + texts[place + 1 : place + 2]


class FewWords:
    """A lexicon of the plot's words."""

    def lemma(self, word: str, tag: str) -> str:
        return {"found": "find"}.get(word, word)

    def inflect(self, word: str, tag: str) -> str | None:
        return {("look", "VBD"): "looked"}.get((word, tag), word)

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        return {"wallet": ("purse",)}.get(word, ())

    def is_keyword(self, word: str, tag: str) -> bool:
        return True
