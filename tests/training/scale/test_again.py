"""A second run in a folder: resumed with the same rows, rejected with others; mistakes can be corrected."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pytest
from fsspec.compression import compr

from openmeva.training.files import Row, write_rows
from openmeva.training.scale.run import run
from openmeva.training.scale.scoring import Scoring
from openmeva.training.scale.sources import Source, digest_of, files_source
from tests.tiny.work import UNREADABLE, Counting, rows_in
from tests.training.scale.test_runs import PLAIN, ROWS, counted

STOPPING = [*ROWS[:7], {"id": 7, "story": UNREADABLE}]
"""Rows at which a run stops after its first part."""


@pytest.mark.parametrize("form", [list, lambda rows: datasets.Dataset.from_list(rows).to_iterable_dataset()])
def test_run_with_different_rows_is_rejected(form: Callable[[Any], Any], tmp_path: Path) -> None:
    counted(form(ROWS), tmp_path / "over")
    with pytest.raises(ValueError, match="expected a new folder, got that of a finished run"):
        counted(form(ROWS[:9]), tmp_path / "over")
    with pytest.raises(ValueError, match="row 8: expected words"):
        counted(form(STOPPING), tmp_path / "begun")
    for different_rows in (STOPPING[:7], [*STOPPING[:6], STOPPING[7], STOPPING[6]]):
        with pytest.raises(
            ValueError, match=r"expected the rows of the run that has begun here, .* got others"
        ):
            counted(form(different_rows), tmp_path / "begun", bad="keep")
    assert counted(form(STOPPING), tmp_path / "begun", bad="keep").bad == 1
    assert [row["id"] for row in rows_in(tmp_path / "begun")] == list(range(7))


def test_digest_of_ray_rows_ignores_their_order() -> None:
    def source(rows: list[dict[str, Any]]) -> Source:
        return Source(lambda _: (Row(n, f"row {n}", row) for n, row in enumerate(rows, 1)), ["ray"])

    assert digest_of(source(ROWS)) == digest_of(source(ROWS[::-1]))
    assert digest_of(source(ROWS)) != digest_of(source([*ROWS[1:], ROWS[1]]))


def test_bad_settings_are_reported_before_rows_are_read(tmp_path: Path) -> None:
    read = []

    def rows(refused: Callable[[str], None]) -> Iterator[Row]:
        read.append("all")
        yield from (Row(n, f"row {n}", row) for n, row in enumerate(ROWS, 1))

    with pytest.raises(ValueError, match="expected no typo, got 'x'"):
        run(Source(rows, ["known"]), tmp_path / "out", Counting(typo="x"), PLAIN)
    assert not read
    assert run(Source(rows, ["known"]), tmp_path / "out", Counting(), PLAIN).rows == len(ROWS)


def test_settings_and_rows_may_change_before_the_first_part(tmp_path: Path) -> None:
    path, out = tmp_path / "stories.jsonl", tmp_path / "out"
    path.write_text('{"id": 0, "story": "Ben ran."}\n{\n')
    with pytest.raises(ValueError, match="line 2: expected a JSON object"):
        counted(path, out)
    write_rows(path, [{"story": UNREADABLE}, *ROWS])
    with pytest.raises(ValueError, match="line 1: expected words"):
        counted(path, out)
    write_rows(path, ROWS[:9])
    assert counted(path, out, work=Counting(names_rows=False)).parts == 2
    assert [row["id"] for row in rows_in(out)] == list(range(9))
    with pytest.raises(ValueError, match="other settings has begun here: work was"):
        counted(path, out)


def test_missing_part_is_reported(tmp_path: Path) -> None:
    write_rows(tmp_path / "stories.jsonl", ROWS)
    counted(tmp_path / "stories.jsonl", tmp_path / "out")
    (tmp_path / "out" / "part-00002.parquet").unlink()
    with pytest.raises(ValueError, match=r"out: part-00002\.parquet of a finished run is missing"):
        counted(tmp_path / "stories.jsonl", tmp_path / "out")


def test_file_format_is_part_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("id,story\n1,Ann ran.\n2,Bo ate.\n")
    row_counts = [
        run(files_source(str(tmp_path / "odd"), kind), tmp_path / kind, Counting(), PLAIN).rows
        for kind in ("txt", "csv")
    ]
    assert row_counts == [3, 2]
    with pytest.raises(ValueError, match=r'other settings has begun here: input was .*"txt".* now .*"csv"'):
        run(files_source(str(tmp_path / "odd"), "csv"), tmp_path / "txt", Counting(), PLAIN)


def test_settings_file_of_a_metric_is_part_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.yaml").write_text("model: small\n")
    assert Scoring(("llm_judge",), "judge.yaml").config == str(tmp_path / "judge.yaml")


def test_judge_of_the_environment_is_part_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENMEVA_JUDGE_SETTINGS", "judge.yaml")
    (tmp_path / "judge.yaml").write_text("model: small\n")
    monkeypatch.setattr(Scoring, "check", lambda *_: None)
    monkeypatch.setattr(Scoring, "start", lambda *_: Counting().start([], False))
    work = "union", "llm_judge"
    counted(ROWS, tmp_path / "out", work=Scoring(work))
    (tmp_path / "judge.yaml").write_text("model: large\n")
    with pytest.raises(ValueError, match=r"other settings has begun here: files was .*judge\.yaml"):
        counted(ROWS, tmp_path / "out", work=Scoring(work))
    monkeypatch.setenv("OPENMEVA_JUDGE_SETTINGS", "someone/model")
    with pytest.raises(
        ValueError, match=r'other settings has begun here: work was .*"judge": "someone/model"'
    ):
        counted(ROWS, tmp_path / "out", work=Scoring(work))
    assert Scoring(("union",)).judge is None
    assert Scoring(("llm_judge",), "api").judge is None, "the configuration takes precedence"


def test_missing_compression_package_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    # with zstandard alone, which does not notice the end of a cut file
    monkeypatch.setitem(compr, "zstd", lambda file, mode: file)
    for compressions in ({}, {"zst": "zstd"}):
        monkeypatch.setattr("fsspec.utils.compressions", compressions)
        with pytest.raises(ValueError, match=r"a\.jsonl\.zst: expected the package backports\.zstd, which"):
            files_source(str(tmp_path / "a.jsonl.zst"))


def test_archive_of_several_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.zip").write_bytes(b"PK")
    with pytest.raises(
        ValueError, match=r"a\.jsonl\.zip: expected no compression, or one of .*\.xz.*, got zip"
    ):
        files_source(str(tmp_path / "a.jsonl.zip"))
