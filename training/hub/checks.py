"""Checks before publishing: no secrets, weights that can execute code, large files or incomplete cards."""

from __future__ import annotations

import re
from pathlib import Path

from openmeva.training.hub.card_checks import card_problems, dead_links
from openmeva.training.hub.description import Description
from openmeva.training.hub.layout import Repository
from openmeva.training.hub.rewriting import ids_of
from openmeva.training.hub.terms import LICENCE, NOTICE

LIMIT = 40_000_000  # bytes per file
_UNSAFE = frozenset(
    ".bin .pt .pth .ckpt .pkl .pickle .joblib .dill .npy .npz .h5 .hdf5 .keras .msgpack .onnx .tar .zip .gz".split()
)
_KNOWN = frozenset(
    ".py .md .json .jsonl .yaml .txt .toml .css .js .html .svg .png .jpg .safetensors .parquet".split()
)
_SECRET_NAMES = re.compile(
    r"(^|/)(\.env(\..*)?|\.netrc|\.pypirc|id_[a-z0-9]+|credentials.*|.*\.(pem|key|p12|pfx))$"
)
_SECRETS = {
    "a Hugging Face token": re.compile(rb"\bhf_[A-Za-z0-9]{30,}"),
    "a GitHub token": re.compile(rb"\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})"),
    "an AWS key": re.compile(rb"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    "an API key": re.compile(
        rb"\b(sk-[A-Za-z0-9_-]{32,}|xox[abprs]-[A-Za-z0-9-]{20,}|AIza[0-9A-Za-z_-]{35})"
    ),
    "a private key": re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a password": re.compile(
        rb"""(?i)\b(password|passwd|secret|api_?key|token)\b["']?\s*[:=]\s*["'][^"'\s]{12,}["']"""
    ),
    "credentials in an address": re.compile(rb"https?://[^/\s:@]{2,}:[^/\s:@]{4,}@"),
}


def repository_problems(repository: Repository, description: Description) -> list[str]:
    """Reasons why a repository must not be published, one sentence each; empty where it may be.

    Args:
        repository: the repository as laid out.
        description: description of all repositories, which a card may name.
    """
    problems = []
    for name, path in repository.files().items():
        problems += [f"{repository.id}/{name}: {problem}" for problem in file_problems(name, path)]
    card = repository.folder / "README.md"
    if not card.is_file():
        return [*problems, f"{repository.id}: expected a card, README.md"]
    text = card.read_text(encoding="utf-8")
    problems_of_card = card_problems(repository.kind, text)
    problems_of_card += [
        f"expected links to files of the repository, got {link}"
        for link in dead_links(text, repository.folder)
    ]
    for organisation in dict.fromkeys((description.organisation, repository.id.partition("/")[0])):
        problems_of_card += [
            f"expected ids of published repositories, got {organisation}/{name}"
            for name in dict.fromkeys(ids_of(text, organisation))
            if name not in description.names
        ]
    return [*problems, *(f"{repository.id}/README.md: {problem}" for problem in problems_of_card)]


def file_problems(name: str, path: Path) -> list[str]:
    """Reasons why a file must not be published; empty where it may be."""
    size = path.stat().st_size
    if path.is_symlink():
        return ["a link, expected a file"]
    if _SECRET_NAMES.search(name):
        return ["looks like a secret by its name"]
    if path.suffix in _UNSAFE:
        return [f"expected weights and archives as safetensors or Parquet, got {path.suffix}"]
    if path.suffix not in _KNOWN and name not in (LICENCE, NOTICE):
        return [f"expected one of {' '.join(sorted(_KNOWN))}, got {path.suffix or 'no suffix'!r}"]
    if size > LIMIT:
        return [f"{size / 1e6:.1f} MB, expected at most {LIMIT / 1e6:.0f}"]
    content = path.read_bytes()
    if path.suffix == ".safetensors":
        return _safetensors_problems(path)
    if path.suffix == ".parquet":
        return [] if content[:4] == content[-4:] == b"PAR1" else ["expected a Parquet file"]
    if path.suffix in {".png", ".jpg"}:
        return []
    if b"\0" in content:
        return [f"expected text in a {path.suffix} file, got bytes"]
    return [
        f"contains what looks like {secret}"
        for secret, pattern in _SECRETS.items()
        if pattern.search(content)
    ]


def _safetensors_problems(path: Path) -> list[str]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as tensors:
            tensors.keys()
    except (OSError, SafetensorError) as error:
        return [f"expected a safetensors file ({error})"]
    return []
