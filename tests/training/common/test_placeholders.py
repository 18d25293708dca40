"""Placeholders are initialised with the mean embedding of the names that they replace."""

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from openmeva.training.common import backbone


def test_placeholder_embedding_is_the_mean_of_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"male": ["tom", "bob", "unheard"], "female": ["unheard"], "neutral": [], "capitalized_only": []}
    (tmp_path / "names.json").write_text(json.dumps(names))
    monkeypatch.setattr(backbone, "NAMES_FILE", tmp_path / "names.json")
    words = ["tom", "bob", "ran", "[MALE]", "[FEMALE]", "[NEUTRAL]"]
    tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(words)}))
    vectors = torch.arange(12.0).reshape(6, 2)
    before = vectors.clone()
    backbone.init_placeholder_embeddings(vectors, tokenizer)
    assert vectors[3].tolist() == [1.0, 2.0]
    unchanged = [0, 1, 2, 4, 5]
    assert torch.equal(vectors[unchanged], before[unchanged]), (
        "a placeholder without known names keeps its vector"
    )
