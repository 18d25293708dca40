"""UNION's released recipe of negative samples: its rates, and each of its techniques."""

from collections import Counter

import pytest

from openmeva.training.negatives import (
    BufferedRandom,
    EditedStory,
    NegativeMaterial,
    UnionSampler,
    UnionSampling,
    language_of,
)
from openmeva.training.negatives.registry import RECIPES
from openmeva.training.negatives.released import toggle_negation
from openmeva.training.negatives.repetition import repeat_ngram
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.resources import MissingResourceError
from tests.tiny.language import TinyLanguage, tagged

SEEDS = range(400)
RELEASED = RECIPES["released"].operations
SAMPLING = UnionSampling(recipe="released")


def changed_sentence_indices(edited, original):
    """Indices of the sentences with different words."""
    return [at for at, (new, old) in enumerate(zip(edited.words, original.words, strict=True)) if new != old]


def assert_uniform(counts, values):
    """Fails unless all values, and no others, occur with equal frequency."""
    assert set(counts) == set(values)
    for value in values:
        assert counts[value] / counts.total() == pytest.approx(1 / len(values), abs=0.08)


def test_repetition_overwrites_three_of_five_sentences_with_the_earliest(ken, make_rng, material, text):
    for seed in SEEDS:
        edited = RELEASED["sentence_repetition"](ken, make_rng(seed), material)
        (repeated, times), *others = Counter(text(edited)).most_common()
        assert times == 3
        assert all(count == 1 for _, count in others)
        first = text(edited).index(repeated)
        assert repeated == text(ken)[first], "the earliest keeps its position"
        assert text(edited)[0] == text(ken)[0]


def test_two_ngrams_are_repeated(ken, make_rng, material):
    for seed in SEEDS:
        edited = RELEASED["lexical_repetition"](ken, make_rng(seed), material)
        assert edited.applied == ("lexical_repetition",)
        grown = sum(map(len, edited.words)) - sum(map(len, ken.words))
        assert 2 <= grown <= 8
        assert len(edited.edits()) in (1, 2), "two copies, which may lie side by side"


def test_ngrams_of_a_long_story_are_those_of_one_repetition_after_another(make_rng, material, monkeypatch):
    story = EditedStory.start(tagged(*["he/PRP ran/VBD home/NN .", ". .", "it/PRP was/VBD good/JJ ."] * 100))
    for seed in range(5):
        rng, expected = make_rng(seed), story
        for _ in range(150):
            expected = repeat_ngram(expected, rng, material)
        fast = make_rng(seed)
        edited = RELEASED["lexical_repetition"](story, fast, material)
        assert edited.sentences == expected.sentences
        assert fast.uniform() == rng.uniform()
    taken = []
    uniform = BufferedRandom.uniform
    monkeypatch.setattr(BufferedRandom, "uniform", lambda rng: taken.append(1) or uniform(rng))
    RELEASED["lexical_repetition"](story, make_rng(0), material)
    assert len(taken) == 2 * 150, "one number at a time only for the size and the start of each n-gram"


@pytest.mark.parametrize(("sentences", "keep", "copies"), [(6, 1, 4), (7, 1, 4), (5, 0, 4), (4, 0, 3)])
def test_repetition_takes_one_and_half_the_sentences_with_the_context(
    make_rng, corpus, language, text, sentences, keep, copies
):
    story = tagged(*(f"w{number}/NN ." for number in range(sentences)))
    material = NegativeMaterial(language, KeywordTable.count(corpus, language), corpus, keep=keep)
    for seed in range(20):
        edited = RELEASED["sentence_repetition"](EditedStory.start(story), make_rng(seed), material)
        assert Counter(text(edited)).most_common(1)[0][1] == copies, "1 + n/2 of n sentences"


def test_one_to_four_sentences_are_replaced_from_one_other_story(ken, make_rng, material, corpus):
    others = [[list(sentence) for sentence in story.words] for story in corpus[1:]]
    counts = Counter()
    for seed in SEEDS:
        edited = RELEASED["sentence_substitution"](ken, make_rng(seed), material)
        changed = changed_sentence_indices(edited, ken)
        assert 0 not in changed
        assert any(all(edited.words[at] in other for at in changed) for other in others)
        counts[len(changed)] += 1
    assert_uniform(counts, range(1, 5))


