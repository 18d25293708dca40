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
    found = []
    for number in range(count):
        story = f"Ann saw dog{number}. She ran to house{number}."
        found.append(row(f"s{number}", story))
        found.append(row(f"s{number}/paraphrase", f"{story} {opener} she slept.", f"s{number}"))
    return found


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


def test_a_shared_opening_is_found_on_stories_that_were_not_looked_at() -> None:
    found = cases(pairs(40, "As it happened,"), "paraphrase")
    assert len(found) == 80
    assert held_out_accuracy(found, [opening_features(case.story) for case in found]) == 1.0
    rule = best_rule(
        [opening_features(case.story) for case in found if case.perturbed],
        [opening_features(case.story) for case in found if not case.perturbed],
    )
    assert rule is not None
    assert rule.feature.startswith("as it")
    assert (rule.marks_perturbed, rule.gain) == (True, 0.5)


def test_a_rule_that_was_picked_among_many_is_no_better_than_chance_on_others() -> None:
    rows = [row for number in range(60) for row in pairs(1, f"Opener{number}")]
    for number, one in enumerate(rows):  # every pair has a word of its own
        one["story_id"] = one["story_id"].replace("s0", f"s{number // 2}")
        one["perturbed_from"] = one["perturbed_from"] and f"s{number // 2}"
    found = cases(rows, "paraphrase")
    accuracy = held_out_accuracy(found, [opening_features(case.story) for case in found])
    assert accuracy == pytest.approx(
        0.5, abs=0.01
    )  # selected and tested on the same stories, it would be above


def test_a_story_and_what_was_made_of_it_fall_into_one_part() -> None:
    twice = [
        row("s/lexical_repetition", "He ran. He ran."),
        row("s/lexical_repetition/typo", "He ran. He rna.", "s/lexical_repetition", "typo"),
        row("s", "He ran."),
        row("s/typo", "He rna.", "s", "typo"),
    ]
    assert len({case.fold for case in cases(twice, "typo")}) == 1


def test_a_missing_original_is_told() -> None:
    with pytest.raises(ValueError, match="a/typo: expected its original 'a'"):
        cases([row("a/typo", "He rna.", "a", "typo")], "typo")


@pytest.mark.parametrize(
    ("split", "aspect"), [("discrimination", "semantic_repetition"), ("invariance", "paraphrase")]
)
def test_no_opening_gives_the_paraphrases_of_mini_away(split: str, aspect: str) -> None:
    found = cases(pq.read_table(MINI / f"{split}.parquet").to_pylist(), aspect)
    assert len(found) > 60
    assert held_out_accuracy(found, [opening_features(case.story) for case in found]) <= 0.6
    rule = best_rule(
        [opening_features(case.story) for case in found if case.perturbed],
        [opening_features(case.story) for case in found if not case.perturbed],
    )
    assert rule is not None
    assert (
        rule.gain <= 0.07
    )  # of the sample itself: an opening stands in 14 % of the rows more than of originals


def test_the_command_prints_a_row_an_aspect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for split in ("discrimination", "invariance"):
        pq.write_table(pa.Table.from_pylist(pairs(5, "So")), tmp_path / f"{split}.parquet")
    assert main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:2] for line in lines if line.startswith("| paraphrase")] == [
        ["| paraphrase", "5"]
    ] * 2
    assert main([str(tmp_path / "none")]) == 2
