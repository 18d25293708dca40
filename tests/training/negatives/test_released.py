"""UNION's released recipe of negative samples: its rates, and each of its techniques."""

from collections import Counter

import pytest

from openmeva.training.negatives import (
    EditedSentence,
    EditedStory,
    KeywordTable,
    NegativeMaterial,
    UnionSampler,
    UnionSampling,
    language_of,
)
from openmeva.training.negatives.registry import RECIPES
from openmeva.training.negatives.released import toggle_negation
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.resources import MissingResourceError
from tests.tiny_language import TinyLanguage, tagged

SEEDS = range(400)
RELEASED = RECIPES["released"].operations
SAMPLING = UnionSampling(recipe="released")


def changed_sentence_indices(edited, original):
    """Indices of the sentences with different words."""
    return [at for at, (new, old) in enumerate(zip(edited.words, original.words, strict=True)) if new != old]


def uniform(counts, values):
    """Whether all values, and no others, occur with equal frequency."""
    assert set(counts) == set(values)
    for value in values:
        assert counts[value] / counts.total() == pytest.approx(1 / len(values), abs=0.08)


def test_three_sentences_of_five_become_the_earliest_of_them(ken, draws, material, text):
    for seed in SEEDS:
        edited = RELEASED["sentence_repetition"](ken, draws(seed), material)
        (said, times), *others = Counter(text(edited)).most_common()
        assert times == 3
        assert all(count == 1 for _, count in others)
        first = text(edited).index(said)
        assert said == text(ken)[first], "the earliest is in its place"
        assert text(edited)[0] == text(ken)[0]


def test_two_ngrams_are_said_twice(ken, draws, material):
    for seed in SEEDS:
        edited = RELEASED["lexical_repetition"](ken, draws(seed), material)
        assert edited.applied == ("lexical_repetition",)
        grown = sum(map(len, edited.words)) - sum(map(len, ken.words))
        assert 2 <= grown <= 8
        assert len(edited.edits()) in (1, 2), "two copies, which may lie side by side"


def test_one_to_four_sentences_come_from_one_other_story(ken, draws, material, corpus):
    others = [[list(sentence) for sentence in story.words] for story in corpus[1:]]
    counts = Counter()
    for seed in SEEDS:
        edited = RELEASED["sentence_substitution"](ken, draws(seed), material)
        places = changed_sentence_indices(edited, ken)
        assert 0 not in places
        assert any(all(edited.words[at] in other for at in places) for other in others)
        counts[len(places)] += 1
    uniform(counts, range(1, 5))


def test_up_to_15_percent_of_the_keywords_change(draws, corpus, language):
    story = tagged("it/PRP was/VBD so/RB .", *["the/DT good/JJ dog/NN liked/VBD rain/NN ."] * 10)
    material = NegativeMaterial(language, KeywordTable.count([story, *corpus], language), corpus)
    original, counts = EditedStory.start(story), Counter()
    for seed in SEEDS:
        edited = RELEASED["lexical_substitution"](original, draws(seed), material)
        pairs = zip(story.flat_words(), (w for s in edited.words for w in s), strict=True)
        new = [(a, b) for a, b in pairs if a != b]
        counts[len(new)] += 1
        assert all(b in {"bad", "evil"} for a, b in new if a == "good"), "an antonym where one is known"
    uniform(counts, range(1, 7))  # of 40 keywords


def test_two_to_four_sentences_change_places(ken, draws, material, text, check_origins, corpus):
    counts = Counter()
    for seed in SEEDS:
        edited = RELEASED["sentence_reordering"](ken, draws(seed), material)
        assert sorted(text(edited)) == sorted(text(ken))
        places = changed_sentence_indices(edited, ken)
        assert 0 not in places
        assert [at for at, sentence in enumerate(edited.sentences) if sentence.moved] == places
        counts[len(places)] += 1
        check_origins(edited, corpus[0])
    assert set(counts) == {2, 3, 4}


