"""Which sentences a perturbation changed, and whether a metric's explanations blame them."""

from pathlib import Path
from typing import Any

import evaluate
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.benchmark.probes.blame import (
    Case,
    blame_correct,
    blame_table,
    changed_sentences,
    main,
    read_cases,
)

STORY = "Ann ran. Bo slept. Cy sang. Bo slept."


def span(text: str, story: str = STORY) -> dict[str, int]:
    start = story.index(text)
    return {"start": start, "end": start + len(text)}


def test_changed_sentence_and_its_copies_are_marked() -> None:
    assert changed_sentences(STORY, [span("Cy")]) == (False, False, True, False)
    assert changed_sentences(STORY, [span("slept")]) == (False, True, False, True)
    assert changed_sentences(STORY, [span("ran. Bo")]) == (True, True, False, True)
    inserted = span(" Cy sang.")  # begins where the previous sentence ends, which is unchanged
    assert changed_sentences(STORY, [inserted]) == (False, False, True, False)


def test_stories_changed_in_no_or_all_sentences_are_skipped(tmp_path: Path) -> None:
    rows = [
        {"aspect": "a", "label": label, "story": STORY, "changed_spans": changes}
        for label, changes in (
            (1, []),
            (0, [span("Cy")]),
            (0, [span("Ann")]),
            (0, []),
            (0, [{"start": 0, "end": len(STORY)}]),
        )
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "cases.parquet")
    cases = read_cases(tmp_path / "cases.parquet")
    assert [case.changed.index(True) for case in cases] == [2, 0]
    assert [case.chance for case in cases] == [0.25, 0.25]
    assert len(read_cases(tmp_path / "cases.parquet", per_aspect=1)) == 1


def test_sentence_with_the_largest_gain_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Metric:
        def compute(self, predictions: list[str], explain: bool) -> dict[str, Any]:
            gains = [0.1, 0.0, 0.4, -0.2]
            return {"explanations": [{"sentences": [{"gain": g} for g in gains]} for _ in predictions]}

    monkeypatch.setattr(evaluate, "load", lambda *_: Metric())
    cases = [Case("a", STORY, (False, False, True, False)), Case("b", STORY, (True, False, False, False))]
    entry = read_registry()["union"]
    assert blame_correct(entry, cases) == {"a": [True], "b": [False]}
    assert blame_table([entry], cases).caption is None
    split_differently = Case("b", STORY, (True, False, False))
    caption = str(blame_table([entry], [*cases, split_differently]).caption)
    assert caption.endswith(f"differently: {entry.title} 1")


def test_metric_without_explanations_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--metrics", "ppl", "--stories", "1"])
    assert "ppl: it does not explain its scores" in capsys.readouterr().err
