"""Samples of AUTOS keep families whole; equal rows are scored once."""

import pytest

from openmeva.training.benchmark.data.sampling import sample_stories
from openmeva.training.benchmark.data.sets import TEST_SETS

ROWS = [
    {"story_id": f"{number}{end}", "story": "x", "label": int(not end), "origin": origin, "aspect": "typo",
     "perturbed_from": f"{number}" if end else None}
    for origin, numbers in (("human", range(10)), ("discrimination", range(20, 26)))
    for number in numbers
    for end in ("", "/typo", "/synonym")
]  # fmt: skip


def test_sample_keeps_originals_with_their_perturbed_stories() -> None:
    sampled_set, rows = sample_stories(TEST_SETS["autos_mini_invariance"], ROWS, 4, 0)
    assert sampled_set.title == "AUTOS mini, invariance test (4 of 10 stories)"
    for origin in ("human", "discrimination"):
        kept = [row for row in rows if row["origin"] == origin]
        originals = {row["story_id"] for row in kept if row["label"] == 1}
        assert len(originals) == 4
        assert sorted(row["story_id"] for row in kept) == sorted(
            f"{number}{end}" for number in originals for end in ("", "/typo", "/synonym")
        )


def test_sample_depends_on_seed_but_not_on_row_order() -> None:
    test_set = TEST_SETS["autos_mini_invariance"]
    ids = {row["story_id"] for row in sample_stories(test_set, ROWS, 4, 0)[1]}
    assert {row["story_id"] for row in sample_stories(test_set, ROWS[::-1], 4, 0)[1]} == ids
    assert {row["story_id"] for row in sample_stories(test_set, ROWS, 4, 1)[1]} != ids


@pytest.mark.parametrize(
    ("name", "count"), [("autos_mini_invariance", 0), ("autos_mini_invariance", 10), ("mans_roc", 2)]
)
def test_all_rows_are_kept_if_no_sample_is_needed(name: str, count: int) -> None:
    sampled_set, rows = sample_stories(TEST_SETS[name], ROWS, count, 0)
    assert rows is ROWS
    assert sampled_set is TEST_SETS[name]
