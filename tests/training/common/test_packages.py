"""Models in PyPI packages: as GGUF, and as a split archive."""

import shutil
import zipfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
import yaml

from openmeva.metrics.core.backbone import package_folder, packaged_folder
from openmeva.metrics.core.language_model import language_model_weights
from openmeva.training.common import backbone
from openmeva.training.common.backbone import find_backbone, load_causal
from openmeva.training.files import checksum

WIDTH, INNER, HEADS = 32, 64, 2
TOKENS = ["<|endoftext|>", *(chr(33 + place) for place in range(94)), "Ġ", "Ċ", "an", "Ġan"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A package with a one-layer Llama."""
    folder = tmp_path / "carrier"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError('never imported')")
    writer = gguf.GGUFWriter(folder / "tiny.gguf", "llama")
    writer.add_block_count(1)
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, *[1] * (len(TOKENS) - 1)])
    writer.add_token_merges(["a n", "Ġ an"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    rng = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(TOKENS), WIDTH),
        "output_norm": (WIDTH,),
        "blk.0.attn_norm": (WIDTH,),
        "blk.0.ffn_norm": (WIDTH,),
        **{f"blk.0.attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (INNER, WIDTH),
        "blk.0.ffn_up": (INNER, WIDTH),
        "blk.0.ffn_down": (WIDTH, INNER),
    }
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", rng.standard_normal(shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    monkeypatch.syspath_prepend(str(tmp_path))
    return {"name": "carrier", "file": "tiny.gguf", "sha256": checksum(folder / "tiny.gguf")}


def write_backbone_config(package: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds a configuration of the backbone `tiny` that names the package."""
    settings = {**package, "install": "pip install carrier"}
    (folder / "configs" / "backbones").mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump({"hub": "nobody/tiny", "package": settings})
    (folder / "configs" / "backbones" / "tiny.yaml").write_text(text)
    monkeypatch.setattr(backbone, "CONFIGS", folder / "configs")


def test_packaged_language_model_is_loaded_in_float32(
    package: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_backbone_config(package, tmp_path, monkeypatch)
    base = find_backbone("tiny")
    assert base.is_decoder
    assert language_model_weights({"hub": "nobody/tiny", "package": package}) == base.gguf, (
        "metrics find the same file"
    )
    assert not base.supports_adapter
    loaded, tokenizer = load_causal(base)
    model: Any = loaded
    assert all(p.dtype == torch.float32 and p.requires_grad for p in model.parameters())
    rng = np.random.default_rng(0)
    vectors = torch.from_numpy(rng.standard_normal((len(TOKENS), WIDTH)).astype(np.float32))
    assert torch.equal(model.get_input_embeddings().weight, vectors)
    ids = tokenizer.encode("an an\n", add_special_tokens=False).ids
    assert [TOKENS[i] for i in ids] == ["Ġan", "Ġan", "Ċ"]
    assert model(input_ids=torch.tensor([ids])).logits.shape == (1, 3, len(TOKENS))
    assert "quantization_config" not in model.config.to_dict()
    model.save_pretrained(tmp_path / "saved")  # as any other model


def test_missing_or_altered_package_is_reported(
    package: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert package_folder("no_such_package") is None
    write_backbone_config({**package, "name": "no_such_package"}, tmp_path, monkeypatch)
    with pytest.raises(
        ValueError, match=r"no model 'nobody/tiny'.*`hf download nobody/tiny` or `pip install carrier`"
    ):
        find_backbone("tiny")
    write_backbone_config({**package, "sha256": "0"}, tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="expected SHA-256 0, got"):
        find_backbone("tiny")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Two packages, whose names are not identifiers, with one half of an archive each."""
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(bytes(range(256)))
    archive = tmp_path / "model.zip"
    with zipfile.ZipFile(archive, "w") as members:
        members.write(weights, "model/model.safetensors")
        members.writestr("model/config.json", "{}")
    joined = archive.read_bytes()
    for number, half in enumerate((joined[:200], joined[200:])):
        folder = tmp_path / "site" / f"tiny-part_{number}"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise AssertionError('never imported')")
        (folder / f"model.zip.{number}").write_bytes(half)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    names = [f"tiny-part_{number}/model.zip.{number}" for number in (0, 1)]
    return {"parts": names, "sha256": checksum(weights)}


def test_split_archive_is_unpacked_once(parts: dict[str, Any], tmp_path: Path) -> None:
    folder = packaged_folder(parts, tmp_path / "cache")
    assert folder is not None
    assert {file.name for file in folder.iterdir()} == {"model.safetensors", "config.json"}
    (tmp_path / "site" / "tiny-part_0" / "model.zip.0").unlink()
    assert packaged_folder(parts, tmp_path / "cache") == folder
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [parts["sha256"]]


def test_two_processes_unpack_at_the_same_time(
    parts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish_other_process_first(file: Path, sha256: str | None) -> Path:
        shutil.copytree(file.parent, tmp_path / "cache" / parts["sha256"])
        return file

    monkeypatch.setattr("openmeva.metrics.core.backbone.verify_checksum", finish_other_process_first)
    folder = packaged_folder(parts, tmp_path / "cache")
    assert folder is not None
    assert checksum(folder / "model.safetensors") == parts["sha256"]
    assert list((tmp_path / "cache").iterdir()) == [folder]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": "0"}, "expected SHA-256 0, got"),
        ({"parts": ["tiny-part_1/model.zip.1"]}, "expected a zip archive"),
        ({"parts": ["tiny-part_0/none.zip"]}, "expected a zip archive"),
    ],
)
def test_invalid_archive_is_reported(
    parts: dict[str, Any], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        packaged_folder({**parts, **changes}, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_missing_archive_part_gives_none(parts: dict[str, Any], tmp_path: Path) -> None:
    missing = {**parts, "parts": [*parts["parts"], "no-such-part/model.zip.2"]}
    assert packaged_folder(missing, tmp_path / "cache") is None
