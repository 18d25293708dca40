"""A small checkout of the project: its modules, cards and stories, with tiny weights."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from huggingface_hub import HfApi, constants
from safetensors.torch import save_file

from openmeva.metrics.core.checkpoint import weights_checksum
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import Repository, lay_out
from openmeva.training.hub.publish import publish
from tests.small_hub import TOKEN, Hub, small_hub
from tests.tiny.models import tiny_model, write_encoder

ROOT = Path(__file__).resolve().parents[3]


def write_adapter(folder: Path, encoder: Path, seed: int) -> None:
    """An adapter on the tiny encoder, with the card of the real one."""
    model = tiny_model()
    add_adapters(model, rank=2, alpha=4, heads=("classifier", "cls."))
    torch.manual_seed(seed)
    for name, parameter in model.named_parameters():
        if "lora_B" in name or name.startswith("classifier"):
            torch.nn.init.normal_(parameter, std=0.3)
    folder.mkdir(parents=True)
    save_file(adapter_tensors(model), folder / "adapter.safetensors")
    settings = {
        "delexicalize": True,
        "context": "first_sentence",
        "max_length": 64,
        "encoder": {
            "path": "../../../weights/encoder",
            "hub": "openmeva/story-encoder",
            "sha256": weights_checksum(encoder / "model.safetensors"),
        },
    }
    (folder / "config.json").write_text(json.dumps({"union": settings}))
    shutil.copy(ROOT / "metrics" / "union" / "weights" / folder.name / "README.md", folder)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout's root; tests that change it make a copy."""
    root = tmp_path_factory.mktemp("project")
    encoder = root / "metrics" / "weights" / "encoder"
    write_encoder(encoder, tiny_model())
    for name in ("README.md", "NAMES.md"):
        shutil.copy(ROOT / "metrics" / "weights" / "encoder" / name, encoder)
    (encoder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    for name in ("core", "union", "openmeva"):
        shutil.copytree(
            ROOT / "metrics" / name,
            root / "metrics" / name,
            ignore=shutil.ignore_patterns("weights", "__pycache__"),
        )
    (root / "spaces").mkdir()
    shutil.copy(ROOT / "spaces" / "metric_app.py", root / "spaces")
    for seed, name in enumerate(("roc", "wp")):
        write_adapter(root / "metrics" / "union" / "weights" / name, encoder, seed)
    shutil.copy(
        encoder / "names.json", root / "metrics" / "union" / "weights" / "wp"
    )  # as on another backbone
    for name in ("autos/mini", "stories", "mans"):
        folder = root / "datasets" / name
        folder.mkdir(parents=True)
        for path in (ROOT / "datasets" / name).iterdir():
            if (path.is_file() and path.suffix in (".md", ".jsonl")) or path.parent.name == "mini":
                shutil.copy(path, folder)
    shutil.copy(ROOT / "datasets" / "autos" / "README.md", root / "datasets" / "autos")
    for name in ("pyproject.toml", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, root)
    return root


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: contents of files, None for folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub that the client in this process uses."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with small_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture(scope="module")
def repositories(project: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Repository]:
    """The small checkout laid out for the organisation `me`."""
    description, target = read_description(project), tmp_path_factory.mktemp("laid")
    return [lay_out(source, description, target, "me", "1.0.0", project) for source in description.sources]


def api(hub: Hub) -> HfApi:
    return HfApi(endpoint=hub.endpoint, token=TOKEN)


def writes(hub: Hub) -> list[str]:
    """Write requests since the last check."""
    requests = [r for r in hub.requests if r.startswith(("POST", "PUT", "DELETE")) and "paths-info" not in r]
    hub.requests.clear()
    return requests


@pytest.fixture
def space(hub: Hub, repositories: list[Repository], tmp_path: Path) -> list[Repository]:
    """A Space, released as 1.0.0, whose folder a test may change."""
    folder = tmp_path / "openmeva"
    shutil.copytree(next(r for r in repositories if r.id == "me/openmeva").folder, folder)
    own = [Repository("space", "me/openmeva", folder)]
    publish(api(hub), own, "1.0.0")
    return own
