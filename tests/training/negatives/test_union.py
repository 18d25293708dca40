"""The sampler: distributions, composition, determinism."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from openmeva.training.negatives import OPERATIONS, EditedStory, TaggedStory, UnionSampler, UnionSampling
from openmeva.training.negatives.registry import TECHNIQUE_OPERATIONS
from tests.tiny.language import TinyLanguage, tagged

SAMPLES = 4000


def technique(operation):
    return operation.partition("_")[2]


@pytest.fixture
def sampler(corpus, language):
    return UnionSampler(corpus, language, seed=3)


@pytest.fixture
def samples(sampler, corpus):
    return [sampler.sample(epoch % len(corpus), epoch) for epoch in range(SAMPLES)]


def test_distribution_of_number_of_techniques(samples):
    counts = Counter(len(sample.applied) for sample in samples)
    for count, share in zip((1, 2, 3, 4), UnionSampling().counts, strict=True):
        assert counts[count] / SAMPLES == pytest.approx(share, abs=0.025)


def expected_inclusion(weights, counts):
    """Expected frequency of each technique in a sample, by enumeration of all orders."""
    shares = dict.fromkeys(weights, 0.0)
    for order in permutations(weights):
        probability, remaining = 1.0, 1.0
        for name in order:
            probability *= weights[name] / remaining
            remaining -= weights[name]
            if remaining <= 1e-12:
                break
        for size, share in enumerate(counts, 1):
            for name in order[:size]:
                shares[name] += probability * share
    return shares


def test_techniques_are_sampled_without_replacement(samples):
    weights = dict(UnionSampling().techniques)
    expected = expected_inclusion(weights, UnionSampling().counts)
    drawn = Counter(technique(name) for sample in samples for name in sample.applied)
    for sample in samples:
        names = [technique(name) for name in sample.applied]
        assert len(names) == len(set(names))
    for name, share in expected.items():
        assert drawn[name] / SAMPLES == pytest.approx(share, abs=0.03)


def test_first_technique_is_sampled_by_weight(samples):
    single = Counter(technique(sample.applied[0]) for sample in samples if len(sample.applied) == 1)
    for name, weight in UnionSampling().techniques.items():
        assert single[name] / single.total() == pytest.approx(weight, abs=0.04)


def test_levels_are_equally_likely(samples):
    drawn = Counter(name for sample in samples for name in sample.applied)
    for levels in TECHNIQUE_OPERATIONS.values():
        for name in levels:
            share = drawn[name] / sum(drawn[level] for level in levels)
            assert share == pytest.approx(1 / len(levels), abs=0.05)


def test_every_operation_occurs(samples):
    assert {name for sample in samples for name in sample.applied} == set(OPERATIONS)


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_every_operation_changes_the_text(name, ken, make_rng, material, corpus, check_origins):
    for seed in range(30):
        edited = OPERATIONS[name](ken, make_rng(seed), material)
        assert edited.applied == (name,)
        assert edited.words != ken.words
        assert edited.words[0] == ken.words[0]
        assert edited.edits()
        check_origins(edited, corpus[0])


@pytest.mark.parametrize("second", list(OPERATIONS))
@pytest.mark.parametrize("first", list(OPERATIONS))
def test_composition_keeps_earlier_edits(first, second, ken, make_rng, material, corpus, check_origins):
    composed = 0
    for seed in range(30):
        once = OPERATIONS[first](ken, make_rng(seed), material)
        twice = OPERATIONS[second](once, make_rng(seed + 100), material)
        if twice is None:
            # all sentences were moved, so none may be replaced
            assert first == "sentence_reordering"
            assert second in ("sentence_substitution", "sentence_repetition")
            continue
        composed += 1
        kinds = {(edit.level, edit.operation) for edit in twice.edits()}
        assert {tuple(first.split("_")), tuple(second.split("_"))} <= kinds
        check_origins(twice, corpus[0])
        # tokens that the first edited and the second did not are all still present
        assert (
            num_edited_tokens(twice, first) >= num_edited_tokens(once, first)
            or second == "lexical_repetition"
        )
    assert composed


def num_edited_tokens(story, operation):
    return sum(names.count(operation) for names in story.operations)


def test_samples_differ_and_keep_the_context(samples, corpus, check_origins):
    for epoch, sample in enumerate(samples):
        original = corpus[epoch % len(corpus)]
        assert sample.words != original.words
        assert sample.words[0] == original.words[0]
        assert len(sample.words) == len(original.words)
        check_origins(sample, original)
        for name in sample.applied:
            level, _, operation = name.partition("_")
            assert any((edit.level, edit.operation) == (level, operation) for edit in sample.edits())


def test_edit_spans_lie_in_the_text(samples):
    for sample in samples[:500]:
        size = sum(map(len, sample.words))
        edits = sample.edits()
        assert all(0 <= edit.start < edit.end <= size for edit in edits)
        assert [edit.start for edit in edits] == sorted(edit.start for edit in edits)


def test_keep_zero_allows_edits_of_the_first_sentence(corpus, language):
    sampler = UnionSampler(corpus, language, UnionSampling(keep=0))
    firsts = [sampler.sample(0, epoch).words[0] for epoch in range(200)]
    assert any(first != corpus[0].words[0] for first in firsts)


@pytest.mark.parametrize("left_out", list(TECHNIQUE_OPERATIONS))
def test_excluded_technique_is_never_used(left_out, corpus, language):
    sampler = UnionSampler(corpus, language, UnionSampling(without=(left_out,)))
    drawn = {technique(name) for epoch in range(200) for name in sampler.sample(0, epoch).applied}
    assert drawn == set(TECHNIQUE_OPERATIONS) - {left_out}


def test_inapplicable_techniques_are_replaced(story, language):
    # one sentence after the context, without verb or keyword: only repetition of an n-gram or sentence substitution apply
    corpus = [story("she/PRP left/VBD .", "oh/UH !"), story("he/PRP ran/VBD .", "ah/UH !")]
    sampler = UnionSampler(corpus, language)
    drawn = {name for epoch in range(100) for name in sampler.sample(0, epoch).applied}
    assert drawn == {"lexical_repetition", "sentence_substitution"}


def test_story_to_which_nothing_applies_has_no_sample(story, corpus, language):
    sampler = UnionSampler([*corpus, story("she/PRP left/VBD .")], language)
    assert sampler.sample(3) is None


def sample_values(sample):
    return sample.words, sample.tags, sample.origins, sample.operations, sample.applied, sample.edits()


def test_samples_do_not_depend_on_number_of_processes(corpus, language):
    stories = corpus * 150  # more than two chunks
    single_process = [sample_values(s) for s in UnionSampler(stories, language, seed=5).sample_all(epoch=2)]
    two_processes = [
        sample_values(s) for s in UnionSampler(stories, language, seed=5).sample_all(epoch=2, processes=2)
    ]
    assert single_process == two_processes
    backwards = range(len(stories) - 1, -1, -1)
    again = UnionSampler(stories, language, seed=5).sample_all(epoch=2, indices=backwards)
    assert [sample_values(s) for s in again] == single_process[::-1]


def test_seed_and_epoch_change_the_sample(corpus, language):
    def sample(seed, epoch):
        return [sample_values(s) for s in UnionSampler(corpus * 10, language, seed=seed).sample_all(epoch)]

    assert sample(0, 0) == sample(0, 0)
    assert sample(0, 0) != sample(1, 0)
    assert sample(0, 0) != sample(0, 1)


def test_stories_outside_the_corpus_can_be_edited(sampler, story, make_rng):
    outside = story("she/PRP left/VBD .", "he/PRP went/VBD home/NN .", "it/PRP was/VBD good/JJ .")
    assert sampler.edit(EditedStory.start(outside), make_rng(0)).words != outside.words


def test_samples_do_not_depend_on_global_random_state(corpus, language):
    np.random.seed(0)  # noqa: NPY002 - the global state must not matter
    first = sample_values(UnionSampler(corpus, language).sample(0))
    np.random.seed(1)  # noqa: NPY002
    assert sample_values(UnionSampler(corpus, language).sample(0)) == first


def test_bad_arguments_are_refused(corpus, language, sampler):
    with pytest.raises(ValueError, match="at least one story"):
        UnionSampler([], language)
    with pytest.raises(ValueError, match="seed of 0 or more, got -1"):
        UnionSampler(corpus, language, seed=-1)
    with pytest.raises(ValueError, match=r"0 \.\. 2, got 3"):
        sampler.sample(3)


@pytest.mark.parametrize(
    ("words", "tags", "message"),
    [
        ([], [], "at least one sentence"),
        ([["a"]], [], "tags for 1 sentences, got 0"),
        ([["a"], []], [["DT"], []], "sentence 1: expected at least one word"),
        ([["a", "b"]], [["DT"]], "sentence 0: expected 2 tags, got 1"),
    ],
)
def test_bad_stories_are_refused(words, tags, message):
    with pytest.raises(ValueError, match=message):
        TaggedStory(words, tags)


def test_substitution_falls_back_to_the_level_that_applies() -> None:
    corpus = [tagged("she/PRP left/VBD .", "oh/UH !"), tagged("he/PRP ran/VBD .", "ah/UH !")]
    sampling = UnionSampling(counts=(1.0,), techniques={"substitution": 1.0})
    sampler = UnionSampler(corpus, TinyLanguage(), sampling)  # no word is a keyword
    assert all(sampler.sample(0, epoch) for epoch in range(30))
