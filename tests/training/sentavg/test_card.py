"""SENTAVG's card tells the terms of the stories, and of nothing else."""

import json
from pathlib import Path

from openmeva.training.paths import METRICS
from openmeva.training.sentavg.card import write_sentavg_card


def test_word_vectors_are_no_corpus(tmp_path: Path) -> None:
    manifest = json.loads((METRICS / "sentavg/weights/roc/manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["glove"] = "vectors/glove.6B.300d.txt"
    manifest["data"]["glove.6B.300d.txt"] = "12ab"
    write_sentavg_card(tmp_path, {**manifest, "vectors": "GloVe's (glove.6B.300d.txt), of 9 words"})
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| `glove.6B.300d.txt` | `12ab` |" in card
    assert "may not be redistributed. The stories are not part of this repository." in card
    assert "Check who owns the stories" not in card
