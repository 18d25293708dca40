"""Reconstruction targets are aligned to the original through the origin of every word."""

from typing import Any

import pytest
import torch

from openmeva.metrics.union.modeling import IGNORE_INDEX
from openmeva.training.negatives import EditedStory, TaggedStory
from openmeva.training.union.data import Example, UnionCollator, UnionPairs
from tests.tiny.models import PIECES, tiny_tokenizer

ORIGINAL = TaggedStory(
    [["she", "ran", "home", "."], ["he", "walked", "the", "dog", "."]],
    [["PRP", "VBD", "RB", "."], ["PRP", "VBD", "DT", "NN", "."]],
)


class OneSample:
    """A fake sampler that always returns the same negative sample."""

    def __init__(self, words: list[list[str]], origins: list[list[int]]) -> None:
        self.words, self.origins = words, origins

    def sample(self, index: int, epoch: int) -> EditedStory:
        sample: Any = self
        return sample


def pieces(ids: list[int]) -> list[str]:
    return ["-" if i == IGNORE_INDEX else PIECES[i] for i in ids]


@pytest.mark.parametrize(
    ("words", "origins", "tokens", "targets"),
    [
        (  # a sentence moved: its words are their own targets
            ["he walked the dog .", "she ran home ."],
            [[4, 5, 6, 7, 8], [0, 1, 2, 3]],
            "he walk ##ed the dog . she ran home .",
            "he walk ##ed the dog . she ran home .",
        ),
        (  # a word substituted, an n-gram repeated
            ["she ate home home .", "he walked the dog ."],
            [[0, 1, 2, -1, 3], [4, 5, 6, 7, 8]],
            "she ate home home . he walk ##ed the dog .",
            "she ran home [PAD] . he walk ##ed the dog .",
        ),
        (  # one wordpiece for two: the second has no position; two for one: the second is dropped
            ["she walked home .", "he ran the dog ."],
            [[0, 1, 2, 3], [4, 5, 6, 7, 8]],
            "she walk ##ed home . he ran the dog .",
            "she ran [PAD] home . he walk the dog .",
        ),
        (  # negated: two words inserted, the verb's form changed
            ["she did n't walk home ."],
            [[0, -1, -1, 1, 2, 3]],
            "she did n ' t walk home .",
            "she [PAD] [PAD] [PAD] [PAD] ran home .",
        ),
    ],
)
def test_reconstruction_targets_follow_the_origin_of_words(
    words: list[str], origins: list[list[int]], tokens: str, targets: str
) -> None:
    sampler: Any = OneSample([w.split() for w in words], origins)
    positive, negative = UnionPairs([ORIGINAL], sampler, tiny_tokenizer(), limit=64, count=1)[0]
    assert (positive.label, negative.label) == (1, 0)
    assert positive.ids[1:-1] == positive.targets[1:-1]
    assert pieces(negative.ids) == ["[CLS]", *tokens.split(), "[SEP]"]
    assert pieces(negative.targets) == ["-", *targets.split(), "-"]


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        (
            ["he walked the dog .", "she ran home ."],
            "she ran home . he walk ##ed the dog .",
        ),  # the original words at each position
        (["she ran home .", "he ran ."], "she ran home . he walk ##ed"),  # the rest has no position
        (["she ran home .", "she ran home .", "he ran ."], "she ran home . he walk ##ed the dog . -"),
    ],
)
def test_reconstruction_targets_by_position(words: list[str], targets: str) -> None:
    sampler: Any = OneSample([w.split() for w in words], [[-1] * len(w.split()) for w in words])
    pairs = UnionPairs([ORIGINAL], sampler, tiny_tokenizer(), limit=64, count=1, by_position=True)
    positive, negative = pairs[0]
    assert positive.ids[1:-1] == positive.targets[1:-1]
    assert pieces(negative.targets) == ["-", *targets.split(), "-"]
    assert len(negative.targets) == len(negative.ids)


def test_loss_per_story_is_a_mean_of_means() -> None:
    short = Example([2, 9, 10, 3], [IGNORE_INDEX, 9, 11, IGNORE_INDEX], 1)
    long = Example([2, *[9] * 30, 3], [IGNORE_INDEX, *[10] * 30, IGNORE_INDEX], 0)
    batch = UnionCollator(padding=0, copied_share=1.0, seed=1, per_story=True)([(short, long)])
    used = batch["targets"] != IGNORE_INDEX
    losses = torch.arange(used.sum(), dtype=torch.float32)  # by position, stories one after the other
    weights = batch["weights"][used]
    mean = (losses * weights).sum() / weights.sum()
    assert mean.item() == pytest.approx((losses[:2].mean() + losses[2:].mean()).item() / 2)


def test_long_story_is_truncated_and_ends_in_sep() -> None:
    sampler: Any = OneSample([["she"] * 30], [[0] * 30])
    _, negative = UnionPairs([ORIGINAL], sampler, tiny_tokenizer(), limit=16, count=1)[0]
    assert len(negative.ids) == len(negative.targets) == 16
    assert (negative.ids[0], negative.ids[-1], negative.targets[-1]) == (2, 3, IGNORE_INDEX)


class DamageAtPosition:
    """A fake sampler that changes stories with even numbers past the maximum length, others at their beginning."""

    def __init__(self, stories: list[TaggedStory], early: bool = True) -> None:
        self.stories, self.early = stories, early

    def sample(self, index: int, epoch: int) -> Any:
        words = self.stories[index].flat_words()
        position = 3 if self.early and index % 2 else 900
        words[position] = "dog"
        return OneSample([words], [[number if number != position else -1 for number in range(len(words))]])


def test_negative_is_not_used_if_its_damage_is_truncated(capsys: pytest.CaptureFixture[str]) -> None:
    stories = [TaggedStory([["she"] * 1000], [["PRP"] * 1000]) for _ in range(6)]
    sampler: Any = DamageAtPosition(stories)
    pairs = UnionPairs(stories, sampler, tiny_tokenizer(), limit=64, count=12)
    assert all(human.ids != damaged.ids for human, damaged in (pairs[index] for index in range(12)))
    pairs.warn_about_truncated_stories()
    assert "6 of 6 stories are longer than max_length; set corpus.block_words" in capsys.readouterr().err
    always_truncated: Any = DamageAtPosition(stories, early=False)
    with pytest.raises(ValueError, match=r"no technique applies .* within the first 64 tokens"):
        UnionPairs(stories, always_truncated, tiny_tokenizer(), limit=64, count=1)[0]


def test_copied_targets_are_subsampled_and_weighted() -> None:
    example = Example([2, *[9, 10, 11] * 200, 3], [IGNORE_INDEX, *[9, 10, 30] * 200, IGNORE_INDEX], 0)
    batch = UnionCollator(padding=0, copied_share=0.25, seed=1)([(example, example)] * 4)
    used = batch["targets"] != IGNORE_INDEX
    changed = batch["targets"] == 30
    assert int(changed.sum()) == 200 * 8, "a changed position is always trained on"
    assert int((used & ~changed).sum()) == pytest.approx(0.25 * 400 * 8, rel=0.1)
    total = (batch["weights"] * used).sum()
    assert float(total) == pytest.approx(600 * 8, rel=0.06), (
        "the weights compensate for the excluded positions"
    )
    everything = UnionCollator(padding=0, copied_share=1.0, seed=1)([(example, example)])
    assert int((everything["targets"] != IGNORE_INDEX).sum()) == 1200
    assert torch.equal(everything["weights"], torch.ones_like(everything["weights"]))
