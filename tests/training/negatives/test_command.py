"""Negative samples of a file."""

import json

import pytest

from openmeva.training.negatives.file import NegativeSamplingConfig, write_samples

STORIES = [
    "Ann had a dog. It liked cheese. She denied that. The cats laughed at her. She found a small bone.",
    "Tom hoped for rain. The garden was dry. No cloud came. He carried water. The roses did not bloom.",
]


@pytest.fixture
def run(tmp_path):
    """Writes the samples of stories; returns the numbers of stories with and without a sample, and the rows."""

    def run(lines, **settings):
        source, out = tmp_path / "stories.jsonl", tmp_path / "samples.jsonl"
        source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        counts = write_samples(source, out, NegativeSamplingConfig(cache=tmp_path / "tags", **settings))
        return counts, [json.loads(line) for line in out.read_text("utf-8").splitlines()]

    return run


def as_lines(stories):
    return [json.dumps({"story": story}) for story in stories]


def test_samples_have_valid_edits_and_origins(run):
    counts, rows = run(as_lines(STORIES), seed=1)
    assert counts == (2, 0)
    for row in rows:
        assert row["negative"] != row["original"]
        assert row["negative"][0] == row["original"][0]
        flat = [word for words in row["negative"] for word in words]
        for edit in row["edits"]:
            assert set(edit) == {"operation", "level", "start", "end"}
            assert 0 <= edit["start"] < edit["end"] <= len(flat)
        original = [word for words in row["original"] for word in words]
        assert max(origin for origins in row["origins"] for origin in origins) < len(original)


def test_seed_determines_samples(run):
    lines = as_lines(STORIES * 5)
    assert run(lines, seed=1) == run(lines, seed=1)
    assert run(lines, seed=1) != run(lines, seed=2)


def test_one_technique_only(run):
    _, rows = run(as_lines(STORIES), techniques=["reordering"])
    assert [row["applied"] for row in rows] == [["sentence_reordering"]] * 2


def test_story_without_sample_has_null_negative(run):
    counts, rows = run(as_lines(["Hello."]))
    assert counts == (0, 1)
    assert [row["negative"] for row in rows] == [None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no json", "line 3: expected a JSON object"),
        ('{"text": "Hello."}', "line 3: expected a field 'story', got 'text'"),
        ('{"story": " "}', "line 3: expected a story, got a blank one"),
        ('{"story": "\\u200b"}', "line 3"),
    ],
)
def test_bad_line_is_reported_with_its_number(run, tmp_path, line, message):
    with pytest.raises(ValueError, match=message):
        run([*as_lines(STORIES), line])
    assert not (tmp_path / "samples.jsonl").exists()
