"""Lexical shortcuts in AUTOS, and that the paraphrases of `mini` do not share an opening."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.training.autos.shortcuts import (
    best_rule,
    cases,
    held_out_accuracy,
    main,
    opening_features,
    phrase_features,
    word_features,
)
from openmeva.training.paths import ROOT

MINI = ROOT / "datasets" / "autos" / "mini"


def row(story_id: str, story: str, source: str | None = None, aspect: str = "paraphrase") -> dict[str, Any]:
    """A row of AUTOS, perturbed where it has a source."""
    label = int(source is None)
    return {"story_id": story_id, "story": story, "aspect": aspect, "label": label, "perturbed_from": source}


def pairs(count: int, opener: str) -> list[dict[str, Any]]:
    result = []
    for number in range(count):
        story = f"Ann saw dog{number}. She ran to house{number}."
        result.append(row(f"s{number}", story))
        result.append(row(f"s{number}/paraphrase", f"{story} {opener} she slept.", f"s{number}"))
    return result


def test_features_of_a_story() -> None:
    story = "As it was, he ran. He fell!"
    assert {"as", "as it", "as it was", "he", "he ran"} & opening_features(story) == {
        "as",
        "as it",
        "as it was",
        "he",
    }
    assert word_features(story) == {"as", "it", "was", ",", "he", "ran", ".", "fell", "!"}
    assert "was , he" in phrase_features(story)
    assert "ran . he" not in phrase_features(story)  # it spans two sentences


def test_shared_opening_is_detected_on_held_out_stories() -> None:
    aspect_cases = cases(pairs(40, "As it happened,"), "paraphrase")
    assert len(aspect_cases) == 80
    assert held_out_accuracy(aspect_cases, [opening_features(case.story) for case in aspect_cases]) == 1.0
    rule = best_rule(
        [opening_features(case.story) for case in aspect_cases if case.perturbed],
        [opening_features(case.story) for case in aspect_cases if not case.perturbed],
    )
    assert rule is not None
    assert rule.feature.startswith("as it")
    assert (rule.marks_perturbed, rule.gain) == (True, 0.5)


def test_overfitted_rule_is_at_chance_on_held_out_stories() -> None:
    rows = [row for number in range(60) for row in pairs(1, f"Opener{number}")]
    for number, item in enumerate(rows):  # every pair has a word of its own
        item["story_id"] = item["story_id"].replace("s0", f"s{number // 2}")
        item["perturbed_from"] = item["perturbed_from"] and f"s{number // 2}"
    aspect_cases = cases(rows, "paraphrase")
    accuracy = held_out_accuracy(aspect_cases, [opening_features(case.story) for case in aspect_cases])
    assert accuracy == pytest.approx(
        0.5, abs=0.01
    )  # selected and tested on the same stories, it would be above


def test_story_and_its_perturbations_share_a_fold() -> None:
    rows = [
        row("s/lexical_repetition", "He ran. He ran."),
        row("s/lexical_repetition/typo", "He ran. He rna.", "s/lexical_repetition", "typo"),
        row("s", "He ran."),
        row("s/typo", "He rna.", "s", "typo"),
    ]
    assert len({case.fold for case in cases(rows, "typo")}) == 1


def test_missing_original_is_reported() -> None:
    with pytest.raises(ValueError, match="a/typo: expected its original 'a'"):
        cases([row("a/typo", "He rna.", "a", "typo")], "typo")


@pytest.mark.parametrize(
    ("split", "aspect"), [("discrimination", "semantic_repetition"), ("invariance", "paraphrase")]
)
def test_openings_do_not_reveal_the_paraphrases_of_mini(split: str, aspect: str) -> None:
    aspect_cases = cases(pq.read_table(MINI / f"{split}.parquet").to_pylist(), aspect)
    assert len(aspect_cases) >= 30
    accuracy = held_out_accuracy(aspect_cases, [opening_features(case.story) for case in aspect_cases])
    assert accuracy <= (0.6 if len(aspect_cases) > 60 else 0.65)  # of 30 stories, one is .03
    rule = best_rule(
        [opening_features(case.story) for case in aspect_cases if case.perturbed],
        [opening_features(case.story) for case in aspect_cases if not case.perturbed],
    )
    assert rule is not None
    # of the sample itself: it is right for at most three stories, or three in a hundred, more than chance
    assert rule.gain * len(aspect_cases) / 2 <= max(3, 0.03 * len(aspect_cases) / 2)


def test_shortcuts_command_prints_one_row_per_aspect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for split in ("discrimination", "invariance"):
        pq.write_table(pa.Table.from_pylist(pairs(5, "So")), tmp_path / f"{split}.parquet")
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:2] for line in lines if line.startswith("| paraphrase")] == [
        ["| paraphrase", "5"]
    ] * 2
    assert main([str(tmp_path / "none")]) == 2
