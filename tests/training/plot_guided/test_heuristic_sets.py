"""The splits and the rule-based sets of the plot-guided paper."""

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.heuristics import substitute_antonyms, substitute_sentences
from openmeva.training.plot_guided import training_sets as sets
from openmeva.training.plot_guided.negatives import stage as negatives
from openmeva.training.plot_guided.plots.corpus import story_of_group
from openmeva.training.text.tagged_story import TaggedStory
from tests.tiny import plots as tiny_plots


def test_splits_have_exact_limits() -> None:
    of_hash = {zlib.crc32(str(group).encode()) % 100: str(group) for group in range(4000)}
    groups = [of_hash[value] for value in range(100)]
    assert [sets.split_of(group, (60, 20)) for group in groups] == (
        ["train"] * 60 + ["validation"] * 20 + ["test"] * 20
    )
    assert [sets.split_of(group) for group in groups] == (["train"] * 8 + ["validation", "test"]) * 10


def test_blocks_of_a_story_are_in_one_split(tmp_path: Path) -> None:
    tiny_plots.write_stories(tmp_path)
    whole = tiny_plots.negatives_config(tmp_path / "generator")
    blocked = {**whole, "corpus": {**whole["corpus"], "block_words": 8}}
    stories = negatives.load_plots(whole, tmp_path, tmp_path / "cache").metrics
    blocks = negatives.load_plots(blocked, tmp_path, tmp_path / "cache").metrics
    assert len(blocks) > len(stories)
    assert len({block.group for block in blocks}) == len(blocks)
    texts: dict[str, str] = {}
    splits: dict[str, set[str]] = {}
    for block in blocks:
        story = story_of_group(block.group)
        texts[story] = f"{texts[story]} {block.text}" if story in texts else block.text
        splits.setdefault(story, set()).add(sets.split_of(block.group))
    assert sorted(texts.values()) == sorted(story.text for story in stories)
    assert all(len(found) == 1 for found in splits.values())
    assert len(set().union(*splits.values())) > 1


@pytest.mark.parametrize(("sentences", "has_negative"), [(3, False), (4, True)])
def test_union_data_has_stories_of_four_sentences(tmp_path: Path, sentences: int, has_negative: bool) -> None:
    tiny_plots.write_stories(tmp_path)
    config = tiny_plots.negatives_config(tmp_path / "generator")
    first, *others = negatives.load_plots(config, tmp_path, tmp_path / "cache").metrics
    short = TaggedStory(first.story.words[:sentences], first.story.tags[:sentences])
    make = sets.heuristic_samplers([replace(first, story=short), *others], config)["union_data"]
    assert (make(0) is not None) == has_negative


def test_share_of_replaced_keywords_is_of_all_keywords() -> None:
    class Words:
        def is_keyword(self, word: str, tag: str) -> bool:
            return tag == "NN"

        def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
            return ("cold",) if word == "hot" else ()

    language: Any = Words()
    for others, replaced in ((0, 1), (8, 2), (12, 2), (13, 3), (40, 4)):  # 15 % of 4, 12, 16, 17 and 44
        story = TaggedStory(
            [["hot"] * 4 + ["dog"] * others + ["the"] * 50], [["NN"] * (4 + others) + ["DT"] * 50]
        )
        words = substitute_antonyms(story, language, BufferedRandom(np.random.default_rng(0)))
        assert words is not None
        assert words[0].count("cold") == replaced


STORY = TaggedStory(
    [["a", "dog"], ["it", "ran"], ["we", "hid"]], [["DT", "NN"], ["PRP", "VBD"], ["PRP", "VBD"]]
)
OTHER = TaggedStory([["x"]], [["NN"]])


def test_half_of_the_sentences_are_replaced() -> None:
    result = substitute_sentences(0, [STORY, OTHER], BufferedRandom(np.random.default_rng(0)))
    assert result is not None
    assert sum(sentence == ["x"] for sentence in result) == 1
    assert sum(sentence in [list(s) for s in STORY.words] for sentence in result) == 2
    assert substitute_sentences(1, [STORY, OTHER], BufferedRandom(np.random.default_rng(0))) is None


def test_keywords_are_replaced_by_antonyms() -> None:
    class Words:
        def is_keyword(self, word: str, tag: str) -> bool:
            return tag in ("NN", "VBD")

        def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
            return ("walked",) if word == "ran" else ()

    result = substitute_antonyms(STORY, Words(), BufferedRandom(np.random.default_rng(0)))  # type: ignore[arg-type]
    assert result == [["a", "dog"], ["it", "walked"], ["we", "hid"]]
    assert substitute_antonyms(OTHER, Words(), BufferedRandom(np.random.default_rng(0))) is None  # type: ignore[arg-type]
