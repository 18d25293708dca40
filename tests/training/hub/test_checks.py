"""What must not be published is refused, and named."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from openmeva.training.hub.checks import LIMIT, file_problems, repository_problems
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import Repository, lay_out

KEY = "A" * 8


def problems(tmp_path: Path, name: str, content: bytes) -> list[str]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return file_problems(name, path)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("model.bin", b"", "weights and archives go as safetensors or Parquet, got .bin"),
        ("model.pt", b"", "got .pt"),
        ("words.pickle", b"", "got .pickle"),
        ("notes.doc", b"", "got '.doc'"),
        (".env", b"", "looks like a secret by its name"),
        ("id_rsa", b"", "looks like a secret by its name"),
        ("server.pem", b"", "looks like a secret by its name"),
        ("app.py", f'login("hf_{KEY * 5}")'.encode(), "a Hugging Face token"),
        ("app.py", f'gh = "ghp_{KEY * 4}{KEY[:4]}"'.encode(), "a GitHub token"),
        ("a.yaml", f"key: AKIA{KEY * 2}".encode(), "an AWS key"),
        ("a.txt", b"-----BEGIN RSA PRIVATE KEY-----", "a private key"),
        ("a.json", b'{"api_key": "abcdefghijklmnop"}', "a password"),
        ("a.md", b"https://user:hunter22@example.org", "credentials in an address"),
        ("model.safetensors", b"\x80\x04pickled", "expected a safetensors file"),
        ("data.parquet", b"\x80\x04pickled", "expected a Parquet file"),
        ("config.json", b"\x80\x04\0", "expected text in a .json file"),
        ("vocab.txt", b"a" * (LIMIT + 1), "40.0 MB, expected at most 40"),
    ],
)
def test_refused(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    found = problems(tmp_path, name, content)
    assert len(found) == 1
    assert problem in found[0]


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("/etc/passwd")
    assert file_problems("a.py", tmp_path / "a.py") == ["a link, expected a file"]


def test_passed(tmp_path: Path) -> None:
    save_file({"x": torch.zeros(2)}, tmp_path / "model.safetensors")
    assert file_problems("model.safetensors", tmp_path / "model.safetensors") == []
    for name, content in {
        "tokenizer.json": json.dumps({"pad_token": "[PAD]", "token": "[MASK]"}),
        "a.py": 'token_id(self.tokenizer, token)\nHF_TOKEN = os.environ["HF_TOKEN"]',
    }.items():
        assert problems(tmp_path, name, content.encode()) == []


def test_a_repository_needs_a_card(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert repository_problems(Repository("model", "me/x", tmp_path)) == ["me/x: expected a card, README.md"]


def test_the_whole_project_may_be_published(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    description = read_description(root)
    for source in description.sources:
        repository = lay_out(source, description, tmp_path, "someone", "9.9.9", root)
        assert repository_problems(repository) == []
        files = repository.files()
        assert "version: 9.9.9" in files["README.md"].read_text(encoding="utf-8")
        for name, path in files.items():
            if path.suffix in (".py", ".json", ".md"):
                text = path.read_text(encoding="utf-8")
                assert "openmeva/story-encoder" not in text, (repository.id, name)
                assert str(root) not in text, (repository.id, name)
