"""The papers' tables of statistics, on synthetic rows and, if available, on the papers' data."""

import os

import pytest
from rich.console import Console

from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.papers import statistics
from tests.papers_data import DATA


def printed_lines(table):
    console = Console(width=200, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(table)
    return [" ".join(line.replace("│", " ").split()) for line in console.export_text().splitlines()]


def test_error_type_counts_if_one_rater_names_it():
    rows = [
        {"error_types": [["repeated"], ["other"], []]},
        {"error_types": [["repeated", "chaotic"], [], []]},
        {"error_types": [["incoherent"], [], []]},
        {"error_types": [["conflicting"], [], []]},
        {"error_types": [[], [], []]},  # reasonable
    ]
    lines = printed_lines(statistics.error_table(rows))
    assert "4 unreasonable of 5" in lines[0]
    assert "repeated 50.0 44.1" in lines
    assert "other 25.0 12.9" in lines
    assert "1 of the first four 75.00 23.36" in lines
    assert "2 of the first four 25.00 36.48" in lines


def test_mutually_exclusive_types_correlate_strongly():
    coefficient, p_value = statistics.strongest_correlation(
        [{"repeated"}, {"conflicting"}, {"incoherent"}, {"chaotic"}] * 2 + [{"repeated"}, {"conflicting"}] * 4
    )
    assert coefficient > 0.5
    assert p_value < 0.05


def test_incomplete_score_counts_are_marked():
    rows = [{"score": seventh / 7} for seventh in (0, 3, 3, 7)]
    assert "UNION's 400 4 † 400 1 0 0 2 0 0 0 1" in printed_lines(statistics.score_table({"union_roc": rows}))


def test_token_counts_of_inputs_references_and_stories():
    mans = [
        {"prompt": "Ann ran.", "reference": "She fell down.", "story": "[FEMALE] ate it all."},
        {"prompt": "Ann ran.", "reference": "She fell down.", "story": "No."},
    ]
    lines = printed_lines(statistics.mans_table({"mans_roc": mans}))
    assert "unique inputs 1 † (200)" in lines
    assert "tokens of an input 3.00 (9.26)" in lines
    assert "tokens of a reference 4.00 (39.54)" in lines
    assert "tokens of a story 3.50 (39.38)" in lines
    autos = [
        {"label": label, "origin": origin, "context": "Ann ran.", "story": f"Ann ran. {rest}"}
        for label, origin, rest in ((1, "human", "She fell."), (0, "human", "She fell and fell."),
                                    (1, "discrimination", "No."))
    ]  # fmt: skip
    discrimination, invariance = (
        printed_lines(statistics.autos_table(number, {"autos_mini_discrimination": autos}))
        for number in (16, 17)
    )
    assert "mini 3.00 (8.76) 2.50 (39.28) 3.00 (8.88) 5.00 (40.39)" in discrimination
    assert "mini 3.00 (9.03) 3.00 (40.66) 3.00 (9.23) 2.00 (40.57)" in invariance


@pytest.mark.data
def test_union_table_2_is_reproduced_exactly():
    lines = printed_lines(statistics.error_table(TEST_SETS["union_roc"].read(DATA)))
    rows = [line.split() for line in lines if line.split()[:1] and line.split()[0] in statistics.TABLE_2]
    assert [row[1] for row in rows] == [row[2] for row in rows] == ["44.1", "56.2", "67.5", "50.4", "12.9"]
    assert {
        f"{n} of the first four {share:.2f} {share:.2f}" for n, share in statistics.ERRORS_PER_STORY.items()
    } <= set(lines)
    assert {"largest |Spearman| of two types 0.118 < 0.15", "smallest p of those 0.018 > 0.01"} <= set(lines)
