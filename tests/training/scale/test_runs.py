"""Runs over corpora: input, output, bad rows, and resumed runs with the result of uninterrupted ones."""

import bz2
import gzip
import io
import json
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.inputs import HaltedError
from openmeva.training.files import checksum, write_rows
from openmeva.training.scale.engines import Engine, ray_session
from openmeva.training.scale.parts import Size
from openmeva.training.scale.run import Report, _without_keys, run
from openmeva.training.scale.sources import dataset_source, files_source
from openmeva.training.scale.worker import apply_to_valid_rows
from tests.killing import count_changes, killed_before, run_to_end
from tests.tiny import work as tiny_work
from tests.tiny.work import UNREADABLE, Counting, rows_in

PLAIN = Engine("plain")
ROWS = [{"id": place, "story": f"Ben ran {'far ' * (place % 5)}home."} for place in range(23)]


def counted(source: Any, out: str | Path, **options: Any) -> Report:
    all_options = {"work": Counting(), "engine": PLAIN, "size": Size(rows=5), **options}
    rows_source = files_source(str(source)) if isinstance(source, str | Path) else dataset_source(source)
    return run(rows_source, out, **all_options)


def sums(out: Path) -> dict[str, str]:
    return {path.name: checksum(path) for path in [*out.glob("part-*.parquet"), out / "bad.jsonl"]}


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    write_rows(tmp_path / "stories.jsonl", ROWS)
    return tmp_path / "stories.jsonl"


def test_columns_are_kept_and_parts_bounded(stories: Path, tmp_path: Path) -> None:
    report = counted(stories, tmp_path / "out")
    assert (report.rows, report.scored, report.bad, report.parts) == (23, 23, 0, 5)
    assert rows_in(tmp_path / "out") == [{**row, "words": len(row["story"].split())} for row in ROWS]
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.name != ".lock") == [
        "bad.jsonl", *(f"part-0000{index}.parquet" for index in range(5)), "report.json", "run.json",
    ]  # fmt: skip
    by_text = counted(stories, tmp_path / "small", size=Size(rows=100, characters=60))
    assert by_text.parts > 5
    assert rows_in(tmp_path / "small") == rows_in(tmp_path / "out")


@pytest.mark.parametrize(
    "kind", ["jsonl.gz", "jsonl.bz2", "csv", "tsv", "parquet", "parquet.gz", "txt", "csv.gz"]
)
def test_every_file_format_is_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"stories.{kind}"
    if kind == "jsonl.bz2":
        path.write_bytes(bz2.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()))
    elif kind == "parquet.gz":
        write_rows(tmp_path / "plain.parquet", ROWS)
        path.write_bytes(gzip.compress((tmp_path / "plain.parquet").read_bytes()))
    else:
        write_rows(path, ROWS)
    counted(path, tmp_path / "out")
    assert [row["story"] for row in rows_in(tmp_path / "out")] == [row["story"] for row in ROWS]
    if kind == "parquet":
        assert pq.read_schema(tmp_path / "out" / "part-00000.parquet").field("id").type == pa.int64()


def test_a_glob_takes_all_files_in_order(tmp_path: Path) -> None:
    for index in range(3):
        write_rows(tmp_path / f"{index}.jsonl", ROWS[index * 8 : (index + 1) * 8])
    counted(tmp_path / "*.jsonl", tmp_path / "out")
    assert [row["id"] for row in rows_in(tmp_path / "out")] == list(range(23))
    with pytest.raises(FileNotFoundError):
        counted(tmp_path / "*.csv", tmp_path / "none")


def test_datasets_and_iterators_give_the_same_output(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield from ROWS

    dataset = datasets.Dataset.from_list(ROWS)
    for name, source in {"kept": dataset, "streaming": dataset.to_iterable_dataset(), "rows": rows()}.items():
        counted(source, tmp_path / name)
        assert sums(tmp_path / name) == sums(tmp_path / "kept")


def test_columns_may_change_type_or_appear_late(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"story": "Ben ran.", "n": 1, "tags": []},
        {"story": "He \ud800 fell.", "n": 2},
    ]
    rows += [
        {"story": "Ann sang.", "n": 2.5, "tags": ["a"], "late": {"x": 1}},
        {"story": "She won.", "n": "two"},
    ]
    with pytest.raises(ValueError, match=r"row 4: expected values that fit the columns"):
        counted(rows, tmp_path / "stop", size=Size(rows=1))
    for name, size in {"one": 1, "all": 10}.items():
        report = counted(rows, tmp_path / name, size=Size(rows=size), bad="keep")
        assert report.bad == 1
        output = rows_in(tmp_path / name)
        assert [row["n"] for row in output] == [1.0, 2.0, 2.5]
        assert [row["tags"] for row in output] == [[], None, ["a"]]
        assert [row["late"] for row in output] == [None, None, {"x": 1}]
        assert output[1]["story"] == "He   fell."


