"""A run's folder records what it is trained from; a finished checkpoint of the same inputs is recognised."""

import json
from pathlib import Path

import pytest

from openmeva.metrics.core.files import ADAPTER
from openmeva.training import paths
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.common.checkpoint import begin_run, matching_manifest, save_manifest, start_digest
from openmeva.training.common.config import as_mapping, parse
from openmeva.training.common.model_card import start_digest_note
from openmeva.training.union.config import UnionConfig

SMALL = {"name": "tiny", "corpus": {"train": ["a.jsonl"]}, "pairs": 4, "learning_rate": 1e-3}


def write_checkpoint(folder: Path) -> None:
    """A checkpoint folder with the file that `Trainer` writes last."""
    folder.mkdir()
    (folder / "trainer_state.json").write_text('{"global_step": 5}')


def test_run_is_resumed_only_with_the_same_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"config": {"seed": 1, "corpus": {"train": ["a"]}}, "data": {"a": "12"}}
    assert begin_run(tmp_path, settings, resume=True) is None, "nothing there yet"
    assert (
        capsys.readouterr().err == f"{tmp_path}: no checkpoint to resume from; training from the first step\n"
    )
    write_checkpoint(tmp_path / "checkpoint-5")
    assert begin_run(tmp_path, settings, resume=True) is True
    assert capsys.readouterr().err == ""
    other = {"config": {"seed": 2, "corpus": {"train": ["a"]}}, "data": {"a": "34"}}
    idle = {"note": "For the card.", "teacher": {"weights": "a", "processes": 8}}
    (tmp_path / "idle").mkdir()
    for changes in ({"teacher": {"weights": "a", "processes": 2}}, idle):
        changed = {**settings, "config": {**settings["config"], **changes}}
        begin_run(tmp_path / "idle", changed, resume=True)  # neither affects the weights
    with pytest.raises(ValueError, match="another configuration") as error:
        begin_run(tmp_path, other, resume=True)
    assert "config.seed: 1, not 2" in str(error.value)
    assert 'data.a: "12", not "34"' in str(error.value)
    assert (tmp_path / "checkpoint-5").is_dir(), "a rejected run is not changed"
    capsys.readouterr()
    assert begin_run(tmp_path, other, resume=False) is None
    assert capsys.readouterr().err == f"{tmp_path}: removing the checkpoints of an earlier run\n"
    assert not (tmp_path / "checkpoint-5").exists(), "a new run deletes the checkpoints of the old one"


@pytest.mark.parametrize("state", [None, '{"global_step": 1'])
def test_incomplete_checkpoint_is_removed_for_the_previous_one(tmp_path: Path, state: str | None) -> None:
    """`Trainer` would load its weights but start at the first step."""
    begin_run(tmp_path, {"config": {}}, resume=False)
    incomplete = tmp_path / "checkpoint-10"
    incomplete.mkdir()
    (incomplete / "model.safetensors").write_bytes(b"weights")
    if state:
        (incomplete / "trainer_state.json").write_text(state)
    assert begin_run(tmp_path, {"config": {}}, resume=True) is None, "there is no other"
    assert not incomplete.exists()
    incomplete.mkdir()
    write_checkpoint(tmp_path / "checkpoint-5")
    assert begin_run(tmp_path, {"config": {}}, resume=True) is True
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-5"]


def test_checkpoints_without_recorded_settings_are_not_resumed(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "checkpoint-5")
    with pytest.raises(ValueError, match="it has no record of them"):
        begin_run(tmp_path, {"config": {}}, resume=True)


def test_finished_training_matches_despite_settings_added_later(tmp_path: Path) -> None:
    config = as_mapping(parse(UnionConfig, SMALL))
    (tmp_path / ADAPTER).write_bytes(b"weights")
    save_manifest(tmp_path, {"config": SMALL, "data": {"a.jsonl": "12"}})
    settings = {"config": config, "data": {"a.jsonl": "12"}}
    assert matching_manifest(tmp_path, UnionConfig, settings) == json.loads(
        (tmp_path / "manifest.json").read_text()
    )
    assert matching_manifest(tmp_path, UnionConfig, {**settings, "data": {"a.jsonl": "34"}}) is None
    assert matching_manifest(tmp_path, UnionConfig, {**settings, "config": {**config, "pairs": 5}}) is None
    assert matching_manifest(
        tmp_path, UnionConfig, {**settings, "config": {**config, "note": "For the card."}}
    )
    (tmp_path / ADAPTER).write_bytes(b"others")
    assert matching_manifest(tmp_path, UnionConfig, settings) is None


def test_adapter_of_another_encoder_is_rejected_as_start(tmp_path: Path) -> None:
    (tmp_path / ADAPTER).write_bytes(b"factors")
    base = find_backbone(SHARED)
    for sha256 in (base.sha256, "0" * 64):
        settings = {"union": {"max_length": 64, "encoder": {"sha256": sha256}}}
        (tmp_path / "config.json").write_text(json.dumps(settings))
        if sha256 == base.sha256:
            assert start_digest(tmp_path, base) == start_digest(tmp_path)
        else:
            with pytest.raises(ValueError, match="trained on another encoder"):
                start_digest(tmp_path, base)


def test_initial_weights_in_runs_are_those_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "WORK", tmp_path)
    manifest = {"config": {"start": "runs/first"}, "start": "0" * 64}
    assert "an earlier version" not in start_digest_note(manifest)
    (tmp_path / "runs" / "first").mkdir(parents=True)
    (tmp_path / "runs" / "first" / ADAPTER).write_bytes(b"weights")
    assert "an earlier version" in start_digest_note(manifest)
