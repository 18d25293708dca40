"""Inputs that are damaged, deeply nested or differ in their columns: one bad row or one clear error each."""

import bz2
import json
import lzma
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.rows import read_rows
from openmeva.training.cli.scaling import absolute_path
from openmeva.training.scale import run as running
from openmeva.training.scale.parts import Size
from openmeva.training.scale.run import files_in
from openmeva.training.scale.sources import as_stories, files_source
from openmeva.training.scale.worker import PartResult
from tests.tiny.work import rows_in
from tests.training.scale.test_runs import counted


def bad_rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "bad.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl.xz", b"hello"),
        ("b.jsonl.bz2", b"hello"),
        ("c.jsonl.bz2", bz2.compress(b'{"story": "Ben ran."}\n')[:20]),
        ("d.jsonl.xz", lzma.compress(b'{"story": "Ben ran."}\n')[:40]),
    ],
)
def test_damaged_compressed_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name} is damaged: "):
        counted(tmp_path / name, tmp_path / "out")


def test_lost_connection_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*_: Any, **__: Any) -> None:
        raise ConnectionError("no answer")

    (tmp_path / "a.jsonl").write_text('{"story": "Ben ran."}\n')
    monkeypatch.setattr("openmeva.training.scale.sources.parse_rows", lose)
    with pytest.raises(ConnectionError, match="no answer"):
        counted(tmp_path / "a.jsonl", tmp_path / "out")


@pytest.mark.parametrize("size", [1, 10])
@pytest.mark.parametrize(
    ("depth", "reason"),
    [(60, "m is nested too deeply"), (400, "nested at most 100"), (900, "nested at most")],
)
def test_deeply_nested_row_is_a_bad_row(tmp_path: Path, size: int, depth: int, reason: str) -> None:
    deep: Any = 1
    for _ in range(depth):
        deep = [deep]
    rows = [
        {"story": "Ben ran.", "m": None},
        {"story": "Ann sat.", "m": deep},
        {"story": "Cy ate.", "m": None},
    ]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report = counted(tmp_path / "a.jsonl", tmp_path / "out", size=Size(rows=size), bad="keep")
    assert (report.scored, report.bad) == (2, 1)
    (bad,) = bad_rows(tmp_path / "out")
    assert (bad["row"], reason in bad["reason"]) == (2, True)


def test_column_may_be_absent_from_one_file_and_never_null_in_another(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("story", pa.string()), pa.field("x", pa.int64(), nullable=False)])
    pq.write_table(pa.table({"story": ["Ben ran."], "x": [1]}, schema), tmp_path / "a.parquet")
    pq.write_table(pa.table({"story": ["Ann sat."]}), tmp_path / "b.parquet")
    counted(tmp_path / "*.parquet", tmp_path / "out")
    assert [row["x"] for row in rows_in(tmp_path / "out")] == [1, None]


def test_nested_texts_count_for_the_size_of_a_part(tmp_path: Path) -> None:
    rows = [{"story": "Ben ran.", "notes": [{"text": "x" * 1000}]} for _ in range(10)]
    assert counted(rows, tmp_path / "out", size=Size(rows=100, characters=2000)).parts == 5


def test_line_that_begins_like_utf16_is_a_bad_row_but_a_file_is_refused(tmp_path: Path) -> None:
    story = b'{"story": "Ben ran."}\n'
    (tmp_path / "a.jsonl").write_bytes(story + b"\xff\xfe garbage\n" + story)
    assert counted(tmp_path / "a.jsonl", tmp_path / "out", bad="keep").bad == 1
    (tmp_path / "b.jsonl").write_bytes(story.decode().encode("utf-16"))
    with pytest.raises(ValueError, match=r"b\.jsonl, line 1: expected UTF-8"):
        counted(tmp_path / "b.jsonl", tmp_path / "other", bad="keep")


def test_place_of_a_bad_line_contains_the_whole_file_name(tmp_path: Path) -> None:
    (tmp_path / "my: s.jsonl").write_text('{"story": "Ben ran."}\n{\n')
    counted(tmp_path / "my: s.jsonl", tmp_path / "out", bad="keep")
    assert bad_rows(tmp_path / "out")[0]["where"].endswith("my: s.jsonl, line 2")


