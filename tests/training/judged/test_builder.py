"""Judged sets built from the authors' files, and loaded with datasets."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from openmeva.metrics.openmeva.loading import load_rows
from openmeva.training.cli.app import app
from openmeva.training.hub.caches import prepare_dataset
from openmeva.training.judged import builder
from openmeva.training.judged.builder import build_judged_set, mans_file
from openmeva.training.judged.catalogue import JUDGED_SETS, JudgedSet, Part
from openmeva.training.judged.rows import JudgedStory
from openmeva.training.paths import ROOT

ENTRY = {
    "prompt": "[MALE] had a kite .",
    "gold_response": "he flew it .",
    "gen": {"gpt": {"text": "it fell .", "score": [1, 2, 3, 4, 5]}},
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture
def mans(tmp_path: Path) -> Path:
    """A folder of both files of MANS."""
    folder = tmp_path / "mans"
    folder.mkdir()
    for corpus, keys in (("roc", "7"), ("wp", "89")):
        (folder / f"mans_{corpus}.json").write_text(json.dumps(dict.fromkeys(keys, ENTRY)))
    return folder


def run_judged_command(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["judged", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def rows(split: Any) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in split]


@pytest.fixture
def make_judged_set(tmp_path: Path) -> Callable[..., JudgedSet]:
    """A set whose parts have these rows and whose files are in the folder `source`."""

    def part(name: str, rows: list[JudgedStory]) -> Part:
        (tmp_path / "source" / name).touch()
        return Part((name,), lambda _: rows)

    def make(**rows: list[JudgedStory]) -> JudgedSet:
        (tmp_path / "source").mkdir()
        parts = {name: part(name, its) for name, its in rows.items()}
        return JudgedSet("hanna", "HANNA", "Judged.", "MIT", "there", "the paper", parts)

    return make


def test_mans_loads_both_corpora_unless_one_is_named(mans: Path, tmp_path: Path) -> None:
    out = tmp_path / "built" / "mans"
    assert "load_dataset" in run_judged_command("mans", "--source", mans, "--out", out)
    loaded = datasets.load_dataset(str(out))
    assert loaded.num_rows == {"roc": 1, "wp": 2}
    assert loaded["roc"][0]["ratings"] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert datasets.load_dataset(str(out), "wp", split="test").num_rows == 2
    assert rows(loaded["wp"]) == JUDGED_SETS["mans"].parts["wp"].read(mans)
    assert not list(out.rglob("*.tmp"))


@pytest.mark.parametrize(("corpus", "count"), [("roc", 1), ("wp", 2)])
def test_single_mans_corpus_can_be_loaded(mans: Path, tmp_path: Path, corpus: str, count: int) -> None:
    source, out = tmp_path / "source", tmp_path / "built" / "mans"
    source.mkdir()
    shutil.copy(mans / f"mans_{corpus}.json", source)
    printed = re.search(
        r"load_dataset\(.*?\)", run_judged_command("mans", "--source", source, "--out", out).replace("\n", "")
    )
    assert printed
    assert eval(printed[0], {"load_dataset": datasets.load_dataset}).num_rows == {"test": count}
    assert len(load_rows(f"mans_{corpus}", str(out))) == count
    prepare_dataset(out, "mans", corpus, tmp_path / "prepared")
    assert (tmp_path / "prepared" / "mans-test.arrow").is_file()
    run_judged_command("mans", "--source", mans, "--out", out)
    assert datasets.load_dataset(str(out)).num_rows == {"roc": 1, "wp": 2}, "the card has both now"
    (out / "README.md").write_text("mine")
    run_judged_command("mans", "--source", mans, "--out", out)
    assert (out / "README.md").read_text() == "mine"


def test_mans_card_of_another_version_gets_the_available_configurations(mans: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    shutil.copy(mans / "mans_roc.json", source)
    run_judged_command("mans", "--source", source, "--out", out)
    card = (out / "README.md").read_text()
    (out / "README.md").write_text(card.replace("Machine-generated stories", "Stories by machines"))
    run_judged_command("mans", "--source", mans, "--out", out)
    assert datasets.load_dataset(str(out)).num_rows == {"roc": 1, "wp": 2}
    assert "Stories by machines" in (out / "README.md").read_text()
    mine = card.replace("# MANS: manually annotated stories", "# Stories of mine")
    (out / "README.md").write_text(mine)
    run_judged_command("mans", "--source", mans, "--out", out)
    assert (out / "README.md").read_text() == mine


def test_mans_card_of_the_project_requires_both_corpora(
    mans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "datasets" / "mans"
    shutil.copytree(ROOT / "datasets" / "mans", out)
    before = (out / "README.md").read_bytes()
    monkeypatch.setattr(builder, "MANS_CARD_FOLDER", out)
    (mans / "mans_wp.json").rename(tmp_path / "wp.json")
    output = run_judged_command("mans", "--source", mans, "--out", out, code=2)
    assert f"{mans}: expected mans_wp.json too" in output.replace("\n", " ")
    assert not mans_file("roc", out).exists()
    (tmp_path / "wp.json").rename(mans / "mans_wp.json")
    run_judged_command("mans", "--source", mans, "--out", out)
    assert (out / "README.md").read_bytes() == before


def test_missing_mans_files_error_names_the_build_command(tmp_path: Path) -> None:
    folder = tmp_path / "mans"
    folder.mkdir()
    shutil.copy(ROOT / "datasets" / "mans" / "README.md", folder)
    for configuration in ((), ("roc",)):
        with pytest.raises(FileNotFoundError, match="built_by_openmeva_judged"):
            datasets.load_dataset(str(folder), *configuration)


def test_mans_is_fetched_without_a_source(
    mans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []

    def fetch(name: str, folder: Path) -> None:
        fetched.append(name)
        shutil.copytree(mans, folder, dirs_exist_ok=True)

    monkeypatch.setattr(builder, "fetch", fetch)
    assert set(build_judged_set(JUDGED_SETS["mans"], None, tmp_path / "out")) == {"roc", "wp"}
    assert fetched == ["Jiann/OpenMEVA"]
    assert mans_file("wp", tmp_path / "out").is_file()


def test_set_with_one_part_gets_a_card_unless_the_user_wrote_one(tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    sheet = "WorkerId,Input.text1,Input.text2,Answer.text1,Answer.text2\nw1,a .,b b .,1,2\nw2,b b .,a .,3,4\n"
    (source / "AMT_WP.CSV").write_text(sheet)
    assert "wp" in run_judged_command("plot_guided", "--source", source, "--out", out)
    loaded = datasets.load_dataset(str(out))
    assert rows(loaded["wp"]) == JUDGED_SETS["plot_guided"].parts["wp"].read(source)
    card = (out / "README.md").read_text()
    assert "| wp | 2 | – | – | 2 | – | 2 |" in card
    assert "Licence" in card
    (out / "README.md").write_text("mine")
    run_judged_command("plot_guided", "--source", source, "--out", out)
    assert (out / "README.md").read_text() == "mine"
    pq.write_table(pa.table({"mine": [1]}), out / "wp.parquet")
    assert "wp.parquet: expected no file, or one that this command has built" in run_judged_command(
        "plot_guided", "--source", source, "--out", out, code=2
    )
    assert pq.read_table(out / "wp.parquet").column_names == ["mine"]
    assert "expected with the name of a set" in run_judged_command("--source", source, "--out", out, code=2)


def test_rebuilt_set_has_an_updated_card(mans: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    sheet = "WorkerId,Input.text1,Input.text2,Answer.text1,Answer.text2\nw1,a .,b b .,1,2\nw2,b b .,a .,3,4\n"
    (source / "AMT_WP.CSV").write_text(sheet)
    run_judged_command("plot_guided", "--source", source, "--out", out)
    columns = (
        ",".join(f"Input.text{n}" for n in range(1, 6))
        + ","
        + ",".join(f"Answer.text{n}" for n in range(1, 6))
    )
    (source / "AMT_ROC.CSV").write_text(f"WorkerId,{columns}\nw1,a .,b .,c .,d .,e .,1,2,3,4,5\n")
    run_judged_command("plot_guided", "--source", source, "--out", out)
    assert datasets.load_dataset(str(out)).num_rows == {"roc": 5, "wp": 2}
    assert "got one with another set in it" in run_judged_command(
        "mans", "--source", mans, "--out", out, code=2
    )
    run_judged_command("mans", "--source", mans, "--out", tmp_path / "mans")
    assert "got one with another set in it" in run_judged_command(
        "plot_guided", "--source", source, "--out", tmp_path / "mans", code=2
    )


def test_all_parts_have_the_same_schema(make_judged_set: Callable[..., JudgedSet], tmp_path: Path) -> None:
    """Otherwise `datasets` refuses to load them together."""
    judged_set = make_judged_set(
        test=[{"story_id": "1", "story": "He ran.", "score": 1.0, "raters": ["a"]}],
        more=[{"story_id": "1", "story": "She ate.", "score": 2.0}],
    )
    build_judged_set(judged_set, str(tmp_path / "source"), tmp_path / "out")
    test, more = (pq.read_schema(tmp_path / "out" / f"{name}.parquet") for name in ("test", "more"))
    assert test == more
    assert more.field("raters").type == pa.list_(pa.string())


def test_failed_write_keeps_the_old_part(
    make_judged_set: Callable[..., JudgedSet], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = str(tmp_path / "source"), tmp_path / "out"
    judged_set = make_judged_set(test=[{"story_id": "1", "story": "He ran.", "score": 1.0}])
    build_judged_set(judged_set, source, out)
    before = (out / "test.parquet").read_bytes()

    def fail_with_full_disk(table: Any, path: Path, **options: Any) -> None:
        Path(path).write_bytes(b"PAR1")
        raise OSError("no space left on device")

    monkeypatch.setattr(pq, "write_table", fail_with_full_disk)
    with pytest.raises(OSError, match="no space"):
        build_judged_set(judged_set, source, out)
    assert (out / "test.parquet").read_bytes() == before
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "test.parquet"]


def test_unreachable_hub_is_reported_in_one_line(tmp_path: Path) -> None:
    assert "as the source a folder of its files, got Jiann/OpenMEVA" in run_judged_command(
        "mans", "--out", tmp_path / "out", code=2
    )
    assert "got no/such/folder" in run_judged_command(
        "mans", "--source", "no/such/folder", "--out", tmp_path / "out", code=2
    )


def test_missing_files_and_options_are_reported(tmp_path: Path) -> None:
    assert "ant_data.txt; they are published at https://github.com/thu-coai/UNION" in run_judged_command(
        "union", "--source", tmp_path, "--out", tmp_path / "out", code=2
    )
    assert "expected the folder of the files from" in run_judged_command(
        "union", "--out", tmp_path / "out", code=2
    )
    assert "expected --out" in run_judged_command("union", code=2)
    assert "unknown judged set 'x', expected one of mans" in run_judged_command(
        "x", "--out", tmp_path, code=2
    )
    assert not (tmp_path / "out").exists()


def test_all_sets_are_listed_with_licence_and_publisher() -> None:
    listed = run_judged_command()
    for judged_set in JUDGED_SETS.values():
        assert judged_set.title in listed
        assert judged_set.licence in listed
        assert judged_set.published in listed
