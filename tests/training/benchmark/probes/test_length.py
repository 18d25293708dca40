"""The probes: stories at several lengths or with `<newline>`, and metrics whose scores depend only on these."""

import statistics
from typing import Any

import evaluate
import pytest

from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.benchmark.probes.human_stories import truncate_near
from openmeva.training.benchmark.probes.length import LENGTHS, length_effect, main
from openmeva.training.benchmark.probes.special_tokens import NEWLINE_TOKEN, newline_effect

STORIES = [f"{name} walked slowly to the mill again. " * 90 for name in ("Ann", "Bo", "Cy")]


def test_story_is_truncated_at_the_nearest_sentence_end() -> None:
    story = "One two three. Four five. Six seven eight nine."
    assert [truncate_near(story, words) for words in (1, 4, 6, 8, 50)] == [
        "One two three.", "One two three.", "One two three. Four five.", story, story,
    ]  # fmt: skip


@pytest.mark.parametrize("sign", [1, -1])
def test_length_dependent_scores_correlate_with_length(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Words:
        def compute(self, predictions: list[str]) -> dict[str, Any]:
            return {"scores": [sign * len(text.split()) + text.startswith("Bo") for text in predictions]}

    monkeypatch.setattr(evaluate, "load", lambda *_: Words())
    stories = [story[: -40 * index or None] for index, story in enumerate(STORIES)]  # all lengths differ
    effect = length_effect(read_registry()["union"], stories)["UNION"]
    assert effect["cut"] * sign > 0.9
    assert effect["whole"] * sign > 0.9
    assert [abs(effect[f"{words} words"] - sign * words) < 5 for words in LENGTHS] == [True] * 4


@pytest.mark.parametrize(("cost", "lower"), [(1, 1.0), (0, 0.5), (-1, 0.0)])
def test_newline_token_penalty_is_measured(cost: int, lower: float, monkeypatch: pytest.MonkeyPatch) -> None:
    class Marks:
        def compute(self, predictions: list[str]) -> dict[str, Any]:
            return {"scores": [ord(text[0]) - cost * text.count(NEWLINE_TOKEN) for text in predictions]}

    monkeypatch.setattr(evaluate, "load", lambda *_: Marks())
    effect = newline_effect(read_registry()["union"], STORIES)["UNION"]
    # 29 sentences of seven words, so nine `<newline>` each
    assert effect == {"lower": lower, "shift": pytest.approx(-9 * cost / statistics.pstdev(map(ord, "ABC")))}


def test_length_effect_rejects_unsuitable_metrics_and_missing_data(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = read_registry()
    with pytest.raises(ValueError, match="overlap: it needs more than a story"):
        length_effect(entries["overlap"], STORIES)
    with pytest.raises(ValueError, match="plot_coherence_roc: it has no configuration for WritingPrompts"):
        length_effect(entries["plot_coherence_roc"], STORIES)
    with pytest.raises(SystemExit, match="2"):
        main(["--data", str(tmp_path)])
    assert "no such file" in capsys.readouterr().err