@pytest.mark.parametrize("names_rows", [True, False])
def test_bad_rows_do_not_affect_other_rows(names_rows: bool, tmp_path: Path) -> None:
    lines = [json.dumps(row) for row in ROWS[:9]]
    lines[2], lines[3] = "{", json.dumps({"id": 3, "story": " "})
    lines[6] = json.dumps({"id": 6, "story": UNREADABLE})
    path = tmp_path / "stories.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    work = Counting(names_rows)
    with pytest.raises(ValueError, match=r"stories\.jsonl, line 3: expected a JSON object"):
        counted(path, tmp_path / "out", work=work)
    report = counted(path, tmp_path / "out", work=work, bad="keep")
    assert (report.rows, report.scored, report.bad) == (9, 6, 3)
    assert [row["id"] for row in rows_in(tmp_path / "out")] == [0, 1, 4, 5, 7, 8]
    bad = [json.loads(line) for line in (tmp_path / "out" / "bad.jsonl").read_text().splitlines()]
    assert [row["row"] for row in bad] == [3, 4, 7]
    assert bad[2]["where"].endswith("stories.jsonl, line 7")
    assert bad[2]["reason"] == ("expected words" if names_rows else "no words")
    assert bad[2]["values"] == {"id": 6, "story": UNREADABLE}


