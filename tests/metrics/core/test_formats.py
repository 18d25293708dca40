"""The format of a file without a known ending, and tables and arrays in another one."""

from pathlib import Path

import pytest

from openmeva.metrics.core.rows import read_rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id;story;context\n1;Ann ran.;x\n",
            "line 1: expected stories, got the heading of a table, 'id;story;context'",
        ),
        ("Story,Prompt\nAnn ran.,x\n", "got the heading of a table, 'Story,Prompt': name the format"),
        ('\n[{"story": "Ann ran."}]\n', "line 2: expected stories, got a JSON array"),
    ],
)
def test_tables_and_arrays_without_a_known_ending_are_not_read_as_text(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "stories").write_text(text)
    with pytest.raises(ValueError, match=message):
        list(read_rows(tmp_path / "stories"))


def test_format_is_inferred_from_the_first_line_with_text(tmp_path: Path) -> None:
    for text, stories in (
        ('\n\n{"story": "Ann ran."}\n', ["Ann ran."]),
        ("\nstory,context\nAnn ran.,x\n", ["Ann ran."]),
        ("Ann ran.\n[WP] You wake up.\n", ["Ann ran.", "[WP] You wake up."]),
        ("[ WP ] A story, it was.\n", ["[ WP ] A story, it was."]),
    ):
        (tmp_path / "stories").write_text(text)
        assert [row.values["story"] for row in read_rows(tmp_path / "stories")] == stories


def test_other_separators_and_arrays_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id;story\n1;Ann ran, and fell.\n")
    with pytest.raises(ValueError, match=r"line 1: expected columns separated by ',', got 'id;story': save"):
        list(read_rows(tmp_path / "a.csv"))
    for text in ('[{"story": "Ann ran."}]', "[\n"):
        (tmp_path / "a.jsonl").write_text(text)
        with pytest.raises(ValueError, match=r"got '\[.*\(a JSON array; write one object per line\)"):
            list(read_rows(tmp_path / "a.jsonl"))
