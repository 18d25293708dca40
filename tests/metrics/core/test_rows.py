"""Reading and writing rows in every file format, and reporting damaged files."""

import csv
import datetime
import gzip
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.files import read_lines
from openmeva.metrics.core.rows import KINDS, Row, kind_of, read_rows, text_of
from openmeva.metrics.core.writing import check_output, json_line, write_rows

ROWS = [
    {"story": "A story\u2028in two \x0b parts.\u0085", "story_id": "a"},
    {"story": 'He said "no, never".', "story_id": "b"},
]


def read_values(path: Path | str, **options: Any) -> list[dict[str, Any]]:
    return [row.values for row in read_rows(path, **options)]


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_cells_are_not_read_as_formulas_by_spreadsheets(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{kind}"
    texts = ["=HYPERLINK(1)", "+1+2", "-x", "@SUM(A1)", " =1", "\t=1", "'=1"]
    texts += ["＝1", "＋1", "－x", "＠SUM(A1)"]  # full-width signs
    write_rows(path, [{"story": text, "=column": -0.5, "rating": "-1.5"} for text in texts])
    with path.open(encoding="utf-8", newline="") as file:
        heading, *cells = csv.reader(file, delimiter="," if kind == "csv" else "\t")
    assert heading == ["story", "'=column", "rating"]
    assert cells == [[f"'{text}", "-0.5", "-1.5"] for text in texts]


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_any_text_round_trips_in_a_table(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{kind}"
    texts = [
        "=1",
        "'=1",
        "''=1",
        "'tis",
        "'-0.5",
        "-0.5",
        "-x",
        "a\rb",
        "a\r\nb",
        "\r",
        "=\r\n",
        '"',
        ",\t",
        "'",
        " ",
    ]
    write_rows(path, [{"=story": text, "n": "1"} for text in texts])
    assert [row["=story"] for row in read_values(path)] == texts


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_rows_round_trip_in_every_format(kind: str, packed: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{kind}{packed}"
    assert write_rows(path, ROWS) == 2
    assert read_values(path) == ROWS
    content = path.read_bytes()
    write_rows(path, ROWS)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_same_rows_give_the_same_bytes_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, now in (("a.jsonl.gz", 1e9), ("b.jsonl.gz", 2e9)):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        write_rows(tmp_path / name, ROWS)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_text_file_has_one_story_per_line_despite_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt.gz"
    write_rows(path, [*ROWS, {"story": "lines\nof\rall\r\nkinds"}])
    stories = [*(row["story"] for row in ROWS), "lines of all  kinds"]
    assert [row["story"] for row in read_values(path)] == stories
    assert gzip.decompress(path.read_bytes()).decode() == "".join(f"{story}\n" for story in stories)
    with pytest.raises(ValueError, match=r"row 1: expected 'score', .* got \['story', 'story_id'\]"):
        write_rows(tmp_path / "scores.txt", ROWS, column="score")
    assert not (tmp_path / "scores.txt").exists()


def test_unknown_file_extension_is_rejected(tmp_path: Path) -> None:
    for write in (check_output, lambda path: write_rows(path, ROWS)):
        with pytest.raises(ValueError, match=r"expected an ending among \.jsonl, .*, or none, got \.xlsx$"):
            write(tmp_path / "a.xlsx.gz")
    write_rows(tmp_path / "rows", ROWS)
    assert read_values(tmp_path / "rows") == ROWS
    write_rows(tmp_path / "rows.csv", ROWS)
    (tmp_path / "rows.csv").rename(tmp_path / "rows.2")
    assert read_values(tmp_path / "rows.2", kind="csv") == ROWS


def test_lines_end_only_at_newlines_and_byte_order_marks_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffa\u2028b\r\nc\x0cd\n\n".encode())
    assert list(read_lines(path)) == [(1, "a\u2028b"), (2, "c\x0cd"), (3, "")]
    assert [row.values["story"] for row in read_rows(path)] == ["a\u2028b", "c\x0cd"]


@pytest.mark.parametrize("kind", ["txt", None])
def test_blank_line_before_a_story_is_an_error(kind: str | None, tmp_path: Path) -> None:
    """Otherwise the rows of a result would not be those of the lines."""
    path = tmp_path / "stories"
    path.write_text("\nBen ran.\n \n\t\nAnn sang.\n\n \n")
    with pytest.raises(ValueError, match=r"stories, line 1: expected a story, got a blank line$"):
        list(read_rows(path, kind))
    bad: list[str] = []
    assert [row.number for row in read_rows(path, kind, on_bad_line=bad.append)] == [2, 5]
    assert bad == [f"{path}, line {number}: expected a story, got a blank line" for number in (1, 3, 4)]
    path.write_text("Ben ran.\nAnn sang.\n\n \n")
    assert [row.number for row in read_rows(path, kind)] == [1, 2]


def test_quoted_table_cells_may_have_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'\xef\xbb\xbfstory,n\r\n"a, b\r\nc",1\r\n')
    assert read_values(path) == [{"story": "a, b\nc", "n": "1"}]


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> None:
    for content in (b'{"story": "x"}\n', gzip.compress(b'{"story": "x"}\n'), b"x\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_values("-") == [{"story": "x"}]
    for heading, kind in (("story", "csv"), ("story", None), ('"story"', None)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{heading}\nx\n".encode())))
        assert read_values("-", kind=kind) == [{"story": "x"}]
    for separator in ",\t":
        table = f"id{separator}story\n1{separator}x\n".encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table)))
        assert read_values("-") == [{"id": "1", "story": "x"}]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"A story, it was.\n")))
    assert read_values("-") == [{"story": "A story, it was."}]
    long = "A story. " * 20_000  # longer than csv's limit on a cell
    for content in (long.strip(), "Ann ran.\rShe fell."):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert [row["story"] for row in read_values("-")] == [content]
    capfdbinary.readouterr()
    write_rows("-", ROWS)
    assert capfdbinary.readouterr().out == b"".join(map(json_line, ROWS))


