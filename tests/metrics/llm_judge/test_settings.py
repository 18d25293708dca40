"""A judge's settings: their types are checked when a file is read, and none of them is a key."""

import json
from pathlib import Path

import numpy as np
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
        ("temperature: true", "temperature: expected a finite number from 0 up, got True"),
        ("temperature: .inf", "temperature: expected a finite number from 0 up, got inf"),
        ("temperature: .nan", "temperature: expected a finite number from 0 up, got nan"),
        ("timeout: 0", "timeout: expected a finite number above 0, got 0"),
        ("timeout: .inf", "timeout: expected a finite number above 0, got inf"),
        (f"timeout: {10**400}", "timeout: expected a finite number above 0, got 1000"),
        ("seed: .nan", "seed: expected a whole number, got nan"),
        ("extra: {a: .nan}", "extra: expected keys and values that JSON can hold, got {'a': nan}"),
        ("extra: {a: 2026-01-01}", "extra: expected keys and values that JSON can hold"),
        ("extra: {a: !!set {1, 2}}", "extra: expected keys and values that JSON can hold, got {'a': {1, 2}}"),
        ("extra: {1: a, b: c}", "extra: expected keys and values that JSON can hold"),
        ("extra: {seed: 3, stream: true}", "extra: expected keys that are not sent by .* got seed, stream"),
        (
            "extra: {max_tokens: 3}",
            "extra: expected keys that are not sent by the judge itself, got max_tokens",
        ),
        ("aspects: [[overall]]", r"aspects: expected names, got \(\['overall'\],\)"),
        ("prices: [1, true]", "prices: expected two numbers from 0 up"),
        ("- model", "expected keys and values, got list"),
    ],
)
def test_bad_settings_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "judge.yaml").write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_settings(tmp_path / "judge.yaml")
    assert "secret" not in str(caught.value)


def test_numpy_numbers_become_those_that_json_can_hold() -> None:
    settings = Settings().updated(
        {"temperature": np.float32(0.5), "seed": np.int64(3), "samples": np.int64(2)}
    )
    values = [settings.temperature, settings.seed, settings.samples]
    assert json.dumps(values) == "[0.5, 3, 2]"


def test_settings_in_another_encoding_are_rejected_by_name(tmp_path: Path) -> None:
    (tmp_path / "judge.yaml").write_bytes("model: caf\u00e9".encode("latin-1"))
    with pytest.raises(ValueError, match=r"judge\.yaml: expected YAML"):
        read_settings(tmp_path / "judge.yaml")


def test_max_tokens_may_be_left_out() -> None:
    assert Settings(extra={"max_tokens": None, "max_completion_tokens": 8}).extra["max_tokens"] is None


def test_settings_have_no_field_for_a_key() -> None:
    assert not {"api_key", "key", "token"} & set(Settings.__dataclass_fields__)
