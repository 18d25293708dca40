"""Rows added before `compute` stay if it refuses its options, which can then be corrected."""

from pathlib import Path
from typing import Any

import evaluate
import pytest

from openmeva.metrics.llm_judge import chat
from openmeva.training.paths import METRICS
from tests.chat_server import completion, serve

STORIES = ["Ann ran home. She ate.", "The dog slept."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": None}, "model: expected the name of a chat model"),
        ({"base_url": "localhost:8000"}, "base_url: expected an address"),
        ({"base_url": ""}, "api_key: expected a token of the Hub"),
        ({"api_key": "two words"}, "api_key: expected printable characters"),
        ({"cache": __file__}, "cache: expected a folder"),
        ({"aspects": ["relatedness"]}, "contexts: expected one per story, which relatedness needs"),
    ],
)
def test_refused_options_keep_the_rows_added_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr(chat, "get_token", lambda: None)
    judge = evaluate.load(str(METRICS / "llm_judge"), cache_dir=str(tmp_path / "rows"))
    judge.add_batch(predictions=STORIES)
    with serve(lambda body: completion("4", {"4": 1.0})) as server:
        given = {"model": "judge", "base_url": server.address, "cache": str(tmp_path / "answers")}
        with pytest.raises(ValueError, match=message):
            judge.compute(**{**given, **options})
        assert server.asked == []
        assert judge.compute(**given)["scores"] == [4, 4]
