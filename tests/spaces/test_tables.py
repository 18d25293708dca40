"""Reading and writing files: limits, file types, and escaped formulas."""

import base64
import csv
import datetime
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.writing import csv_text
from openmeva.spaces.limits import MAX_BYTES, MAX_CHARACTERS, check_text
from openmeva.spaces.tables import data_link, read_rows, read_upload, read_uploads, to_jsonl


def test_csv_and_jsonl_rows() -> None:
    assert read_rows("a.CSV", '\ufeffstory,context\n"a, b\nc",d\n'.encode()) == [
        {"story": "a, b\nc", "context": "d"}
    ]
    assert read_rows("a.jsonl", b'{"story": "x\xe2\x80\xa8y"}\n\n{"story": "z"}') == [
        {"story": "x\u2028y"},
        {"story": "z"},
    ]


def test_text_lines_are_stories_and_tsv_is_read() -> None:
    assert read_rows("a.txt", b"Ann ran.\nShe ate.\n\n") == [{"story": "Ann ran."}, {"story": "She ate."}]
    assert read_rows("a.tsv", b"story\tcontext\nx, y\tz\n") == [{"story": "x, y", "context": "z"}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "no rows"),
        ("a.csv", b"story\n", "no rows"),
        ("a.csv", b"story,context\nonly one\n", "line 2: expected 2 cells as in the heading, got 1"),
        ("a.csv", b"story\nx,y\n", "line 2: expected 1 cells"),
        ("a.csv", b'story\n"open', "line 2: expected a table of cells"),
        ("a.jsonl", b'{"story": 1}\n[1]\n', "line 2: expected a JSON object"),
        ("a.jsonl", b"{", "line 1: expected a JSON object"),
        ("a.jsonl", b"[" * 100_000, "line 1: expected a JSON object"),
        ("a.pkl", b"x", r"not \.pkl"),
        ("a.csv", b"story\n\xff\xfe", "UTF-8"),
        ("a.csv", b"x" * (MAX_BYTES + 1), "at most 2 MB"),
    ],
)
@pytest.mark.usefixtures("no_collection")
def test_bad_files_are_rejected(name: str, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_rows(name, content)


@pytest.mark.parametrize(
    ("stories", "message"),
    [
        (["Ann ran."] * 20_001, "more than 20,000 rows"),
        (["Ann ran. " * 100_000] * 12, "more than 10 million characters"),  # which packs to one
        ([f"{place} {'ran ' * 250_000}" for place in range(12)], "more than 10 million characters"),
    ],
)
def test_decompressed_size_is_limited(stories: list[str], message: str) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"story": stories}), file, compression="zstd")
    assert len(file.getvalue()) < MAX_BYTES
    with pytest.raises(ValueError, match=message):
        read_rows("a.parquet", file.getvalue())


@pytest.mark.parametrize("value", [0, None])
def test_values_of_a_list_are_counted_before_they_are_decoded(
    value: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.BytesIO()
    values = pa.ListArray.from_arrays(
        [0, 11_000_000],
        pa.array(np.zeros(11_000_000, np.int32), pa.int32(), mask=np.full(11_000_000, value is None)),
    )
    pq.write_table(pa.table({"story": ["Ann ran."], "x": values}), file, compression="zstd")
    assert len(file.getvalue()) < 10_000
    monkeypatch.setattr("openmeva.spaces.tables.parquet_rows", None)
    with pytest.raises(ValueError, match="more than 10 million characters"):
        read_rows("a.parquet", file.getvalue())


def test_equal_texts_of_a_list_are_measured_before_they_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    file, text = io.BytesIO(), "x" * 100_000
    nested = [{"a": {"b": [text] * 250}}] * 2
    pq.write_table(pa.table({"story": ["Ann ran."], "x": [nested]}), file, compression="zstd")
    assert len(file.getvalue()) < 2000
    monkeypatch.setattr("openmeva.spaces.tables.parquet_rows", None)
    with pytest.raises(ValueError, match="more than 10 million characters"):
        read_rows("a.parquet", file.getvalue())


_TEXT = "x" * 100_000
_EQUAL = pa.array([_TEXT] * 1000)


@pytest.mark.parametrize(
    "column",
    [
        pa.FixedSizeListArray.from_arrays(_EQUAL, 1000),
        pa.StructArray.from_arrays([pa.FixedSizeListArray.from_arrays(_EQUAL, 1000)], ["a"]),
        pa.MapArray.from_arrays([0, 1000], pa.array([str(place) for place in range(1000)]), _EQUAL),
        pa.MapArray.from_arrays([0, 1000], _EQUAL, pa.array(range(1000))),
        pa.ListViewArray.from_arrays([0], [1000], _EQUAL),
        pa.LargeListViewArray.from_arrays(pa.array([0]), pa.array([1000]), _EQUAL),
        pa.ListArray.from_arrays([0, 1000], pa.array([_TEXT.encode()] * 1000, pa.binary(len(_TEXT)))),
        pa.array([None], pa.list_(pa.int8(), 11_000_000)),
        pa.array([None], pa.list_(pa.binary(11_000), 1000)),
    ],
    ids=lambda column: str(column.type)[:40],
)
def test_values_of_any_nested_column_are_measured(column: pa.Array, monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"story": ["Ann ran."], "x": column}), file, compression="zstd")
    assert len(file.getvalue()) < 5000
    monkeypatch.setattr("openmeva.spaces.tables.parquet_rows", None)
    with pytest.raises(ValueError, match="more than 10 million characters"):
        read_rows("a.parquet", file.getvalue())


