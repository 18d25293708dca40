"""The authors' filtered stories are read in groups, and groups with judged stories are excluded."""

import gzip
import json
from pathlib import Path

import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.training.classifier.rows import load_rows
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.config import parse
from openmeva.training.plot_guided.filtered_stories import (
    exclude_judged,
    read_filtered_stories,
    with_corrupted_words,
)

STORIES = [
    "tom ran . he fell .",
    "tom ran . he flew .",
    "we sat . it rained .",
    "we sat . it ate .",
    "we rose .",
]
LABELS = (1, 0, 1, 0, 0)


def write(path: Path, stories: list[str] = STORIES) -> Path:
    lines = [f"{n}\t{label}\t{n}\t{s}\n" for n, (label, s) in enumerate(zip(LABELS, stories, strict=True))]
    text = "".join(lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("name", ["af.tsv", "af.tsv.gz"])
def test_each_human_story_begins_a_group(tmp_path: Path, name: str) -> None:
    rows = list(read_filtered_stories(write(tmp_path / name)))
    assert [row.story for row in rows] == STORIES
    assert [row.label for row in rows] == list(LABELS)
    assert [row.level for row in rows] == [0, -1, 0, -1, -1]
    assert [row.group for row in rows] == [f"released:{n}" for n in (0, 0, 1, 1, 1)]
    assert [row.source for row in rows] == ["human", *["af_released"], "human", *["af_released"] * 2]


def test_groups_with_a_judged_story_are_excluded(tmp_path: Path) -> None:
    (tmp_path / "judged.csv").write_text(
        'WorkerId,Input.text1,Answer.text1\nw,"Tom ran . </s> He flew . </s>",3\n'
    )
    rows = list(read_filtered_stories(write(tmp_path / "af.tsv")))
    kept = exclude_judged(rows, ["judged.csv"], tmp_path, Normalizer())
    assert {row.group for row in kept} == {"released:1"}
    assert exclude_judged(rows, [], tmp_path, Normalizer()) == rows


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2\t1\ttom ran .", "line 6: expected 'number TAB label"),
        ("2\t2\t2\ttom ran .", "line 6: expected 'number TAB label"),
        ("2\t1\t2\t ", "line 6: expected 'number TAB label"),
    ],
)
def test_bad_line_is_reported_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "af.tsv")
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ValueError, match=message):
        list(read_filtered_stories(path))


def test_file_must_begin_with_a_human_story(tmp_path: Path) -> None:
    (tmp_path / "af.tsv").write_text("0\t0\t0\ttom flew .\n")
    with pytest.raises(ValueError, match="line 1: expected a human story"):
        list(read_filtered_stories(tmp_path / "af.tsv"))


def test_words_from_the_first_difference_on_are_marked_as_corrupted(tmp_path: Path) -> None:
    rows = with_corrupted_words(list(read_filtered_stories(write(tmp_path / "af.tsv"))), Normalizer())
    words = [[row.story.split()[position] for position in row.corrupted_words or []] for row in rows]
    assert words == [[], ["flew", "."], [], ["ate", "."], ["rose", "."]]
    assert [row.error_types for row in rows] == [[], None, [], None, None], "their error types are unknown"
    assert with_corrupted_words(rows, Normalizer()) == rows


def test_released_stories_are_loaded_without_long_ones(tmp_path: Path) -> None:
    write(
        tmp_path / "af.tsv",
        ["we ran and ran and ran .", "we flew .", *STORIES[2:3], "we sat . it ate and ate .", STORIES[4]],
    )
    (tmp_path / "judged.csv").write_text('WorkerId,Input.text1,Answer.text1\nw,"nobody .",3\n')
    released = {"file": "af.tsv", "exclude": ["judged.csv"], "max_words": 6, "share": 0.0}
    train, validation, provenance = load_rows(
        parse(RowsConfig, {"released": released, "seed": 1}), tmp_path, tmp_path, tmp_path
    )
    assert [row.story for row in train] == [STORIES[2], STORIES[4]], "and a story without its human story"
    assert [row.corrupted_words for row in train] == [[], [1, 2]]
    assert not validation
    assert set(provenance["data"]) == {"af.tsv", "judged.csv"}
    assert len(json.dumps(provenance["data"])) > 128, "checksums"
    train, validation, _ = load_rows(
        parse(RowsConfig, {"released": {**released, "share": 1.0}, "seed": 1}), tmp_path, tmp_path, tmp_path
    )
    assert not train
    assert len(validation) == 2


def test_groups_are_sampled_only_for_training(tmp_path: Path) -> None:
    write(tmp_path / "af.tsv")

    def loaded_groups(share: float) -> tuple[set[str], set[str]]:
        released = {"file": "af.tsv", "groups": 1, "share": share}
        train, validation, _ = load_rows(
            parse(RowsConfig, {"released": released, "seed": 1}), tmp_path, tmp_path, tmp_path
        )
        return {row.group for row in train}, {row.group for row in validation}

    assert len(loaded_groups(0.0)[0]) == 1
    assert len(loaded_groups(1.0)[1]) == 2, "held-out ones are all kept"
