"""Tagging a corpus once."""

import pyarrow.parquet as pq
import pytest

from openmeva.training.negatives import tag_corpus
from openmeva.training.text import tagged_corpus as module

STORIES = [[["he", "ran", "."], ["it", "rained", "."]], [["she", "left", "."]]] * 400


def tag_by_length(sentences):
    return [[f"T{len(word)}" for word in words] for words in sentences]


def fail_if_called(sentences):
    raise AssertionError("tags were cached")


def tag(stories, folder, tagger=tag_by_length, name="length", **options):
    return tag_corpus(stories, folder, tagger=tagger, tagger_name=name, progress=False, **options)


def test_tags_are_cached(tmp_path):
    first = tag(STORIES, tmp_path)
    assert first[0].words == STORIES[0]
    assert first[0].tags == [["T2", "T3", "T1"], ["T2", "T6", "T1"]]
    assert tag(STORIES, tmp_path, tagger=fail_if_called) == first
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"], "no temporary file is left"


def test_cache_depends_on_stories_and_tagger(tmp_path):
    tag(STORIES, tmp_path)
    tag(STORIES[1:], tmp_path)
    tag(STORIES, tmp_path, name="another")
    # the same words, split into sentences differently
    tag([[["he", "ran", ".", "it", "rained", "."]], *STORIES[1:]], tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_tags_do_not_depend_on_number_of_processes(tmp_path):
    assert tag(STORIES, tmp_path / "two", processes=2) == tag(STORIES, tmp_path / "one")


def test_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise OSError("disk full")

    monkeypatch.setattr(pq, "write_table", fail)
    with pytest.raises(OSError, match="disk full"):
        tag(STORIES, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_shipped_tagger(tmp_path):
    (story,) = tag_corpus([[["he", "went", "home", "."]]], tmp_path, progress=False)
    assert story.tags == [["PRP", "VBD", "RB", "."]]
    assert len(module.shipped_tagger_checksum()) == 64


@pytest.mark.parametrize(
    ("stories", "message"),
    [
        ([[["a"]], []], "story 1: expected at least one sentence"),
        ([[["a", "b c"]]], "story 0: expected words without whitespace"),
        ([[["a", ""]]], "story 0: expected words without whitespace"),
        ([[[]]], "story 0"),
    ],
)
def test_bad_stories_are_refused(tmp_path, stories, message):
    with pytest.raises(ValueError, match=message):
        tag(stories, tmp_path)


def test_custom_tagger_requires_a_name(tmp_path):
    with pytest.raises(ValueError, match="tagger_name"):
        tag(STORIES, tmp_path, name=None)


def test_tagger_that_drops_a_word_is_refused(tmp_path):
    with pytest.raises(ValueError, match="sentence 0: expected 3 tags, got 2"):
        tag(STORIES, tmp_path, tagger=lambda sentences: [["X"] * (len(words) - 1) for words in sentences])
