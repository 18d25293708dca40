"""A run's folder records what it is trained from; a finished checkpoint of the same inputs is recognised."""

import json
from pathlib import Path

import pytest

from openmeva.metrics.core.checkpoint import ADAPTER
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.common.checkpoint import begin_run, matching_manifest, save_manifest, start_digest
from openmeva.training.common.config import as_mapping, parse
from openmeva.training.union.config import UnionConfig

SMALL = {"name": "tiny", "corpus": {"train": ["a.jsonl"]}, "pairs": 4, "learning_rate": 1e-3}


def write_checkpoint(folder: Path) -> None:
    """A checkpoint folder with the file that `Trainer` writes last."""
    folder.mkdir()
    (folder / "trainer_state.json").write_text('{"global_step": 5}')


def test_a_run_is_resumed_with_its_own_settings_alone(tmp_path: Path) -> None:
    settings = {"config": {"seed": 1, "corpus": {"train": ["a"]}}, "data": {"a": "12"}}
    assert begin_run(tmp_path, settings, resume=True) is None, "nothing there yet"
    write_checkpoint(tmp_path / "checkpoint-5")
    assert begin_run(tmp_path, settings, resume=True) is True
    other = {"config": {"seed": 2, "corpus": {"train": ["a"]}}, "data": {"a": "34"}}
    with pytest.raises(ValueError, match="another configuration") as error:
        begin_run(tmp_path, other, resume=True)
    assert "config.seed: 1, not 2" in str(error.value)
    assert 'data.a: "12", not "34"' in str(error.value)
    assert (tmp_path / "checkpoint-5").is_dir(), "a refused run is left alone"
    assert begin_run(tmp_path, other, resume=False) is None
    assert not (tmp_path / "checkpoint-5").exists(), (
        "a run that begins anew has none of the old one's checkpoints"
    )


@pytest.mark.parametrize("last", [None, '{"global_step": 1'])
def test_a_half_written_checkpoint_is_left_for_the_one_before(tmp_path: Path, last: str | None) -> None:
    """`Trainer` would load its weights but start at the first step."""
    begin_run(tmp_path, {"config": {}}, resume=False)
    half = tmp_path / "checkpoint-10"
    half.mkdir()
    (half / "model.safetensors").write_bytes(b"weights")
    if last:
        (half / "trainer_state.json").write_text(last)
    assert begin_run(tmp_path, {"config": {}}, resume=True) is None, "there is no other"
    assert not half.exists()
    half.mkdir()
    write_checkpoint(tmp_path / "checkpoint-5")
    assert begin_run(tmp_path, {"config": {}}, resume=True) is True
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-5"]


def test_checkpoints_that_do_not_say_what_they_are_of_are_not_resumed(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "checkpoint-5")
    with pytest.raises(ValueError, match="it has no record of them"):
        begin_run(tmp_path, {"config": {}}, resume=True)


def test_a_finished_training_is_known_also_where_a_setting_came_later(tmp_path: Path) -> None:
    config = as_mapping(parse(UnionConfig, SMALL))
    (tmp_path / ADAPTER).write_bytes(b"weights")
    save_manifest(tmp_path, {"config": SMALL, "data": {"a.jsonl": "12"}})
    wanted = {"config": config, "data": {"a.jsonl": "12"}}
    assert matching_manifest(tmp_path, UnionConfig, wanted) == json.loads(
        (tmp_path / "manifest.json").read_text()
    )
    assert matching_manifest(tmp_path, UnionConfig, {**wanted, "data": {"a.jsonl": "34"}}) is None
    assert matching_manifest(tmp_path, UnionConfig, {**wanted, "config": {**config, "pairs": 5}}) is None
    (tmp_path / ADAPTER).write_bytes(b"others")
    assert matching_manifest(tmp_path, UnionConfig, wanted) is None


def test_an_adapter_of_another_encoder_is_no_start(tmp_path: Path) -> None:
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
