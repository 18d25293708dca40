"""Files that must not be published are rejected and named."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from openmeva.training.common.cards import read_card
from openmeva.training.hub.checks import LIMIT, file_problems, repository_problems
from openmeva.training.hub.description import read_description
from openmeva.training.hub.layout import Repository, lay_out
from openmeva.training.paths import ROOT

KEY = "A" * 8
DESCRIPTION = read_description(ROOT)


def problems(tmp_path: Path, name: str, content: bytes) -> list[str]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return file_problems(name, path)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("model.bin", b"", "expected weights and archives as safetensors or Parquet, got .bin"),
        ("model.pt", b"", "got .pt"),
        ("words.pickle", b"", "got .pickle"),
        ("notes.doc", b"", "got '.doc'"),
        (".env", b"", "looks like a secret by its name"),
        (".env.local", b"", "looks like a secret by its name"),
        ("keys/.netrc", b"", "looks like a secret by its name"),
        ("credentials.json", b"", "looks like a secret by its name"),
        ("id_rsa", b"", "looks like a secret by its name"),
        ("server.pem", b"", "looks like a secret by its name"),
        ("app.py", f'login("hf_{KEY * 5}")'.encode(), "a Hugging Face token"),
        ("app.py", f'gh = "ghp_{KEY * 4}{KEY[:4]}"'.encode(), "a GitHub token"),
        ("app.py", f"gho_{KEY * 4}{KEY[:4]}".encode(), "a GitHub token"),
        ("app.py", f"github_pat_{KEY * 8}".encode(), "a GitHub token"),
        ("a.yaml", f"key: AKIA{KEY * 2}".encode(), "an AWS key"),
        ("a.yaml", f"key: ASIA{KEY * 2}".encode(), "an AWS key"),
        ("app.py", f"sk-{KEY * 4}".encode(), "an API key"),
        ("app.py", f"xoxb-{KEY * 3}".encode(), "an API key"),
        ("app.py", f"AIza{KEY * 4}{KEY[:3]}".encode(), "an API key"),
        ("a.txt", b"-----BEGIN RSA PRIVATE KEY-----", "a private key"),
        ("a.json", b'{"api_key": "abcdefghijklmnop"}', "a password"),
        ("app.py", b"PASSWORD = 'abcdefghijklmnop'", "a password"),
        ("a.md", b"https://user:hunter22@example.org", "credentials in an address"),
        ("model.safetensors", b"\x80\x04pickled", "expected a safetensors file"),
        ("data.parquet", b"\x80\x04pickled", "expected a Parquet file"),
        ("data.parquet", b"PAR1 and cut short", "expected a Parquet file"),
        ("config.json", b"\x80\x04\0", "expected text in a .json file"),
        ("vocab.txt", b"a" * (LIMIT + 1), "40.0 MB, expected at most 40"),
    ],
)
def test_unsafe_file_is_rejected(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    messages = problems(tmp_path, name, content)
    assert len(messages) == 1
    assert problem in messages[0]


def test_symbolic_link_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("/etc/passwd")
    assert file_problems("a.py", tmp_path / "a.py") == ["a link, expected a file"]


def test_safe_files_are_accepted(tmp_path: Path) -> None:
    save_file({"x": torch.zeros(2)}, tmp_path / "model.safetensors")
    assert file_problems("model.safetensors", tmp_path / "model.safetensors") == []
    for name, content in {
        "tokenizer.json": json.dumps({"pad_token": "[PAD]", "token": "[MASK]"}),
        "a.py": 'token_id(self.tokenizer, token)\nHF_TOKEN = os.environ["HF_TOKEN"]',
    }.items():
        assert problems(tmp_path, name, content.encode()) == []


def test_a_repository_needs_a_card(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    found = repository_problems(Repository("model", "me/x", tmp_path), DESCRIPTION)
    assert found == ["me/x: expected a card, README.md"]


def test_card_may_name_only_published_repositories(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        '`Client("openmeva/story_scorer")`, `Client("me/story-scorer")`, openmeva/spaces/app.py, openmeva/union, '
        '`Client("me/story_scorer")`.'
    )
    messages = repository_problems(Repository("space", "me/x", tmp_path), DESCRIPTION)
    assert [message for message in messages if "expected ids" in message] == [
        "me/x/README.md: expected ids of published repositories, got openmeva/story_scorer",
        "me/x/README.md: expected ids of published repositories, got me/story_scorer",
    ]


def test_card_links_must_stay_in_the_repository(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y.md").touch()  # another repository, laid out next to this one
    (tmp_path / "x" / "README.md").write_text("[x](../y.md) [y](README.md) [z](https://example.org)")
    messages = repository_problems(Repository("space", "me/x", tmp_path / "x"), DESCRIPTION)
    assert [message for message in messages if "links" in message] == [
        "me/x/README.md: expected links to files of the repository, got ../y.md"
    ]


def test_whole_project_passes_the_checks(tmp_path: Path) -> None:
    demos = {source.name for source in DESCRIPTION.sources if source.demo}
    for source in DESCRIPTION.sources:
        repository = lay_out(source, DESCRIPTION, tmp_path, "someone", "9.9.9", ROOT)
        assert repository_problems(repository, DESCRIPTION) == []
        files = repository.files()
        licence = read_card(files["README.md"])[0]["license"]
        terms = [name for name in ("LICENSE", "NOTICE") if name in files]
        assert all(files[name].read_bytes() == (ROOT / name).read_bytes() for name in terms)
        expected = {"cc-by-sa-4.0": ["NOTICE"], "unknown": []}  # the tagger, MANS; all others are Apache-2.0
        assert terms == expected.get(str(licence), ["LICENSE", "NOTICE"]), repository.id
        if repository.kind == "space":
            lines = files["requirements.txt"].read_text(encoding="utf-8").split("\n")
            assert all("==" in line for line in lines if line and not line.startswith("--")), lines
        if source.name in demos:
            content = json.loads(files["openmeva/spaces/publisher.json"].read_text(encoding="utf-8"))
            assert content == {"organisation": "someone"}
            assert f'Client("someone/{source.name}")' in files["README.md"].read_text(encoding="utf-8")
        assert "version: 9.9.9" in files["README.md"].read_text(encoding="utf-8")
        for name, path in files.items():
            if path.suffix in (".py", ".json", ".md"):
                text = path.read_text(encoding="utf-8")
                assert "openmeva/story-encoder" not in text, (repository.id, name)
                assert str(ROOT) not in text, (repository.id, name)
