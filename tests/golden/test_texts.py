"""Regression test of texts: equal byte for byte for a seed (digests written by `python -m tests.golden.write`)."""

import json
from pathlib import Path

import pytest
import torch

from openmeva.metrics.core.runtime import choose_device, precision

from . import access
from .inputs import ROOT
from .texts import MAKERS, changed, digest

GOLDEN = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", MAKERS)
def test_texts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    made = MAKERS[name](tmp_path)
    assert list(made) == list(GOLDEN[name])
    for part, lines in made.items():
        wrong = changed(GOLDEN[name][part], lines)
        assert not wrong, "\n".join([f"{part}, {len(wrong)} of {len(lines)} lines:", *wrong[:10]])
        assert digest(lines) == GOLDEN[name][part]


def test_hardware_does_not_change_device_or_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for backend in (torch.cuda, torch.backends.mps):
        monkeypatch.setattr(backend, "is_available", lambda: True)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True})
    with access.fixed_environment(tmp_path):
        assert choose_device(None).type == "cpu"
        assert precision("auto") == "float32"


def test_changed_lines_are_reported() -> None:
    before = digest(["a", "b"])
    assert changed(before, ["a", "b"]) == []
    assert changed(before, ["a", "c", "d"]) == ["line 1: c", "2 lines before, 3 now"]