def test_format_is_inferred_from_the_file_extension() -> None:
    names = ["a.jsonl", "a.NDJSON.gz", "a.json", "a.csv", "a.tsv.gz", "a.parquet", "a.txt", "a.text"]
    kinds = ["jsonl", "jsonl", "jsonl", "csv", "tsv", "parquet", "txt", "txt"]
    assert [kind_of(name) for name in names] == kinds
    assert kind_of("a.wp_target") is kind_of("a") is None
    assert set(kinds) == set(KINDS)
    with pytest.raises(ValueError, match="expected a format among jsonl"):
        list(read_rows("x", "xls"))


def test_lone_surrogates_round_trip_in_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_rows(path, [{"story": "a\ud800b"}])
    assert read_values(path) == [{"story": "a\ud800b"}]
    write_rows(tmp_path / "a.csv", [{"story": "a\ud800b"}])
    assert read_values(tmp_path / "a.csv") == [{"story": "a?b"}]


def test_values_without_native_form_are_written_as_text(tmp_path: Path) -> None:
    day = datetime.date(2020, 1, 2)
    rows = [{"id": "a", "on": day, "n": 2**70, "many": [day]}, {"id": 1, "on": day, "n": 1, "many": []}]
    for kind in ("jsonl", "csv", "parquet"):
        write_rows(tmp_path / f"a.{kind}", rows)
    assert read_values(tmp_path / "a.jsonl")[0] == {
        "id": "a",
        "on": "2020-01-02",
        "n": 2**70,
        "many": ["2020-01-02"],
    }
    assert read_values(tmp_path / "a.csv")[0] == {
        "id": "a",
        "on": "2020-01-02",
        "n": str(2**70),
        "many": '["2020-01-02"]',
    }
    assert read_values(tmp_path / "a.parquet") == [
        {"id": "a", "on": day, "n": str(2**70), "many": [day]},
        {"id": "1", "on": day, "n": "1", "many": []},
    ]
    write_rows(tmp_path / "b.parquet", [{"story": "a\ud800b"}])
    assert read_values(tmp_path / "b.parquet") == [{"story": "a?b"}]


