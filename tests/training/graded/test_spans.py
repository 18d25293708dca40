"""Edits that span many sentences: each applies, replaces sentences and keeps the others."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from openmeva.training.graded.sampling import GradedSampler, GradedSampling
from openmeva.training.graded.spans import (
    contradict_earlier_sentence,
    insert_ngram_loop,
    insert_other_story,
    repeat_block,
    sample_run,
    shuffle_sentences,
    toggle_negation,
)
from openmeva.training.negatives.corrupted_story import CorruptedStory

NAMES = "ann bob cy dee eve fay gus hal".split()
STORIES = [
    [[name, *f"was near the old {place} that day".split(), "."] for place in "mill lake road farm well".split()]
    + [[name, *f"had seen {thing} at night".split(), "."] for thing in "a fox,two cats,the moon,a light,him,it".split(",")]
    for name in NAMES
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        ("block_repetition", "repetition"),
        ("ngram_loop", "repetition"),
        ("block_reordering", "wrong_order"),
        ("block_substitution", "off_topic"),
        ("distant_contradiction", "contradiction"),
    ],
)
def test_every_span_edit_is_applied(edit: str, kind: str) -> None:
    stories = STORIES * 4
    sampling = GradedSampling(edits={edit: 1.0}, levels=2, keep=0)
    chains = GradedSampler(stories, lambda _: None, None, None, sampling, seed=4).chains(range(len(stories)))
    damaged = [chain[1] for chain in chains if len(chain) > 1]
    assert len(damaged) > 20
    for draft in damaged:
        assert set(draft.edits) == {edit}
        assert draft.error_types == {kind}
        assert len(draft.words) == 11, "sentences are replaced, none is lost"
        changed = [i for i, words in enumerate(draft.words) if any(draft.corrupted[i])]
        assert all(list(draft.words[i]) == stories[draft.index][i] for i in range(11) if i not in changed)
        assert any(list(draft.words[i]) != stories[draft.index][i] for i in changed)


def test_repeat_block_replaces_sentences() -> None:
    story = [[*f"the {word} went to the old house at night".split(), "."] for word in "abcdefghij"]
    draft = CorruptedStory.start(story, 0)
    repeated = repeat_block(draft, draft.untouched(0), np.random.default_rng(2))
    assert repeated is not None
    words = {word for sentence in repeated.words for word in sentence if len(word) == 1 and word.isalpha()}
    assert words < set("abcdefghij"), "some sentences were replaced by others of the story"
    assert repeat_block(draft, [0, 1], np.random.default_rng(2)) is None


def test_repeated_block_is_from_before_the_replaced_sentences() -> None:
    draft = CorruptedStory.start([[word, "."] for word in "abcdefg"], 0)
    for seed in range(30):
        repeated = repeat_block(draft, [4, 5, 6], np.random.default_rng(seed))
        assert repeated is not None
        assert {words[0] for words in repeated.words[4:]} <= set("abcd")
        assert repeated.words[:4] == draft.words[:4]


def test_runs_have_all_lengths_between_the_limits() -> None:
    free = [0, *range(2, 14), 20]
    runs = [sample_run(free, 3, 6, np.random.default_rng(seed)) for seed in range(200)]
    assert {len(run) for run in runs} == {3, 4, 5, 6}
    assert all(run == list(range(run[0], run[-1] + 1)) for run in runs)
    assert {run[0] for run in runs} | {run[-1] for run in runs} == set(range(2, 14))


def test_ngram_loop_follows_the_last_60_words() -> None:
    story = [[f"{age}{n}{i}" for i in range(10)] for age in ("old", "new") for n in range(10)]
    draft = CorruptedStory.start([*story, ["x"], ["x"]], 0)
    for seed in range(10):
        looped = insert_ngram_loop(draft, [20, 21], np.random.default_rng(seed))
        assert looped is not None
        for first, *others in looped.words[20:]:
            assert first in {sentence[0] for sentence in story}
            assert {*others[:-1]} <= {f"new{n}{i}" for n in range(4, 10) for i in range(10)}


@pytest.mark.parametrize(("sentences", "start"), [(20, 10), (10, 5), (6, 3), (3, 1), (2, 0)])
def test_other_story_is_taken_from_the_same_position(sentences: int, start: int) -> None:
    draft = CorruptedStory.start([[str(n)] for n in range(10)], 0)
    other = [[f"other {n}"] for n in range(sentences)]
    inserted = insert_other_story(draft, [5, 6], other, np.random.default_rng(0))
    assert inserted is not None
    assert [words[0] for words in inserted.words[5:7]] == [f"other {start}", f"other {start + 1}"]


def test_half_of_the_other_stories_are_similar_and_none_is_the_story_itself() -> None:
    stories = [[[str(n)]] * 6 for n in range(10)]
    near: Any = SimpleNamespace(similar_stories={0: [1]})
    sampling = GradedSampling(edits={"block_substitution": 1.0})
    sampler = GradedSampler(stories, lambda _: None, near, None, sampling, seed=0)
    draft, rng = CorruptedStory.start(stories[0], 0), np.random.default_rng(0)
    drawn = [sampler._insert_other_story(draft, [2, 3, 4], rng) for _ in range(1000)]
    sources = Counter(edited.words[3][0] if edited else None for edited in drawn)
    assert sources["1"] / 1000 == pytest.approx(0.5 + 0.5 / 10, abs=0.05)
    assert sources[None] / 1000 == pytest.approx(0.5 / 10, abs=0.03)
    assert "0" not in sources


def test_contradicted_sentence_is_not_the_one_just_before() -> None:
    sang, home = ["she", "sang", "."], ["he", "was", "home", "."]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        assert contradict_earlier_sentence(CorruptedStory.start([sang, home, sang], 0), [1, 2], rng) is None
        negated = contradict_earlier_sentence(CorruptedStory.start([home, sang, sang], 0), [1, 2], rng)
        assert negated is not None
        assert negated.words[1:] == (tuple(sang), ("he", "was", "not", "home", "."))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("she was happy .", "she was not happy ."),
        ("he did n't run .", "he did run ."),
        ("they wo n't come .", "they will come ."),
        ("i sha n't go .", "i shall go ."),
        ("she sang .", None),
        ("she had a dog .", None),
        ("she had seen a dog .", "she had not seen a dog ."),
        ("he must have gone .", "he must not have gone ."),
        ("he did it .", None),
        ("can you swim ?", None),
        ("i ai n't dead .", None),
    ],
)
def test_toggle_negation(before: str, after: str | None) -> None:
    assert toggle_negation(before.split()) == (after.split() if after else None)


def test_shuffled_sentences_never_keep_their_order() -> None:
    draft = CorruptedStory.start([[word, "."] for word in "abc"], 0)
    for seed in range(30):
        assert shuffle_sentences(draft, [0, 1, 2], np.random.default_rng(seed)).words != draft.words


def test_repeated_block_is_from_just_before_and_partly_varied() -> None:
    story = [[*f"the {word} went to the old house at night".split(), "."] for word in "abcdefghij"]
    draft = CorruptedStory.start(story, 0)
    repeated = [
        sentence
        for seed in range(40)
        for sentence in repeat_block(draft, list(range(6, 10)), np.random.default_rng(seed)).words[6:]
    ]
    exact = [sentence in draft.words for sentence in repeated]
    assert 0.2 < np.mean(exact) < 0.6
    lengths = {len(sentence) for sentence in repeated}
    assert len(lengths) > 1, "some words are left out"