def test_input_without_a_valid_row_gives_the_first_reason(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{\n")
    with pytest.raises(ValueError, match=r"got none; the first bad row: .*a\.jsonl, line 1: "):
        counted(tmp_path / "a.jsonl", tmp_path / "out", bad="keep")


def test_date_before_a_time_does_not_take_the_time_away(tmp_path: Path) -> None:
    day, time = date(2020, 1, 2), datetime(2021, 3, 4, 5, 6)
    counted([{"story": "He ran.", "at": at} for at in (day, None, time)], tmp_path / "out")
    assert [row["at"] for row in rows_in(tmp_path / "out")] == [datetime(2020, 1, 2), None, time]
    counted([{"story": "He ran.", "at": day}], tmp_path / "dates")
    assert rows_in(tmp_path / "dates")[0]["at"] == day


def test_line_with_only_a_special_token_is_blank(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ben ran.\n </s> \n")
    rows = list(as_stories(files_source(str(tmp_path / "a.txt"))).rows(lambda message: None))
    assert [row.values["story"] for row in rows] == ["Ben ran.", ""]


def test_both_models_of_a_back_translation_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("there", "back"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    paths = absolute_path("there+back")
    assert paths == f"{tmp_path / 'there'}+{tmp_path / 'back'}"
    assert files_in({"paraphrases": paths}) == [tmp_path / name / "config.json" for name in ("back", "there")]
    assert absolute_path("me/there+me/back") == "me/there+me/back"


def test_parts_of_two_signatures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"story": "Ben ran."}, {"story": "Ann sat."}]
    results = [PartResult(number, 1, signature=f"s{number}") for number in range(2)]
    monkeypatch.setattr(running.Engine, "run", lambda *_: iter(results))
    with pytest.raises(ValueError, match="expected one signature of all parts, got s0, s1"):
        counted(rows, tmp_path / "out", size=Size(rows=1))


def test_parquet_date_that_python_lacks_is_reported(tmp_path: Path) -> None:
    days = pa.array([0, 3_000_000], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"story": ["Ann ran.", "Ben fell."], "day": days}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet is damaged or no Parquet file: .*date"):
        list(read_rows(tmp_path / "a.parquet"))


def test_columns_of_views_are_read(tmp_path: Path) -> None:
    text, data = pa.string_view(), pa.binary_view()
    columns = {
        "story": pa.array(["Ann ran.", " "], text),
        "list": pa.array([["x"], None], pa.list_(text)),
        "map": pa.array([[("k", "v")], None], pa.map_(text, text)),
        "nested": pa.array([{"pair": [b"x", b"y"]}, None], pa.struct([("pair", pa.list_(data, 2))])),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert counted(tmp_path / "a.parquet", tmp_path / "out", bad="keep").bad == 1
    (row,) = rows_in(tmp_path / "out")
    assert (row["story"], row["list"], row["map"]) == ("Ann ran.", ["x"], [("k", "v")])
    assert row["nested"] == {"pair": [b"x", b"y"]}


def test_failure_of_arrow_is_a_fault_of_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise pa.ArrowNotImplementedError("no kernel")

    monkeypatch.setattr("openmeva.training.scale.worker.apply_to_valid_rows", fail)
    with pytest.raises(ValueError, match=r"^part 0: no kernel"):
        counted([{"story": "Ben ran."}], tmp_path / "out")


def test_parquet_text_that_is_not_utf8_is_a_bad_row(tmp_path: Path) -> None:
    data = pa.array([b"Ann ran.", b"caf\xe9", b"Ben fell."])
    texts = pa.StringArray.from_buffers(3, *data.buffers()[1:])
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"story": texts}), file)
    with pytest.raises(ValueError, match=r"a\.parquet, row 2: expected UTF-8, got b'caf\\xe9'"):
        list(read_rows(file))
    refused: list[str] = []
    assert [row.number for row in read_rows(file, on_bad_line=refused.append)] == [1, 3]
    assert counted(file, tmp_path / "out", bad="keep").scored == 2
    assert refused[0].endswith(f"a.parquet, row 2: {bad_rows(tmp_path / 'out')[0]['reason']}")
