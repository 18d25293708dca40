"""OpenMEVA's Tables 3 to 5: the benchmark prints the paper's results, and results on the released half of MANS.

None of the three can be computed again: the available half has 99 of 200 prompts, no error types
(Table 3), and no scores by the paper's own models (all three). Others' scores of BLEU, BERTScore and
GPT-2's perplexity on that half of ROC are there.
"""

import numpy as np
import pytest

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.correlation import correlate
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.data.released import released_scores
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.benchmark.tables.part_tables import part_tables, score_differences_table
from openmeva.training.benchmark.tables.sections import read_published
from tests.papers_data import DATA

PUBLISHED = read_published()
NAMES = {
    "PPL (P)": "PPL (pretrained GPT-2)", "PPL (F)": "PPL (fine-tuned GPT-2)", "PPL(F)": "PPL (fine-tuned GPT-2)",
    "Ru-BERT": "RUBER-BERT (unreferenced)",
}  # fmt: skip
# As printed: ROC, then WP; overall, repetitive, unrelated, conflicting, chaotic.
TABLE_3 = """
BLEU         -0.0239  0.0520 0.0192 0.1134 0.0156 -0.0537 0.1188 -0.0421 -0.0875 -0.1451
BERTScore-F1  0.1271  0.1396 0.1240 0.0626 0.2283  0.0329 0.1198  0.0446  0.0189  0.0634
PPL (P)       0.2547 -0.1075 0.1105 0.1354 0.5248  0.3033 0.0219  0.1853  0.2188  0.4428
PPL (F)       0.2817  0.2152 0.1380 0.2643 0.5910  0.2952 0.0179  0.1720  0.1917  0.3182
Ru-BERT       0.0830  0.1160 0.0877 0.1103 0.1774  0.1666 0.0936  0.0793  0.0162  0.0077
UNION         0.4119  0.4517 0.2000 0.2107 0.4695  0.3256 0.3283  0.1738  0.1914  0.3967
RUBER-BERT    0.1434  0.0813 0.1453 0.1173 0.1723  0.2116 0.0716  0.1132  0.0721  0.1493
"""
# ROC, then WP; Seq2Seq, Plan&Write, Fusion, GPT-2, KG-GPT-2.
TABLE_4 = """
PPL (F)  0.14  0.22 0.12 0.14 0.25 0.11 0.15 0.05 0.12 0.13
Ru-BERT -0.02 -0.08 0.04 0.12 0.06 0.18 0.08 0.14 0.07 0.02
UNION    0.12  0.28 0.10 0.15 0.32 0.09 0.02 0.15 0.04 0.15
"""
# Trained on ROC, then on WP; each tested on ROC, then on WP.
TABLE_5 = """
PPL(F)  0.2817 0.2423 0.2470 0.2952
Ru-BERT 0.0830 0.0379 0.0891 0.1666
UNION   0.4119 0.2287 0.2128 0.3256
"""

# r² on ROC, then on WP.
FIGURE_2 = """
BERTScore-F1 0.31 0.26
RUBER-BERT   0.51 0.48
PPL (F)      0.76 0.58
UNION        0.92 0.63
"""


def printed(table: str, figures: int) -> dict[str, list[float]]:
    """Rows by the benchmark's titles."""
    rows = [line.split() for line in table.strip().splitlines()]
    return {
        NAMES.get(name, name): list(map(float, row[-figures:]))
        for row in rows
        for name in [" ".join(row[:-figures])]
    }


def test_table_3() -> None:
    rows = printed(TABLE_3, 10)
    for part, corpus in enumerate(("mans_roc", "mans_wp")):
        types = PUBLISHED["error_types"][corpus]
        assert types["columns"] == ["repetitive", "unrelated", "conflicting", "chaotic"]
        assert types["rows"] == {name: row[5 * part + 1 : 5 * part + 5] for name, row in rows.items()}
        overall = PUBLISHED["correlations"][corpus]["rows"]
        assert {name: overall[name]["pearson"] for name in rows} == {
            name: row[5 * part] for name, row in rows.items()
        }


