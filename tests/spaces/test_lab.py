"""Cases of the perturbation lab."""

from dataclasses import replace
from typing import Any

import pytest

from openmeva.spaces.catalogue import Number
from openmeva.spaces.distributions import PercentileRank
from openmeva.spaces.markup import escape
from openmeva.spaces.perturbation_lab import views
from openmeva.spaces.perturbation_lab.lab import LOOKS_FOR, Lab, case_dict, case_rows
from openmeva.spaces.scorer import Score
from openmeva.training.perturbations import ASPECTS
from openmeva.training.perturbations.engine.perturbed import Perturbed
from openmeva.training.text.edits import Span
from openmeva.training.text.knowledge import resources
from tests.spaces.test_scorer import FakeScorer

STORY = "Ann was hungry. She made a sandwich. She ate it because it was good. She felt full."


@pytest.fixture(scope="module")
def lab() -> Lab:
    new_lab = Lab(FakeScorer())
    # Without a corpus and an encoder: these aspects need neither, and both take long to load.
    new_lab._cached_materials, new_lab._has_wordnet = _plain_materials(), True
    return new_lab


def _plain_materials() -> tuple[Any, Any]:
    from openmeva.training.perturbations import PerturbationMaterial

    return PerturbationMaterial(0), PerturbationMaterial(1)


def test_case_scores_original_and_perturbed_story(lab: Lab) -> None:
    case = lab.case(STORY, "lexical_repetition", 1, "roc")
    assert case.perturbed is not None
    assert case.should_worsen
    before, after = case.before[0], case.after[0]
    assert (before.value, after.value) == (len(STORY), len(case.perturbed.story))
    answer = case_dict(case)
    assert (answer["expected"], answer["story"]) == ("worse", case.perturbed.story)
    (row,) = case_rows([case])
    assert row["before: plain"] == len(STORY)
    assert (row["better: plain"], answer["scores"][0]["better"]) == ("higher", "higher")
    html = views.case(case)
    assert "<ins>" in html
    assert "#kind=roc&amp;story=Ann+was" in html


def test_answers_and_downloads_say_which_direction_is_better(lab: Lab) -> None:
    case = lab.case(STORY, "typo", 1, "roc")
    number = Number("Perplexity", "p", "…", False, None, None)
    case = replace(case, before=(Score("ppl", number, 20.0),), after=(Score("ppl", number, 12.0),))
    (score,), (row,) = case_dict(case)["scores"], case_rows([case])
    assert score == {
        "metric": "ppl", "name": "Perplexity", "before": 20.0, "after": 12.0, "better": "lower",
    }  # fmt: skip
    assert row["better: Perplexity"] == "lower"


def test_every_aspect_says_what_it_looks_for(lab: Lab) -> None:
    assert set(LOOKS_FOR) == set(ASPECTS)
    case = lab.case("He ran. He fell.", "contraction", 1, "roc")
    assert case.perturbed is None
    assert escape(LOOKS_FOR["contraction"]) in views.case(case)
    assert escape(LOOKS_FOR["contraction"]) in views.all_aspects([case], {})


def test_score_counts_as_worse_only_beyond_noise() -> None:
    rank = PercentileRank("human", "human stories", 150, 50.0, tuple(index / 100 for index in range(101)))
    lower = Number("Perplexity", "p", "…", False, None, None)
    better = Score("ppl", lower, 20.0), Score("ppl", lower, 12.0)
    assert views.improvement(*better) == 8.0
    assert not views.is_worse(*better)
    assert views.is_worse(*better[::-1])
    higher = replace(lower, higher=True)
    scores = [Score("m", higher, value, "", (rank,)) for value in (0.02, 0.01, 0.5, 0.2)]
    assert not views.is_worse(scores[0], scores[1]), "a drop from .02 to .01 is within noise"
    assert views.is_worse(scores[2], scores[3])


def test_first_sentence_of_short_story_is_unchanged(lab: Lab) -> None:
    for seed in range(6):
        changed = lab.perturb(STORY, "typo", seed, "roc")
        assert changed is not None
        assert changed.story.startswith("Ann was hungry. ")


def test_same_seed_gives_same_case(lab: Lab) -> None:
    first, again = (lab.perturb(STORY, "typo", 3, "roc") for _ in range(2))
    assert first == again
    assert len({lab.perturb(STORY, "typo", seed, "roc") for seed in range(5)}) > 1


def test_story_with_nothing_to_change_gets_a_message(lab: Lab) -> None:
    case = lab.case("Ann ran. He sat.", "causal_relationship", 1, "roc")
    assert case.perturbed is None
    assert case_rows([case]) == []
    assert case_dict(case)["story"] is None
    assert "nothing to change" in views.case(case)


@pytest.mark.parametrize(
    ("story", "aspect", "seed", "corpus", "message"),
    [
        ("", "typo", 1, "roc", "empty"),
        (STORY, "nothing", 1, "roc", "lexical_repetition"),
        (STORY, "typo", -1, "roc", "seed"),
        (STORY, "typo", 1.5, "roc", "seed"),
        (STORY, "typo", None, "roc", "seed"),
        (STORY, "typo", 1, "news", "roc, wp"),
    ],
)
def test_invalid_arguments_are_rejected(
    lab: Lab, story: str, aspect: str, seed: Any, corpus: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        lab.case(story, aspect, seed, corpus)


def test_missing_resource_is_reported(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "find_resource", lambda name: None)
    with pytest.raises(ValueError, match="WordNet and ConceptNet"):
        lab.case(STORY, "common_sense", 1, "roc")
    assert "needs WordNet," in lab.missing_resources("paraphrase"), "its rules read WordNet"
    assert lab.missing_resources("typo") == ""


def test_changes_are_marked_and_escaped() -> None:
    shown = views.marked_changes("a <i> b c", Perturbed("a <i> d", "typo", "swap", (Span(6, 9, 6, 7),)))
    assert shown == '<p class="om-story">a &lt;i&gt; <del>b c</del><ins>d</ins></p>'


def test_missing_scores_still_get_a_row(lab: Lab) -> None:
    case = lab.case(STORY, "typo", 1, "roc")
    assert any(isinstance(score, Score) and score.value is None for score in case.before)
    html = views.all_aspects([case], {"common_sense": "This aspect needs ConceptNet, which is not here."})
    assert "needs ConceptNet" in html
    assert 'download="cases.csv"' in html


def test_material_is_reloaded_when_wordnet_becomes_available(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user may perturb a story while WordNet is being fetched."""
    found: list[str] = []
    new_lab = Lab(FakeScorer())
    monkeypatch.setattr(
        "openmeva.spaces.perturbation_lab.lab.resources.find_resource", lambda name: found or None
    )
    monkeypatch.setattr(Lab, "_load_materials", lambda self: (*_plain_materials(), len(found)))
    assert new_lab._materials[-1] == 0
    assert new_lab._materials is new_lab._materials
    found.append("wordnet")
    assert new_lab._materials[-1] == 1
    assert new_lab._materials is new_lab._materials
