"""The types of a judge's settings are checked when a file is read."""

from pathlib import Path

import pytest

from openmeva.metrics.llm_judge.settings import read_settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model: 7", "model: expected a text, got 7"),
        ("base_url: 5", "base_url: expected a text, got 5"),
        ("local: 'no'", "local: expected true or false, got 'no'"),
        ("temperature: true", "temperature: expected a number from 0 up, got True"),
        ("prices: [1, true]", "prices: expected two numbers from 0 up"),
    ],
)
def test_value_of_another_type_is_rejected(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_settings(tmp_path / "judge.yaml")