def test_table_4() -> None:
    rows = printed(TABLE_4, 10)
    for part, corpus in enumerate(("mans_roc", "mans_wp")):
        drift = PUBLISHED["model_drift"][corpus]
        assert drift["columns"] == ["s2s", "plan_write", "fusion", "gpt", "gpt_kg"]
        assert drift["rows"] == {name: row[5 * part : 5 * part + 5] for name, row in rows.items()}


def test_figure_2() -> None:
    for part, corpus in enumerate(("mans_roc", "mans_wp")):
        rows = {name: row[part] for name, row in printed(FIGURE_2, 2).items()}
        assert PUBLISHED["differences"][corpus]["rows"] == rows


def test_missing_results_show_the_paper_rows_only() -> None:
    """MANS has no error types: only the rows of Table 3; those of Figure 2 next to the results of the run."""
    regions = dict.fromkeys(("both", "human_only", "metric_only", "neither"), 0.25)
    sections = {"UNION": {"score_differences": {"sets": 30, "r2": 0.5, "regions": regions}}}
    result = {"title": "MANS-ROC", "n": 495, "sections": sections}
    types, by_source = part_tables("mans_roc", result, PUBLISHED)
    assert "In italics: OpenMEVA, Table 3 (stories: reasonable 46," in types.note
    assert types.columns == ["", "repetitive", "unrelated", "conflicting", "chaotic"]
    assert types.rows[-2][:3] == ["UNION (paper)", ".452", ".200"]
    assert "OpenMEVA, Table 4" in by_source.note
    rows = score_differences_table("mans_roc", result, PUBLISHED)
    assert rows.rows[0] == ["UNION", "30", ".50", ".25", ".25", ".25", ".25"]
    assert rows.rows[-1] == ["UNION (paper)", "80", ".92", "", "", "", ""]
    assert "of sets of a fifth of 1,000 stories; here 495 stories." in rows.note
    assert not list(part_tables("hanna", {**result, "sections": {}}, PUBLISHED))
    assert not score_differences_table("hanna", {**result, "sections": {}}, PUBLISHED).rows


def test_table_5_agrees_with_table_3() -> None:
    rows, overall = printed(TABLE_5, 4), printed(TABLE_3, 10)
    drift = PUBLISHED["dataset_drift"]
    assert drift["columns"] == [
        f"{train} on mans_{test}" for train in ("roc", "wp") for test in ("roc", "wp")
    ]
    assert drift["rows"] == rows
    assert {name: (row[0], row[3]) for name, row in rows.items()} == {
        name: (overall[name][0], overall[name][5]) for name in rows
    }


@pytest.mark.data
def test_number_of_reasonable_stories_in_table_3() -> None:
    """Above four points, as in the paper: 46 of 1,000 stories (ROC) and 35 (WP); about half of them are in the released half."""
    for name, whole, released_half in (("mans_roc", 46, 24), ("mans_wp", 35, 17)):
        judged = JudgedStories.from_rows(TEST_SETS[name].read(DATA), (1.0, 5.0))
        count = int((judged.scores > 4).sum())
        assert count == (released_half if len(judged) == 495 else whole)


@pytest.mark.data
@pytest.mark.parametrize(
    ("title", "paper", "half"),
    [
        ("BLEU", "BLEU", -0.0373),
        ("BERTScore-F1", "BERTScore-F1", 0.1406),
        ("PPL (GPT-2)", "PPL (pretrained GPT-2)", 0.2153),
    ],
)
def test_intervals_of_released_scores_contain_the_paper_value(title: str, paper: str, half: float) -> None:
    rows = TEST_SETS["mans_roc"].read(DATA)
    judged = JudgedStories.from_rows(rows, (1.0, 5.0))
    scores = np.array(released_scores("mans_roc", rows, DATA)[title])
    assert round(correlate(scores, judged.scores)["pearson"], 4) == half
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, 1000, np.random.default_rng(0))
    low, high = intervals(bootstrap.correlations(scores))["pearson"] or (1, -1)
    assert low < PUBLISHED["correlations"]["mans_roc"]["rows"][paper]["pearson"] < high
