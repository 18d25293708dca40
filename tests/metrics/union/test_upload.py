"""A metric's folder goes to the Hub with the shared files behind its symlinks."""

import sys
from pathlib import Path

import evaluate
import pytest
from huggingface_hub import HfApi, constants

from tests.small_hub import TOKEN, small_hub
from tests.tiny import write_checkpoint

ROOT = Path(__file__).resolve().parents[3]


def test_a_folder_with_symlinks_is_uploaded_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with small_hub() as hub:
        api = HfApi(endpoint=hub.endpoint, token=TOKEN)
        api.create_repo("openmeva/union", repo_type="space", space_sdk="gradio")
        api.upload_folder(
            repo_id="openmeva/union",
            repo_type="space",
            folder_path=ROOT / "metrics" / "union",
            ignore_patterns=["weights/**", "__pycache__/**"],
        )
    files = hub.repositories["spaces/openmeva/union"].files
    for name in ("inference.py", "encoder.py", "inputs.py"):
        assert files[name] == (ROOT / "metrics" / name).read_bytes()

    for name, content in files.items():  # what lies there stands alone
        (tmp_path / "union" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "union" / name).write_bytes(content)
    checkpoint = write_checkpoint(tmp_path / "checkpoint")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if Path(p or ".").resolve() != ROOT])
    union = evaluate.load(str(tmp_path / "union"), str(checkpoint))
    assert len(union.compute(predictions=["She ran home."])["scores"]) == 1
