"""How much of a story an aspect changes."""

from openmeva.training.perturbations import PerturbationMaterial, Perturber, Story

PLAIN = PerturbationMaterial(keep=0)


def test_as_many_words_have_typos_as_are_under_two_percent_and_at_least_one() -> None:
    sentence = "Nora carried seven heavy boxes slowly upstairs after dinner yesterday. "
    perturber = Perturber("typo", 1, ["swap"], PLAIN)
    for tens, words in ((1, 1), (5, 1), (10, 1), (11, 2), (15, 2), (16, 3)):
        found = perturber.perturb(sentence * tens, "1")
        assert found is not None
        assert len(found.spans) == words


def test_a_fifth_of_the_sentences_is_negated() -> None:
    sentences = "They can't swim, so they stay in the boat. " * 5
    perturber = Perturber("consistency", 1, ["negation_alteration"], PLAIN)
    for times in (1, 2, 3):
        found = perturber.perturb(sentences * times, "1")
        assert found is not None
        pairs = zip(Story(sentences * times).sentences, Story(found.story).sentences, strict=True)
        assert sum(old.text != new.text for old, new in pairs) == times
