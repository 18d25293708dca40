"""RUBER-BERT's card says what the adapter was initialised from."""

import json
from pathlib import Path

import pytest

from openmeva.training.paths import METRICS
from openmeva.training.ruber_bert.card import write_ruber_card


@pytest.mark.parametrize("start", ["runs/mine", None])
def test_card_of_a_trained_adapter_names_the_initial_one(start: str | None, tmp_path: Path) -> None:
    manifest = json.loads((METRICS / "ruber_bert/weights/roc/manifest.json").read_text(encoding="utf-8"))
    manifest["config"] |= {"frozen": False, "start": start}
    write_ruber_card(tmp_path, manifest)
    initial = ", initialised with a rank-24 approximation of the adapter of `runs/mine`" if start else ""
    expected = f"A LoRA adapter on the project's story encoder{initial}, with a scoring head."
    assert expected in (tmp_path / "README.md").read_text(encoding="utf-8")
