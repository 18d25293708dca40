"""Repetition at both levels."""

from openmeva.training.negatives import EditedStory, NegativeMaterial
from openmeva.training.negatives.repetition import ngram_starts, repeat_ngram, repeat_sentence


def test_ngram_golden(ken, make_rng, material, text):
    edited = repeat_ngram(ken, make_rng(0), material)
    assert text(edited)[:2] == text(ken)[:2]
    assert text(edited)[2] == "[MALE] felt [MALE] felt hot ."
    assert edited.origins[2] == [14, 15, -1, -1, 16, 17]
    assert edited.operations[2] == ["", "", "lexical_repetition", "lexical_repetition", "", ""]
    assert [tuple(edit) for edit in edited.edits()] == [("repetition", "lexical", 16, 18)]


def test_ngram_is_repeated_right_after_itself(ken, make_rng, material):
    sizes = set()
    for seed in range(200):
        edited = repeat_ngram(ken, make_rng(seed), material)
        ((_, _, start, end),) = edited.edits()
        flat = [word for words in edited.words for word in words]
        assert flat[start:end] == flat[2 * start - end : start]
        assert flat[:start] + flat[end:] == [word for words in ken.words for word in words]
        sizes.add(end - start)
    assert sizes == {1, 2, 3, 4}


def test_ngrams_split_no_word_and_contain_no_punctuation(story):
    sentence = EditedStory.start(story("he/PRP did/VBD n't/RB go/VB .")).sentences[0]
    assert ngram_starts(sentence, 4) == {1: [0, 3], 2: [1], 3: [0, 1], 4: [0]}


def test_sentence_golden(ken, make_rng, material, text):
    edited = repeat_sentence(ken, make_rng(3), material)
    assert text(edited) == [
        "[MALE] was out jogging one morning .",
        "the weather was good and cool .",
        "[MALE] felt hot .",
        "[MALE] felt hot .",
        "he went several miles .",
    ]
    assert edited.origins[3] == [-1] * 4
    assert [tuple(edit) for edit in edited.edits()] == [("repetition", "sentence", 18, 22)]


def test_sentence_does_not_overwrite_an_identical_one(story, make_rng, language, material):
    twice = EditedStory.start(story("she/PRP left/VBD .", "he/PRP ran/VBD .", "he/PRP ran/VBD ."))
    assert repeat_sentence(twice, make_rng(0), material) is None


def test_sentence_does_not_overwrite_an_edited_one(story, make_rng, material):
    two = EditedStory.start(story("she/PRP left/VBD .", "he/PRP ran/VBD .", "it/PRP fell/VBD ."))
    marked = two.sentences[2]._replace(operations=["", "lexical_negation", ""])
    assert repeat_sentence(two.with_sentence("lexical_negation", 2, marked), make_rng(0), material) is None


def test_story_with_nothing_to_repeat_is_not_edited(story, make_rng, corpus, language, material):
    only_context = EditedStory.start(story("she/PRP left/VBD ."))
    assert repeat_ngram(only_context, make_rng(0), material) is None
    assert repeat_sentence(only_context, make_rng(0), material) is None
    dots = EditedStory.start(story(". .", "! !"))
    assert (
        repeat_ngram(dots, make_rng(0), NegativeMaterial(language, material.keywords, corpus, keep=0)) is None
    )
