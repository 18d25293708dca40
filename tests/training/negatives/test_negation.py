"""Negation alteration of a story."""

from openmeva.training.negatives import EditedStory
from openmeva.training.negatives.negation import alter_negation, remove_one
from openmeva.training.negatives.sentence import EditedSentence

PAIR = ("she/PRP left/VBD .", "he/PRP did/VBD n't/RB walk/VB home/NN .", "he/PRP went/VBD home/NN .")


def test_golden_edits(story, make_rng, material, text):
    pair = EditedStory.start(story(*PAIR))
    edited_by_text = {}
    for seed in range(60):
        edited = alter_negation(pair, make_rng(seed), material)
        edited_by_text[tuple(text(edited)[1:])] = edited
    assert set(edited_by_text) == {
        ("he walked home .", "he went home ."),
        ("he did n't walk home .", "he did not go home ."),
        ("he did n't walk home .", "he did n't go home ."),
    }
    removed = edited_by_text["he walked home .", "he went home ."]
    assert removed.origins[1] == [3, 6, 7, 8]
    assert [tuple(edit) for edit in removed.edits()] == [("negation", "lexical", 4, 5)]
    added = edited_by_text["he did n't walk home .", "he did not go home ."]
    assert added.origins[2] == [9, -1, -1, 10, 11, 12]
    assert [tuple(edit) for edit in added.edits()] == [("negation", "lexical", 10, 13)]


def test_directions_are_balanced(story, make_rng, material, text):
    pair = EditedStory.start(story(*PAIR))
    removed = sum(
        text(alter_negation(pair, make_rng(seed), material))[1] == "he walked home ." for seed in range(1000)
    )
    assert 430 < removed < 570


def test_contraction_probability(story, make_rng, material):
    went = EditedStory.start(story("she/PRP left/VBD .", "he/PRP went/VBD home/NN ."))
    short = sum("n't" in alter_negation(went, make_rng(seed), material).words[1] for seed in range(1000))
    assert 430 < short < 570


def test_story_without_negation_site_is_not_edited(story, make_rng, material):
    assert (
        alter_negation(EditedStory.start(story("she/PRP left/VBD .", "oh/UH !")), make_rng(0), material)
        is None
    )


def test_edited_tokens_are_not_edited_again(story, make_rng, material):
    pair = EditedStory.start(story(*PAIR))
    once = alter_negation(pair, make_rng(0), material)
    twice = alter_negation(once, make_rng(1), material)
    # each changes its own sentence; then nothing is left to alter
    assert twice.words[1] == ["he", "walked", "home", "."]
    assert "go" in twice.words[2]
    assert alter_negation(twice, make_rng(2), material) is None


def test_negation_of_an_edited_word_is_not_removed(make_rng, material):
    words, tags = ["he", "did", "n't", "walk", "home", "."], ["PRP", "VBD", "RB", "VB", "NN", "."]
    plain = EditedSentence(words, tags, range(6), ("",) * 6)
    assert remove_one(plain, make_rng(0), material) is not None
    for at in (1, 2, 3):  # the auxiliary and the verb change with the negation
        marks = ["lexical_substitution" if index == at else "" for index in range(6)]
        assert remove_one(plain._replace(operations=marks), make_rng(0), material) is None
