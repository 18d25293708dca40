"""Remote corpora, read through fsspec: on the Hub, and in another of its file systems."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import constants

from tests.hub_state import Repository
from tests.small_hub import small_hub, use_endpoint
from tests.training.scale.test_runs import ROWS, counted, rows_in

FILES = ("a.jsonl", "b.jsonl.gz", "c.parquet")
Writer = Callable[[str, bytes], None]


@pytest.fixture(params=["hub", "memory"])
def remote_folder(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Writer]]:
    """The URL of a folder, and a function that writes a file there."""
    if request.param == "memory":
        files = fsspec.filesystem("memory")
        yield "memory://corpus", lambda name, content: files.pipe_file(f"/corpus/{name}", content)
        files.rm("/corpus", recursive=True)
        return
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with small_hub() as hub:
        use_endpoint(hub.endpoint, monkeypatch)
        repository = Repository([("0" * 40, {})])
        hub.repositories["datasets/me/corpus"] = repository

        def write(name: str, content: bytes) -> None:
            repository.commits.append(
                (f"{len(repository.commits):040d}", {**repository.files, f"data/{name}": content})
            )

        yield "hf://datasets/me/corpus/data", write


def test_remote_files_are_read_in_order_and_changes_detected(
    remote_folder: tuple[str, Writer], tmp_path: Path
) -> None:
    url, write = remote_folder
    lines = [json.dumps(row).encode() + b"\n" for row in ROWS]
    table = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(ROWS[16:]), table)
    for name, content in zip(
        FILES,
        (b"".join(lines[:8]), gzip.compress(b"".join(lines[8:16])), table.getvalue().to_pybytes()),
        strict=True,
    ):
        write(name, content)
    first = counted(f"{url}/*", tmp_path / "out")
    assert [row["id"] for row in rows_in(tmp_path / "out")] == list(range(23))
    assert counted(f"{url}/*", tmp_path / "out") == replace(first, finished_before=True)
    write("a.jsonl", b"".join(lines[:8]).replace(b"Ben", b"Ann"))  # of the same size
    with pytest.raises(ValueError, match=r"other settings has begun here: input was"):
        counted(f"{url}/*", tmp_path / "out")
    counted(f"{url}/a.jsonl", tmp_path / "one")
    assert rows_in(tmp_path / "one")[0]["story"] == "Ann ran home."
    with pytest.raises(FileNotFoundError):
        counted(f"{url}/none.jsonl", tmp_path / "none")


def test_missing_package_for_url_scheme_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"s3://bucket/a\.jsonl: Install s3fs"):
        counted("s3://bucket/a.jsonl", tmp_path / "out")


def test_remote_output_folder_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ValueError, match=r"s3://bucket/out: expected a folder of this machine, or mounted on it"
    ):
        counted(iter(ROWS), "s3://bucket/out")
    assert list(tmp_path.iterdir()) == []