def test_negations_of_one_to_four_sentences(ken, draws, material):
    counts = Counter()
    for seed in SEEDS:
        edited = RELEASED["lexical_negation"](ken, draws(seed), material)
        assert edited.applied == ("lexical_negation",)
        counts[len(changed_sentence_indices(edited, ken))] += 1
    uniform(counts, range(1, 5))


@pytest.mark.parametrize(
    ("sentence", "becomes"),
    [
        ("he/PRP did/VBD n't/RB walk/VB home/NN .", "he did walk home ."),  # the verb keeps its form
        ("nobody/NN came/VBD .", "came ."),
        ("he/PRP never/RB was/VBD there/RB .", "he was there ."),  # the negation, not the auxiliary
        ("he/PRP was/VBD home/NN .", "he was not home ."),
        ("may/MD i/PRP go/VB ?", "may not i go ?"),  # also where grammar forbids it
        ("he/PRP went/VBD home/NN .", "he did not go home ."),
        ("he/PRP walks/VBZ home/NN .", "he does not walk home ."),
        ("they/PRP walk/VBP home/NN .", "they do not walk home ."),
        ("he/PRP had/VBD gone/VBN .", "he did not have gone ."),
        ("walking/VBG home/NN .", "not walking home ."),
        ("oh/UH !", None),
        ("no", None),
    ],
)
def test_negation_without_regard_to_grammar(sentence, becomes):
    story = tagged(sentence)
    start = EditedStory.start(story).sentences[0]
    rewrite = toggle_negation(start, False, TinyLanguage())
    if becomes is None:
        assert rewrite is None
        return
    edited: EditedSentence = start.apply_rewrite(rewrite, "lexical_negation")
    assert " ".join(edited.words) == becomes
    assert any(edited.operations)
    contracted = start.apply_rewrite(toggle_negation(start, True, TinyLanguage()), "lexical_negation")
    assert " ".join(contracted.words) == becomes.replace(" not ", " n't ").replace(
        "not walking", "n't walking"
    )


def test_rates_of_techniques_and_levels(corpus, language):
    sampler = UnionSampler(corpus, language, SAMPLING, seed=3)
    samples = [sampler.sample(epoch % 3, epoch) for epoch in range(3000)]
    sizes = Counter(len(sample.applied) for sample in samples)
    for size, share in enumerate((0.5, 0.2, 0.2, 0.1), 1):
        assert sizes[size] / 3000 == pytest.approx(share, abs=0.03)
    first = Counter(sample.applied[0].partition("_")[2] for sample in samples)
    for name, share in {"repetition": 0.1, "substitution": 0.3, "reordering": 0.4, "negation": 0.2}.items():
        assert first[name] / 3000 == pytest.approx(share, abs=0.03), "they come in the order drawn"
    drawn = Counter(name for sample in samples for name in sample.applied)
    for name, share in {"repetition": 0.7, "substitution": 0.5}.items():
        levels = {level: drawn[f"{level}_{name}"] for level in ("lexical", "sentence")}
        assert levels["sentence"] / sum(levels.values()) == pytest.approx(share, abs=0.05)
    for epoch, sample in enumerate(samples):
        original = corpus[epoch % 3]
        assert [list(words) for words in original.words] != sample.words
        assert sample.words[0] == list(original.words[0])


def test_stories_count_from_four_sentences_on(corpus, language):
    short = tagged("she/PRP left/VBD .", "he/PRP went/VBD home/NN .", "it/PRP was/VBD good/JJ .")
    assert UnionSampler([*corpus, short], language, SAMPLING).sample(3) is None
    prompted = UnionSampling(recipe="released", keep=0)  # a prompt replaces the first sentence
    assert UnionSampler([*corpus, short], language, prompted).sample(3) is not None


def test_a_run_without_conceptnet_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(resources, "conceptnet_folder", lambda: tmp_path)
    language_of(UnionSampling())
    assert (
        "ConceptNet has not been fetched: keywords and antonyms come from WordNet only"
        in capsys.readouterr().err
    )
    with pytest.raises(MissingResourceError, match="conceptnet is not at"):
        language_of(UnionSampling(lexicon="conceptnet"))