@pytest.mark.parametrize(
    "items",
    [pa.array([[1, 2]], pa.list_(pa.int8(), 2)), pa.array(["{}"]).cast(pa.json_())],
    ids=["fixed", "json"],
)
def test_a_column_whose_size_is_not_known_before_decoding_is_refused(items: pa.Array) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"story": ["Ann ran."], "x": pa.ListArray.from_arrays([0, 1], items)}), file)
    with pytest.raises(ValueError, match="column 'x' are nested in a way that is not read here"):
        read_rows("a.parquet", file.getvalue())


def test_small_nested_columns_are_read() -> None:
    columns = {
        "fixed": pa.array([["a", "b"], None], pa.list_(pa.string(), 2)),
        "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
        "view": pa.array([["a"], ["b", "c"]], pa.list_view(pa.string())),
        "json": pa.array(["{}", None]).cast(pa.json_()),
        "bytes": pa.array([b"ab", None], pa.binary(2)),
    }
    file = io.BytesIO()
    pq.write_table(pa.table({"story": ["Ann ran.", "Bo sat."], **columns}), file)
    expected = {name: column.to_pylist() for name, column in columns.items()}
    rows = read_rows("a.parquet", file.getvalue())
    assert {name: [row[name] for row in rows] for name in columns} == expected


def test_lists_of_references_are_read() -> None:
    rows = [{"story": "Ann ran.", "reference": ["Bo sat.", "Cy fell."], "other": None}] * 40
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    assert read_rows("a.parquet", file.getvalue()) == rows


def test_damaged_end_of_a_parquet_file_is_reported() -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"story": ["Ann ran."]}), file)
    content = bytearray(file.getvalue())
    content[-100:-8] = b"\xff" * 92
    with pytest.raises(ValueError, match="damaged or no Parquet file"):
        read_rows("a.parquet", bytes(content))


def test_lone_surrogates_become_spaces() -> None:
    content = b'{"story": "Ann \\ud83d ran.", "reference": ["x\\ud83d"]}\n'
    assert read_rows("a.jsonl", content) == [{"story": "Ann   ran.", "reference": ["x "]}]


def test_download_serializes_any_value() -> None:
    rows = [{"story": "a\ud83db", "on": datetime.date(2020, 1, 2)}]
    for text, kind in ((to_jsonl(rows), "jsonl"), (csv_text(rows), "csv")):
        content = base64.b64decode(data_link(text, kind).partition(",")[2]).decode()
        assert "2020-01-02" in content


def test_upload_is_deleted_even_if_invalid(tmp_path: Path) -> None:
    for name, content in (("good.csv", "story\na b\n"), ("bad.csv", "")):
        path = tmp_path / name
        path.write_text(content)
        if content:
            read_upload(path)
        else:
            with pytest.raises(ValueError, match="no rows"):
                read_upload(path)
        assert not path.exists()


def test_uploads_are_deleted_with_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / name / "a.csv" for name in ("one", "two", "bad")]
    for path, content in zip(paths, ("story\na b\n", "story\nc d\n", ""), strict=True):
        path.parent.mkdir()
        path.write_text(content)
    untouched = paths[0].with_name("b.csv")
    untouched.write_text("story\na b\n")  # the same bytes under another name
    assert read_uploads(paths[0], paths[0]) == [[{"story": "a b"}]] * 2
    with pytest.raises(ValueError, match="no rows"):
        read_uploads(paths[2], paths[1])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [untouched]
    assert list(tmp_path.iterdir()) == [untouched.parent]


@pytest.mark.parametrize("cell", ["=1+1", "+1+2", "-1+A1", "@x", " =1", "\t=1", "\n=1", "＝1"])
def test_formulas_are_escaped(cell: str) -> None:
    written = csv_text([{"story": cell, cell: 1}])
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert [row[0] for row in rows] == ["story", f"'{cell}"]
    assert rows[0][1] == f"'{cell}"


def test_numbers_and_plain_texts_are_unchanged() -> None:
    assert (
        csv_text([{"a": -0.5, "b": "a - b", "c": None, "d": 3, "e": "-1.5"}]).splitlines()[1]
        == "-0.5,a - b,,3,-1.5"
    )


def test_columns_of_later_rows_are_written_too() -> None:
    assert csv_text([{"a": 1}, {"b": "x,y"}]).splitlines() == ["a,b", "1,", ',"x,y"']


def test_jsonl_round_trip() -> None:
    rows = [{"story": "é \u2028 =1", "score": -0.5}]
    assert [json.loads(line) for line in to_jsonl(rows).split("\n") if line] == rows


def test_data_link_contains_the_whole_text() -> None:
    head, data = data_link("é", "csv").split(",", 1)
    assert head == "data:text/csv;charset=utf-8;base64"
    assert base64.b64decode(data).decode() == "\ufeffé"


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "empty"), ("  \n", "empty"), ("?!", "no word"), ("a" * (MAX_CHARACTERS + 1), "10,000"), (3, "int")],
)
def test_invalid_texts_are_rejected(text: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_text(text, "The story")


def test_optional_text_may_be_missing_and_surrogates_are_replaced() -> None:
    assert (
        check_text(None, "The context", needed=False) == check_text("  ", "The context", needed=False) == ""
    )
    assert check_text("a\ud800b", "The story") == "a b"