@pytest.mark.parametrize(
    ("name", "content", "where", "reason"),
    [
        ("a.csv", b"id,story\n1,Ann ran.\n2,Bo sat, and ate.\n3,Cy fell.\n", "line 3", "expected 2 cells"),
        ("a.jsonl", b'{"story": "Ann"}\n{"story": "caf\xe9"}\n{"story": "Cy"}\n', "line 2", "expected UTF-8"),
    ],
)
def test_unreadable_rows_go_to_the_bad_rows_file(
    name: str, content: bytes, where: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    report = counted(tmp_path / name, tmp_path / "out", bad="keep")
    assert (report.scored, report.bad) == (2, 1)
    bad = json.loads((tmp_path / "out" / "bad.jsonl").read_text())
    assert (bad["row"], bad["where"]) == (2, f"{tmp_path / name}, {where}")
    assert bad["reason"].startswith(reason)


def test_bad_rows_are_reported_in_input_order(tmp_path: Path) -> None:
    rows = [{"n": 1, "story": "He ran."}, {"n": "two", "story": "She ate."}, {"n": 3, "story": " "}]
    counted(rows, tmp_path / "out", bad="keep")
    row_numbers = [
        json.loads(line)["row"] for line in (tmp_path / "out" / "bad.jsonl").read_text().splitlines()
    ]
    assert row_numbers == [2, 3]


def test_error_unrelated_to_rows_ends_the_run() -> None:
    def operation(batch: Any) -> Any:
        raise HaltedError("refused with 402")

    with pytest.raises(HaltedError, match="402"):
        apply_to_valid_rows(operation, {"story": ["He ran.", "She ate."]})  # type: ignore[arg-type]


def test_api_keys_are_not_written(tmp_path: Path) -> None:
    assert _without_keys({"options": {"api_key": "sk-secret", "model": "m"}}) == {"options": {"model": "m"}}


def test_job_joins_the_cluster_it_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[Any] = []
    ray = types.SimpleNamespace(
        is_initialized=lambda: False, init=lambda *given, **_: joined.append(given), shutdown=lambda: None
    )
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.data", ray)
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    with ray_session(Engine("ray")):
        assert joined == [("10.0.0.1:6379",)]


def test_run_stopped_at_a_bad_row_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    write_rows(path, [{"id": 7, "story": UNREADABLE}, *ROWS[:7]])
    with pytest.raises(ValueError, match=r"line 1: expected words"):
        counted(path, tmp_path / "out")
    (tmp_path / "out" / ".work" / "signature.json").write_text('"older"')  # no part was made with it
    assert counted(path, tmp_path / "out", bad="keep").bad == 1
    with pytest.raises(ValueError, match=r"line 1: expected words.*an earlier call with bad=keep skipped it"):
        counted(path, tmp_path / "out")


def test_changed_settings_are_rejected_with_the_difference(stories: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = counted(stories, out)
    assert counted(stories, out) == replace(first, finished_before=True)  # nothing is worked on again
    assert "23 processed, finished before ->" in str(counted(stories, out))
    with pytest.raises(ValueError, match=r'size was \{"rows": 5.*now \{"rows": 6'):
        counted(stories, out, size=Size(rows=6))
    with pytest.raises(ValueError, match=r"other settings has begun here: work was"):
        counted(stories, out, work=Counting(False))
    write_rows(stories, ROWS[:4])
    with pytest.raises(ValueError, match=r"other settings has begun here: input was"):
        counted(stories, out)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    with pytest.raises(ValueError, match=r"expected a new folder, .*got 'mine\.txt' in it"):
        counted(stories, tmp_path / "full")
    with pytest.raises(ValueError, match="expected stop or keep, got 'skip'"):
        counted(stories, out, bad="skip")


def test_files_named_in_settings_may_not_change(stories: Path, tmp_path: Path) -> None:
    pool_file = tmp_path / "pool" / "others.jsonl"
    write_rows(pool_file, ROWS[:3])
    for named in (str(pool_file), str(pool_file.parent)):
        write_rows(pool_file, ROWS[:3])
        out = tmp_path / f"of {Path(named).name}"
        first = counted(stories, out, work=Counting(reads=named))
        assert counted(stories, out, work=Counting(reads=named)) == replace(first, finished_before=True)
        write_rows(pool_file, ROWS[:4])
        with pytest.raises(ValueError, match=r"other settings has begun here: files was"):
            counted(stories, out, work=Counting(reads=named))


def test_standard_input_requires_a_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    piped('{"story": "Ann ran."}\n')
    counted("-", tmp_path / "out")
    piped('{"story": "Ben sang."}\n')
    with pytest.raises(ValueError, match="expected a new folder for standard input"):
        counted("-", tmp_path / "out")
    assert [row["story"] for row in rows_in(tmp_path / "out")] == ["Ann ran."]


def test_parts_of_different_weights_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows(tmp_path / "stories.jsonl", [*ROWS[:7], {"id": 7, "story": UNREADABLE}])
    with pytest.raises(ValueError, match=r"line 8: expected words"):
        counted(tmp_path / "stories.jsonl", tmp_path / "out")
    monkeypatch.setattr(tiny_work, "SIGNATURE", "words|version:2")
    with pytest.raises(ValueError, match=r"first part, words\|version:1, got words\|version:2"):
        counted(tmp_path / "stories.jsonl", tmp_path / "out", bad="keep")


def test_killed_run_resumes_with_the_same_result(stories: Path, tmp_path: Path) -> None:
    with stories.open("a") as file:
        file.write("{\n")
    counted(stories, tmp_path / "whole", bad="keep")
    count = count_changes(lambda: counted(stories, tmp_path / "counted", bad="keep"), tmp_path / "note")
    assert sums(tmp_path / "counted") == sums(tmp_path / "whole")
    for change in range(1, count, count // 6):
        out = tmp_path / str(change)
        assert killed_before(change, lambda: counted(stories, out, bad="keep"))  # noqa: B023 - called here
        run_to_end(lambda: counted(stories, out, bad="keep"))  # noqa: B023
        assert sums(out) == sums(tmp_path / "whole")
        assert not (out / ".work").exists()


def test_folder_with_other_files_is_left_unchanged(stories: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine" / ".notes.tmp"
    mine.parent.mkdir()
    mine.write_text("keep")
    with pytest.raises(ValueError, match="expected a new folder"):
        counted(stories, mine.parent)
    assert mine.read_text() == "keep"


def test_damaged_or_empty_input_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS * 50).encode())[:-20])
    with pytest.raises(ValueError, match=r"cut\.jsonl\.gz is damaged"):
        counted(path, tmp_path / "out")
    with pytest.raises(ValueError, match="expected at least one story"):
        counted([], tmp_path / "empty")
