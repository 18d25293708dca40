"""A judge's settings: their types are checked when a file is read, and none of them is a key."""

from pathlib import Path

import pytest

from openmeva.metrics.llm_judge.settings import Settings, read_settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("api_key: secret", "api_key does not belong in a file"),
        ("modle: x", "unknown key 'modle', did you mean 'model'"),
        ("{local: true, method: samples}", "a local judge gives probabilities"),
        ("samples: many", "samples: expected a whole number"),
        ("model: 7", "model: expected a text, got 7"),
        ("base_url: 5", "base_url: expected a text, got 5"),
        ("local: 'no'", "local: expected true or false, got 'no'"),
        ("temperature: true", "temperature: expected a number from 0 up, got True"),
        ("prices: [1, true]", "prices: expected two numbers from 0 up"),
        ("- model", "expected keys and values, got list"),
    ],
)
def test_bad_settings_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "judge.yaml").write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_settings(tmp_path / "judge.yaml")
    assert "secret" not in str(caught.value)


def test_settings_have_no_field_for_a_key() -> None:
    assert not {"api_key", "key", "token"} & set(Settings.__dataclass_fields__)