@pytest.mark.parametrize("times", [10, 11])  # 40 and 44 keywords: 15 % are 6 and 6.6
def test_up_to_15_percent_of_keywords_are_substituted(make_rng, corpus, language, times):
    story = tagged("it/PRP was/VBD so/RB .", *["the/DT good/JJ dog/NN liked/VBD rain/NN ."] * times)
    material = NegativeMaterial(language, KeywordTable.count([story, *corpus], language), corpus)
    original, counts = EditedStory.start(story), Counter()
    for seed in SEEDS:
        edited = RELEASED["lexical_substitution"](original, make_rng(seed), material)
        pairs = zip(story.flat_words(), (w for s in edited.words for w in s), strict=True)
        new = [(a, b) for a, b in pairs if a != b]
        counts[len(new)] += 1
        assert all(b in {"bad", "evil"} for a, b in new if a == "good"), "an antonym where one is known"
    assert_uniform(counts, range(1, 7))


def test_two_to_four_sentences_are_reordered(ken, make_rng, material, text, check_origins, corpus):
    counts = Counter()
    for seed in SEEDS:
        edited = RELEASED["sentence_reordering"](ken, make_rng(seed), material)
        assert sorted(text(edited)) == sorted(text(ken))
        changed = changed_sentence_indices(edited, ken)
        assert 0 not in changed
        assert [at for at, sentence in enumerate(edited.sentences) if sentence.moved] == changed
        counts[len(changed)] += 1
        check_origins(edited, corpus[0])
    assert set(counts) == {2, 3, 4}


def test_one_to_four_sentences_are_negated(ken, make_rng, material):
    counts = Counter()
    for seed in SEEDS:
        edited = RELEASED["lexical_negation"](ken, make_rng(seed), material)
        assert edited.applied == ("lexical_negation",)
        counts[len(changed_sentence_indices(edited, ken))] += 1
    assert_uniform(counts, range(1, 5))


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
def test_toggle_negation_ignores_grammar(sentence, becomes):
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


def test_frequencies_of_techniques_and_levels(corpus, language):
    sampler = UnionSampler(corpus, language, SAMPLING, seed=3)
    samples = [sampler.sample(epoch % 3, epoch) for epoch in range(3000)]
    sizes = Counter(len(sample.applied) for sample in samples)
    for size, share in enumerate((0.5, 0.2, 0.2, 0.1), 1):
        assert sizes[size] / 3000 == pytest.approx(share, abs=0.03)
    first = Counter(sample.applied[0].partition("_")[2] for sample in samples)
    for name, share in {"repetition": 0.1, "substitution": 0.3, "reordering": 0.4, "negation": 0.2}.items():
        assert first[name] / 3000 == pytest.approx(share, abs=0.03), "they are applied in the sampled order"
    drawn = Counter(name for sample in samples for name in sample.applied)
    for name, share in {"repetition": 0.7, "substitution": 0.5}.items():
        levels = {level: drawn[f"{level}_{name}"] for level in ("lexical", "sentence")}
        assert levels["sentence"] / sum(levels.values()) == pytest.approx(share, abs=0.05)
    for epoch, sample in enumerate(samples):
        original = corpus[epoch % 3]
        assert [list(words) for words in original.words] != sample.words
        assert sample.words[0] == list(original.words[0])


def test_stories_under_four_sentences_have_no_sample(corpus, language):
    short = tagged("she/PRP left/VBD .", "he/PRP went/VBD home/NN .", "it/PRP was/VBD good/JJ .")
    assert UnionSampler([*corpus, short], language, SAMPLING).sample(3) is None
    prompted = UnionSampling(recipe="released", keep=0)  # a prompt replaces the first sentence
    assert UnionSampler([*corpus, short], language, prompted).sample(3) is not None


def test_missing_conceptnet_is_reported(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(resources, "conceptnet_folder", lambda: tmp_path)
    language_of(UnionSampling())
    assert (
        "ConceptNet has not been fetched: keywords and antonyms come from WordNet only"
        in capsys.readouterr().err
    )
    with pytest.raises(MissingResourceError, match="conceptnet is not at"):
        language_of(UnionSampling(lexicon="conceptnet"))


def test_permutation_of_equal_sentences_keeps_every_origin(make_rng, material, check_origins):
    story = tagged("Tom ran.", "He ate.", "He ran.", "He ate.", "He slept.")
    for seed in SEEDS:
        edited = RELEASED["sentence_reordering"](EditedStory.start(story, 0), make_rng(seed), material)
        check_origins(edited, story)
        origins = [origin for sentence in edited.sentences for origin in sentence.origins]
        assert sorted(origins) == list(range(len(origins)))
        for sentence, old in zip(edited.sentences, EditedStory.start(story, 0).sentences, strict=True):
            assert sentence.moved == (list(sentence.words) != list(old.words))