WHOLE = gzip.compress(json.dumps({"story": "x" * 5000}).encode() * 50)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"story": "x"}\n[1]\n', "a.jsonl, line 2: expected a JSON object, got '\\[1\\]'"),
        ("a.jsonl", b"{", "a.jsonl, line 1: expected a JSON object"),
        ("a.jsonl", b"[" * 100_000, "a.jsonl, line 1: .*too deeply"),
        ("a.jsonl", b'{"a":' * 100_000, "a.jsonl, line 1: .*too deeply"),
        ("a.txt", b"fine\ncaf\xe9\n", "a.txt, line 2: expected UTF-8, got the byte 0xe9"),
        ("a.jsonl.gz", WHOLE[:-20], "a.jsonl.gz is damaged"),
        ("a.jsonl.gz", WHOLE[:30] + b"\0\0\0\0" + WHOLE[34:], "a.jsonl.gz is damaged"),
        ("a.jsonl.gz", b'{"story": "x"}\n', "a.jsonl.gz is damaged: .*not gzipped"),
        ("a.csv", b"story,context\nonly one\n", "a.csv, line 2: expected 2 cells as in the heading, got 1"),
        ("a.csv", b"story,story\n", "a.csv, line 1: expected each column once"),
        (
            "a.jsonl",
            b'{"story": "x"}\n{"story": "y", "story": "z"}\n',
            "line 2: expected each key once, got 'story' again",
        ),
        ("a.csv", b'story\n"open\n', "a.csv, line 2: expected a table"),
        ("a.csv", b'story\nx\n"open\ny\nz\n', "a.csv, line 3: expected a table.*; the row reaches line 5"),
        ("a.csv", b"PK\x03\x04\x14\0", r"a.csv: expected text, got an Excel workbook .* as CSV \(UTF-8\)"),
        ("a.parquet", b"PAR1 no", "a.parquet is damaged or no Parquet file"),
        ("a.parquet", b"", "a.parquet is damaged or no Parquet file"),
    ],
)
@pytest.mark.usefixtures("no_collection")
def test_damage_is_reported_with_file_and_line(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        list(read_rows(tmp_path / name))


def test_parquet_column_that_occurs_twice_is_rejected(tmp_path: Path) -> None:
    """Only the last of them would be read."""
    table = pa.table([["1"], ["Ann ran."], ["2"]], names=["id", "story", "id"])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: expected each column once, got 'id' again"):
        list(read_rows(tmp_path / "a.parquet"))


def test_damaged_page_of_a_parquet_file_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    write_rows(file, [{"story": f"story {number} " * 20} for number in range(200)])
    content = file.read_bytes()
    file.write_bytes(content[:40] + bytes(60) + content[100:])
    with pytest.raises(ValueError, match=r"a\.parquet is damaged or no Parquet file"):
        list(read_rows(file))


def test_field_without_text_is_reported() -> None:
    row = Row(3, "a.csv, line 3", {"story": "x", "score": 2.5})
    assert text_of(row) == "x"
    for column, message in {
        "score": "expected a text in the field 'score', got 2.5",
        "text": "expected a field 'text', got 'story', 'score'",
    }.items():
        with pytest.raises(ValueError, match=f"^a.csv, line 3: {message}$"):
            text_of(row, column)


def test_folder_is_rejected_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected a file, got a folder"):
        list(read_rows(tmp_path))


def test_bad_lines_are_passed_to_the_callback(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('no\n{"story": "x"}\n')
    messages: list[str] = []
    assert [row.values for row in read_rows(path, on_bad_line=messages.append)] == [{"story": "x"}]
    assert messages == [f"{path}, line 1: expected a JSON object, got 'no'"]


@pytest.mark.parametrize("name", ["a.jsonl", "a"])
def test_line_that_is_not_utf_8_is_skipped_except_in_tables(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b'{"story": "x"}\n{"story": "caf\xe9"}\n{"story": "y"}\n')
    messages: list[str] = []
    result = list(read_rows(tmp_path / name, on_bad_line=messages.append))
    assert [(row.number, row.values["story"]) for row in result] == [(1, "x"), (3, "y")]
    assert messages == [
        f"{tmp_path / name}, line 2: expected UTF-8, got the byte 0xe9; save the file as UTF-8"
    ]
    # The bad line may be part of a row; every line is bad.
    for content in (b"story\nx\ncaf\xe9\n", "x\ny\n".encode("utf-16")):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(ValueError, match="expected UTF-8"):
            list(read_rows(tmp_path / "a", on_bad_line=messages.append))


def test_long_heading_is_shortened_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{'long ' * 10_000},b,b,{'long ' * 10_000}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected each column once, got 'long long") as error:
        list(read_rows(tmp_path / "a.csv"))
    assert len(str(error.value)) < 200 + len(str(tmp_path))
