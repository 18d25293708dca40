"""Prompts of the judge: the shipped ones, and those in a user's file."""

from pathlib import Path

import pytest

from openmeva.metrics.llm_judge.prompts import DEFAULT_PROMPTS, read_prompts


def test_shipped_prompts_are_unchanged() -> None:
    """Published scores name this version; changed prompts need a new version in a new file."""
    assert DEFAULT_PROMPTS.name == "v1-0cfbb4afc210"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b", "expected the keys version, prompt, context, aspects"),
        ("{version: 1, prompt: '{story} {model}', context: '{context}', aspects: {a: b}}", "prompt: expected a text with"),
        ("{version: 1, prompt: 'rate it', context: '{context}', aspects: {a: b}}", "prompt: expected a text with {story}"),
        ("{version: 1, prompt: '{story', context: '{context}', aspects: {a: b}}", "write a literal brace twice"),
        ("{version: 1, prompt: '{story}', context: '{context}', aspects: []}", "aspects: expected names"),
        ("{version: 1, prompt: '{story}', context: '{context}', aspects: {a: b}, needs_context: [c]}", "needs_context"),
        ("{version: 1, prompt: '{story}', context: '{context}', aspects: {a: b}, needs_context: [[a]]}", "needs_context"),
        ("{version: 1, prompt: '{story}', context: '{context}', aspects: {1: b}}", "aspects: expected names"),
        ("{version: 1, prompt: '{story}', context: '{context}', aspects: {score: b}}", "no keys of a result, got 'score'"),
        ("{version: 1, prompt: '{story:{aspect}}', context: '{context}', aspects: {a: b}}", "placeholders without a format"),
        ("{version: 1, prompt: '{story!r}', context: '{context}', aspects: {a: b}}", "placeholders without a format"),
        ("{", "expected YAML"),
    ],
)  # fmt: skip
def test_bad_prompts_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_prompts(tmp_path / "mine.yaml")
