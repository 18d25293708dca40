"""Scores as people read them on a terminal."""

import io

from rich.console import Console

from openmeva.metrics.core.command import Scored
from openmeva.training.cli.tables import show_scores


def test_a_story_without_a_score_is_shown_without_one() -> None:
    rows = [{"story": "Ann ran."}, {"story": "Ben fell."}, {"story": "She laughed."}]
    text = io.StringIO()
    scored = Scored("llm_judge", {"score": [4.0, None, 3.5]}, None, 3.75, "llm_judge|model:m")
    show_scores(rows, [scored], Console(file=text, width=100))
    lines = text.getvalue().splitlines()
    assert "–" in next(line for line in lines if "Ben fell." in line)
    assert "3.750" in next(line for line in lines if "mean" in line), "of those that have one"
    assert "LLM judge: 1 to 5, higher is better; 1 of 3 stories have none" in lines
