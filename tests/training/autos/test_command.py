"""The command that builds AUTOS: its inputs, and the builds that it replaces."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from click.testing import Result
from filelock import FileLock, Timeout
from typer.testing import CliRunner

from openmeva.metrics.core import runtime
from openmeva.training.autos import build as autos
from openmeva.training.autos import command
from openmeva.training.autos.build import SCHEMA, existing_builds
from openmeva.training.autos.builder import BuiltRows
from openmeva.training.cli.app import app
from openmeva.training.common.cards import loading_call
from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.files import checksum


class NoneMade:
    """A builder to which no technique applies."""

    grammar, seed = None, 0

    def discrimination(self, rows: Sequence[StoryRow]) -> BuiltRows:
        return BuiltRows([], Counter())

    def invariance(self, rows: Sequence[StoryRow], origin: str) -> BuiltRows:
        return BuiltRows([], Counter())


class OneOriginal(NoneMade):
    """A builder that makes one row for each test."""

    def discrimination(self, rows: Sequence[StoryRow]) -> BuiltRows:
        return BuiltRows([{**dict.fromkeys(SCHEMA.names), "aspect": "typo", "label": 1}], Counter())

    def invariance(self, rows: Sequence[StoryRow], origin: str) -> BuiltRows:
        return self.discrimination(rows)


def test_build_with_other_settings_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "require_knowledge", lambda: None)
    monkeypatch.setattr(command, "_inputs", lambda options: {})
    monkeypatch.setattr(command, "make_builder", lambda *_: NoneMade())
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "wp").mkdir(parents=True)
    rows = [{"story": f"Ann{number} sang. Bo went to sea.", "prompt": "A trip"} for number in range(60)]
    (data / "wp" / "stories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {"wp": {"train": ["wp/stories.jsonl"], "context": "prompt", "validation_share": 0.2}}
    (tmp_path / "autos.yaml").write_text(json.dumps(settings))
    monkeypatch.setattr(command, "CONFIGS", tmp_path)

    def run_build(*options: str) -> Result:
        return CliRunner().invoke(app, ["autos", "--out", str(out), *options])

    def checksums() -> dict[str, str]:
        return {path.name: checksum(path) for path in (out / "wp").glob("*.parquet")}

    corpus = ("--data", str(data), "--config", "wp")
    assert run_build(*corpus, "--share", "1").exit_code == 0
    assert run_build(*corpus, "--share", "1", "--processes", "2").exit_code == 0
    before = checksums()
    refused = run_build(*corpus)
    assert refused.exit_code == 2
    message = "expected --out FOLDER or --replace, since the folder has a build with share 1.0 (now not given), stories 60 (now"
    assert message in refused.stderr
    assert checksums() == before
    assert run_build(*corpus, "--replace").exit_code == 0
    assert checksums() != before
    own_stories = tmp_path / "mine.jsonl"
    own_stories.write_text('{"story": "He ran. He fell."}\n')
    (out / "mini").mkdir()
    for split in ("discrimination", "invariance"):
        pq.write_table(pa.table({"story": ["He ran."]}), out / "mini" / f"{split}.parquet")
    refused = run_build("--config", "mini", "--stories", str(own_stories))
    assert refused.exit_code == 2
    assert "since the folder has a build with unknown settings" in refused.stderr


def test_built_folder_loads_by_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(command, "require_knowledge", lambda: None)
    monkeypatch.setattr(command, "_inputs", lambda options: {})
    monkeypatch.setattr(command, "make_builder", lambda *_: OneOriginal())
    mine, out = tmp_path / "mine.jsonl", tmp_path / "out"
    mine.write_text('{"story": "He ran. He fell."}\n')
    for config in ("roc", "wp"):
        command.build_autos(command.AutosBuildOptions([config], stories=mine, out=out))
        assert f'load_dataset("{out}", "{config}")' in capsys.readouterr().out
        loaded = datasets.load_dataset(str(out), config)
        assert loaded.num_rows == {"discrimination": 1, "invariance": 1}
    (out / "README.md").write_text("mine")
    command.build_autos(command.AutosBuildOptions(["roc"], stories=mine, out=out))
    assert (out / "README.md").read_text() == "mine"


def test_printed_call_is_valid_python_on_windows() -> None:
    def load_dataset(*arguments: str) -> tuple[str, ...]:
        return arguments

    printed = loading_call(PureWindowsPath(r"C:\new\out"), "roc")
    assert eval(printed, {"load_dataset": load_dataset}) == ("C:/new/out", "roc")


def test_build_with_an_accelerator_uses_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*arguments: Any) -> Any:
        raise ValueError(f"processes: {arguments[5]}")

    for name, stand_in in {
        "require_knowledge": lambda: None,
        "_inputs": lambda options: {},
        "make_builder": lambda *_: NoneMade(),
        "build": build,
    }.items():
        monkeypatch.setattr(command, name, stand_in)
    monkeypatch.setattr(runtime, "choose_device", lambda device: torch.device("cuda"))
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"story": "He ran. He fell."}\n')
    with pytest.raises(ValueError, match="processes: 1"):
        command.build_autos(
            command.AutosBuildOptions(["roc"], stories=mine, out=tmp_path / "out", processes=2)
        )


def test_build_finished_meanwhile_by_another_process_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "require_knowledge", lambda: None)
    monkeypatch.setattr(command, "_inputs", lambda options: {})
    mine, out = tmp_path / "mine.jsonl", tmp_path / "out"
    mine.write_text('{"story": "He ran. He fell."}\n')
    first, second = (command.AutosBuildOptions(["roc"], stories=mine, out=out, seed=seed) for seed in (1, 2))

    def finish_other_build_first(*_: object) -> NoneMade:
        monkeypatch.setattr(command, "make_builder", lambda *_: NoneMade())
        command.build_autos(first)
        return NoneMade()

    monkeypatch.setattr(command, "make_builder", finish_other_build_first)
    with pytest.raises(ValueError, match=r"since the folder has a build with seed 1 \(now 2\)"):
        command.build_autos(second)
    assert {built["settings"]["seed"] for built in existing_builds(out / "roc")} == {1}


def test_concurrent_builds_lock_the_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def builds_under_lock(folder: Path) -> list[dict[str, Any]]:
        with pytest.raises(Timeout):
            FileLock(tmp_path / ".lock", timeout=0).acquire()
        return [{}]

    (tmp_path / "roc").mkdir()
    monkeypatch.setattr(command, "existing_builds", builds_under_lock)
    command._write_card(tmp_path)
    assert "config_name: roc" in (tmp_path / "README.md").read_text()


def test_long_stories_are_split_into_passages_and_share_selects_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stories = [
        f"Ann{number} sang in town. Bo went to sea. Cy ran to school. Di sold it all." for number in range(60)
    ]
    data = tmp_path / "data"
    (data / "wp").mkdir(parents=True)
    rows = "\n".join(json.dumps({"story": story, "prompt": "A trip"}) for story in stories)
    (data / "wp" / "stories.jsonl").write_text(rows + "\n", encoding="utf-8")
    settings = {
        "wp": {"train": ["wp/stories.jsonl"], "context": "prompt", "block_words": 10, "validation_share": 0.2}
    }
    (tmp_path / "autos.yaml").write_text(json.dumps(settings), encoding="utf-8")
    monkeypatch.setattr(command, "CONFIGS", tmp_path)
    some, _ = command._rows("wp", command.AutosBuildOptions(["wp"], data=data))
    more, _ = command._rows("wp", command.AutosBuildOptions(["wp"], data=data, share=1.0))
    assert 0 < len(some) < len(more) == 120
    assert {row["story_id"] for row in some} <= {row["story_id"] for row in more}
    assert all(len(row["story"].split(".")) == 3 for row in more)  # two sentences
    with pytest.raises(ValueError, match="--share: expected"):
        command.AutosBuildOptions(["wp"], data=data, share=0)


def test_missing_judged_stories_are_reported_with_the_configuration_file(
    tmp_path: Path,
) -> None:
    with pytest.raises(ValueError, match=r"AMT_ROC\.CSV: no such file.*`exclude` in .*corpora/roc\.yaml$"):
        command._rows("roc", command.AutosBuildOptions(["roc"], data=tmp_path))


def test_configuration_of_own_stories_may_have_any_name(tmp_path: Path) -> None:
    stories = tmp_path / "fairy.jsonl"
    assert command.AutosBuildOptions(["fairy"], stories=stories, out=tmp_path).configs == ["fairy"]
    for name in ("../x", "", "a/b"):
        with pytest.raises(ValueError, match="--config: expected a name of letters"):
            command.AutosBuildOptions([name], stories=stories, out=tmp_path)
    with pytest.raises(ValueError, match="--config fairy: expected --out FOLDER with a name of your own"):
        command.AutosBuildOptions(["fairy"], stories=stories)  # the card there names the project's own
    with pytest.raises(ValueError, match="expected a configuration among mini, roc, wp, got 'fairy'"):
        command.AutosBuildOptions(["fairy"], data=tmp_path)


def test_checksum_of_rules_changes_with_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autos, "ROOT", tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "words.py").write_text("GOOD = 1\n", encoding="utf-8")
    before = autos.rules_checksum([tmp_path / "rules"])
    (tmp_path / "rules" / "notes.md").touch()
    assert autos.rules_checksum([tmp_path / "rules"]) == before
    (tmp_path / "rules" / "words.py").write_text("GOOD = 2\n", encoding="utf-8")
    assert autos.rules_checksum([tmp_path / "rules"]) != before
