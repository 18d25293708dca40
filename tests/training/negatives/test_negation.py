"""Negation alteration of a story."""

from openmeva.training.negatives import EditedSentence, EditedStory
from openmeva.training.negatives.negation import alter_negation, remove_one

PAIR = ("she/PRP left/VBD .", "he/PRP did/VBD n't/RB walk/VB home/NN .", "he/PRP went/VBD home/NN .")


def test_golden(story, draws, material, text):
    pair = EditedStory.start(story(*PAIR))
    found = {}
    for seed in range(60):
        edited = alter_negation(pair, draws(seed), material)
        found[tuple(text(edited)[1:])] = edited
    assert set(found) == {
        ("he walked home .", "he went home ."),
        ("he did n't walk home .", "he did not go home ."),
        ("he did n't walk home .", "he did n't go home ."),
    }
    removed = found["he walked home .", "he went home ."]
    assert removed.origins[1] == [3, 6, 7, 8]
    assert [tuple(edit) for edit in removed.edits()] == [("negation", "lexical", 4, 5)]
    added = found["he did n't walk home .", "he did not go home ."]
    assert added.origins[2] == [9, -1, -1, 10, 11, 12]
    assert [tuple(edit) for edit in added.edits()] == [("negation", "lexical", 10, 13)]


def test_directions_are_balanced(story, draws, material, text):
    pair = EditedStory.start(story(*PAIR))
    removed = sum(
        text(alter_negation(pair, draws(seed), material))[1] == "he walked home ." for seed in range(1000)
    )
    assert 430 < removed < 570


def test_contraction_probability(story, draws, material):
    went = EditedStory.start(story("she/PRP left/VBD .", "he/PRP went/VBD home/NN ."))
    short = sum("n't" in alter_negation(went, draws(seed), material).words[1] for seed in range(1000))
    assert 430 < short < 570


def test_not_applicable(story, draws, material):
    assert (
        alter_negation(EditedStory.start(story("she/PRP left/VBD .", "oh/UH !")), draws(0), material) is None
    )


def test_touched_tokens_are_left_alone(story, draws, material):
    pair = EditedStory.start(story(*PAIR))
    once = alter_negation(pair, draws(0), material)
    twice = alter_negation(once, draws(1), material)
    # each changes its own sentence; then nothing is left to alter
    assert twice.words[1] == ["he", "walked", "home", "."]
    assert "go" in twice.words[2]
    assert alter_negation(twice, draws(2), material) is None


def test_a_negation_of_a_word_that_was_changed_stays(draws, material):
    words, tags = ["he", "did", "n't", "walk", "home", "."], ["PRP", "VBD", "RB", "VB", "NN", "."]
    plain = EditedSentence(words, tags, range(6), ("",) * 6)
    assert remove_one(plain, draws(0), material) is not None
    for at in (1, 2, 3):  # the auxiliary and the verb change with the negation
        marks = ["lexical_substitution" if place == at else "" for place in range(6)]
        assert remove_one(plain._replace(operations=marks), draws(0), material) is None
