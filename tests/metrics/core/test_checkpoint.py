"""Weights are found, checked, and merged."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch
from huggingface_hub import constants, snapshot_download
from huggingface_hub.errors import LocalEntryNotFoundError
from safetensors.torch import load_file, save_file

from openmeva.metrics.core import backbone, checkpoint
from openmeva.metrics.core.backbone import backbone_folder
from openmeva.metrics.core.checkpoint import find_checkpoint, load_checkpoint, merge_adapter
from openmeva.metrics.core.runtime import choose_dtype, pad
from tests.tiny.metrics import CHECKPOINTS, NAMED, load_tiny
from tests.tiny.models import write_checkpoint

ROOT = Path(__file__).resolve().parents[3]
IDS = {"roc": "openmeva/union-roc", "wp": "openmeva/union-wp"}


def test_merging_adds_the_product_of_the_factors() -> None:
    weight, a, b = torch.randn(4, 3), torch.randn(2, 3), torch.randn(4, 2)
    merged = merge_adapter(
        {"x.weight": weight, "y": torch.zeros(2)}, {"x.lora_A": a, "x.lora_B": b, "y": torch.ones(2)}
    )
    torch.testing.assert_close(merged["x.weight"], weight + b @ a)
    assert merged["y"].tolist() == [1, 1]
    assert set(merged) == {"x.weight", "y"}


def test_unknown_configuration_lists_the_available_ones(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'rock': the configurations of union are roc, wp"):
        find_checkpoint("union", "rock", IDS)


def test_folder_path_is_used_as_checkpoint(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "mine")
    assert find_checkpoint("union", str(folder), IDS) == folder


def test_weights_of_the_checkout_come_first(tmp_path: Path) -> None:
    assert find_checkpoint("union", "roc", IDS) == ROOT / "metrics" / "union" / "weights" / "roc"


def test_settings_without_weights_suffice_for_an_unadapted_backbone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    requests = []
    monkeypatch.setattr(
        checkpoint,
        "snapshot_download",
        lambda *names, **options: (
            requests.append(options["local_files_only"]) or snapshot_download(*names, **options)
        ),
    )
    cached = tmp_path / "models--someone--settings"
    snapshot = cached / "snapshots" / ("a" * 40)
    for folder in (snapshot, cached / "refs"):
        folder.mkdir(parents=True)
    (cached / "refs" / "v1").write_text("a" * 40)
    for without in ({}, {"adapter": False}):
        settings = {"backbone": {"hub": "someone/model"}, **without}
        (snapshot / "config.json").write_text(json.dumps({"ppl": settings}))
        assert find_checkpoint("ppl", "someone/settings@v1", IDS) == snapshot
    assert all(requests), "no request for weights that do not exist"
    (snapshot / "config.json").write_text(json.dumps({"ppl": {"encoder": {"hub": "someone/model"}}}))
    find_checkpoint("ppl", "someone/settings@v1", IDS)
    assert not all(requests), "the missing adapter is requested"


@pytest.mark.parametrize("answers", [True, False])
def test_newest_weights_are_requested_without_a_revision(
    answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a user would keep the cached version; the cache is the fallback if the Hub does not answer."""
    for name in ("cached", "newest"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(
            json.dumps({"ppl": {"backbone": {"hub": "someone/model"}}})
        )

    def download(*_: str, local_files_only: bool, **__: Any) -> str:
        if not answers and not local_files_only:
            raise ConnectionError("no route to the Hub")
        return str(tmp_path / ("cached" if local_files_only else "newest"))

    monkeypatch.setattr(checkpoint, "snapshot_download", download)
    assert find_checkpoint("ppl", "someone/settings", IDS).name == ("newest" if answers else "cached")
    assert find_checkpoint("ppl", "someone/settings@v1", IDS).name == "cached"


def test_cached_model_without_tokenizer_is_requested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `AutoModel` leaves it in the cache."""
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_text("{}")
    monkeypatch.setattr(checkpoint, "snapshot_download", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr(backbone, "snapshot_download", lambda *_, **__: str(tmp_path))
    with pytest.raises(LocalEntryNotFoundError, match=r"lacks tokenizer\.json"):
        checkpoint._snapshot("someone/encoder", None, local_files_only=True)
    assert backbone.hub_folder("someone/encoder", None, local=True) is None
    (tmp_path / "tokenizer.json").write_text("{}")
    assert checkpoint._snapshot("someone/encoder", None, local_files_only=True) == tmp_path
    assert backbone.hub_folder("someone/encoder", None, local=True) == tmp_path


@pytest.mark.parametrize("name", NAMED)
def test_checkpoint_without_names_file_is_rejected(name: str, tmp_path: Path) -> None:
    folder = CHECKPOINTS[name](tmp_path / "tiny")
    (folder / "encoder" / "names.json").unlink()
    with pytest.raises(ValueError, match=r"encoder/names\.json: missing"):
        load_tiny(name, folder)


@pytest.mark.parametrize("lacking", ["names.json", "tokenizer.json"])
def test_partial_copy_of_the_shared_encoder_is_downloaded_again(
    lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.json", "model.safetensors", "names.json", "tokenizer.json", "vocab.txt"):
        (tmp_path / name).write_text("{}")
    (tmp_path / lacking).unlink()

    def download(*_: str, local_files_only: bool, **__: Any) -> str:
        if not local_files_only:
            (tmp_path / lacking).write_text("{}")
        return str(tmp_path)

    monkeypatch.setattr(backbone, "snapshot_download", download)
    assert backbone.hub_folder("me/story-encoder", None, local=True) is None
    assert backbone.hub_folder("me/story-encoder", None, local=False) == tmp_path
    assert backbone.hub_folder("me/story-encoder", None, local=True) == tmp_path


@pytest.mark.parametrize(
    ("settings", "files"),
    [
        ({"encoder": {"hub": "x/y"}}, ["adapter.safetensors"]),
        ({"encoder": {"hub": "x/y", "added_tokens": []}}, ["adapter.safetensors", "names.json"]),
        ({"backbone": {"hub": "x/y"}, "adapter": True}, ["adapter.safetensors", "names.json"]),
        ({}, ["model.safetensors", "tokenizer.json", "names.json"]),
    ],
)
def test_cached_checkpoint_without_required_files_is_requested_again(
    settings: dict[str, Any], files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"union": {"delexicalize": True, **settings}}))
    monkeypatch.setattr(checkpoint, "snapshot_download", lambda *_, **__: str(tmp_path))
    for name in files:
        with pytest.raises(LocalEntryNotFoundError, match=rf"lacks .*{name}"):
            checkpoint._snapshot("someone/mine", None, local_files_only=True)
        (tmp_path / name).write_text("{}")
    assert checkpoint._snapshot("someone/mine", None, local_files_only=True) == tmp_path


def test_cached_checkpoint_is_used_if_the_download_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"ppl": {"backbone": {"hub": "someone/model"}}}))

    def download(*_: str, local_files_only: bool, **__: Any) -> str:
        if not local_files_only:
            raise RuntimeError("CAS service error")
        return str(tmp_path)

    monkeypatch.setattr(checkpoint, "snapshot_download", download)
    assert find_checkpoint("ppl", "someone/settings", IDS) == tmp_path


def test_other_encoder_is_not_mistaken_for_the_shared_one(tmp_path: Path) -> None:
    reference = {"hub": "someone/other-encoder", "sha256": "0"}
    with pytest.raises(
        ValueError,
        match=r"no model 'someone/other-encoder' in .*/encoder, the cache .* or on the Hub: `hf download",
    ):
        backbone_folder(reference, tmp_path)
    with pytest.raises(ValueError, match="`hf download someone/other-encoder --revision v2`"):
        backbone_folder({**reference, "hub": "someone/other-encoder@v2"}, tmp_path)
    for published in ("openmeva/story-encoder", "me/story-encoder@v0.1.0"):
        assert backbone_folder({**reference, "hub": published}, tmp_path) == ROOT / "metrics/weights/encoder"


@pytest.mark.parametrize(
    "name", ["config.json", "adapter.safetensors", "encoder/model.safetensors", "encoder/tokenizer.json"]
)
@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_bad_file_is_reported(tmp_path: Path, name: str, damage: str) -> None:
    folder = write_checkpoint(tmp_path / "mine")
    if name == "encoder/model.safetensors" and damage == "missing":
        # Without weights, the encoder would be looked up elsewhere.
        (folder / "encoder" / "config.json").write_text("{")
        name = "encoder/config.json"
    elif damage == "missing":
        (folder / name).unlink()
    else:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=Path(name).name.replace(".", r"\.")):
        load_checkpoint(folder, "union")


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("union", "classifier.weight"),
        ("plot_coherence", "classifier.weight"),
        ("ruber_bert", "head.output.weight"),
        ("bleurt", "score.weight"),
        ("sentavg", "lstm.weight_hh_l0"),
    ],
)
def test_missing_weights_are_reported(name: str, weight: str, tmp_path: Path) -> None:
    """With randomly initialised weights instead, it would score without an error."""
    file = CHECKPOINTS[name](tmp_path / "mine") / "adapter.safetensors"
    tensors = load_file(file)
    del tensors[weight]
    save_file(tensors, file)
    with pytest.raises(ValueError, match=rf"mine: weights missing: {re.escape(weight)}$"):
        load_tiny(name, file.parent)


def test_weights_that_do_not_fit_are_reported(tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "mine") / "adapter.safetensors"
    tensors = load_file(file)
    name = next(name for name in tensors if name.endswith(".lora_A"))
    for changed, message in (
        (
            {"no.such.layer.lora_A": tensors[name].clone()},
            r"mine/adapter\.safetensors: does not fit its base",
        ),
        ({"classifier.weight": torch.zeros(3, 5)}, r"mine: weights do not fit the model"),
    ):
        save_file({**tensors, **changed}, file)
        with pytest.raises(ValueError, match=message):
            load_tiny("union", file.parent)


def test_adapter_is_rejected_on_another_encoder(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "mine")
    other = write_checkpoint(tmp_path / "other", seed=5)
    (other / "encoder" / "model.safetensors").replace(folder / "encoder" / "model.safetensors")
    with pytest.raises(ValueError, match=r"expected SHA-256 .* for which 'mine' was trained"):
        load_checkpoint(folder, "union")


def test_moved_checkpoint_finds_the_encoder_of_the_checkout(tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "mine"
    shutil.copytree(ROOT / "metrics" / "union" / "weights" / "roc", moved)
    reference = json.loads((moved / "config.json").read_text())["union"]["encoder"]
    assert not (moved / reference["path"]).exists()
    assert load_checkpoint(moved, "union").state
    relocated = evaluate.load(str(ROOT / "metrics" / "union"), str(moved))
    shipped = evaluate.load(str(ROOT / "metrics" / "union"), "roc")
    assert relocated.compute(predictions=["She ate."]) == shipped.compute(predictions=["She ate."])


def test_checkpoint_of_another_metric_is_rejected(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "mine")
    with pytest.raises(ValueError, match="expected a section 'ppl'"):
        load_checkpoint(folder, "ppl")


def test_dtype_is_chosen_by_name() -> None:
    cpu = torch.device("cpu")
    assert choose_dtype("float32", cpu) is torch.float32
    assert choose_dtype("auto", cpu) in (torch.float32, torch.bfloat16)
    with pytest.raises(ValueError, match="got 'int8'"):
        choose_dtype("int8", cpu)


def test_batch_is_padded_with_mask() -> None:
    ids, mask = pad([[5, 6, 7], [8]], padding=0)
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]
