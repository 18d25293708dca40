"""Edits that span many sentences: each applies, replaces sentences and keeps the others."""

import numpy as np
import pytest

from openmeva.training.graded.sampling import GradedSampler, GradedSampling
from openmeva.training.graded.spans import repeat_block, toggle_negation
from openmeva.training.negatives.draft import CorruptedStory

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


def test_repeat_block_replaces_sentences() -> None:
    story = [[*f"the {word} went to the old house at night".split(), "."] for word in "abcdefghij"]
    draft = CorruptedStory.start(story, 0)
    repeated = repeat_block(draft, draft.untouched(0), np.random.default_rng(2))
    assert repeated is not None
    words = {word for sentence in repeated.words for word in sentence if len(word) == 1 and word.isalpha()}
    assert len(words) < 10, "some sentences were replaced"
    assert repeat_block(draft, [0, 1], np.random.default_rng(2)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("she was happy .", "she was not happy ."),
        ("he did n't run .", "he did run ."),
        ("they wo n't come .", "they will come ."),
        ("i sha n't go .", "i shall go ."),
        ("she sang .", None),
    ],
)
def test_toggle_negation(before: str, after: str | None) -> None:
    assert toggle_negation(before.split()) == (after.split() if after else None)
