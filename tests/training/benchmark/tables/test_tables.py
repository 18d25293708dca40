"""Tables and the cells in them."""

import io

import pytest
from rich.console import Console

from openmeva.spaces.leaderboard.views import _standing
from openmeva.training.benchmark.tables.judged_tables import correlations, kappas, pairs
from openmeva.training.benchmark.tables.level_tables import accuracy, standings_tables, within_prompts
from openmeva.training.benchmark.tables.number_format import (
    format_number,
    format_p_value,
    format_with_interval,
)
from openmeva.training.benchmark.tables.part_tables import human_machine_table
from openmeva.training.benchmark.tables.render import Table, to_latex, to_markdown, to_terminal
from openmeva.training.benchmark.tables.sections import main_tables, read_published, section_tables
from openmeva.training.cli.comparison import show_comparison
from openmeva.training.hub.results import cell


def test_published_rows_have_a_value_for_each_column():
    published = read_published()
    for section in ("error_types", "model_drift"):
        for table in published[section].values():
            assert all(len(row) == len(table["columns"]) for row in table["rows"].values())
    for section in ("discrimination", "invariance"):
        for corpus in ("roc", "wp"):
            rows = published[section][corpus].values()
            assert all(len(row) == len(published[section]["columns"]) for row in rows)
    for section in ("dataset_drift", "union_drift"):
        assert all(len(row) == 4 for row in published[section]["rows"].values())


def test_published_results_are_shown_at_their_own_level():
    published = read_published()
    result = {"title": "MANS-WP", "n": 9, "prompts": 3, "rows": {}}
    level = {
        **dict.fromkeys(("pearson", "spearman", "kendall"), 0.5),
        "intervals": {},
        "with_zeros": {"spearman": 0.25},
        "prompts": 1,
        "dropped": 2,
    }
    result["rows"]["Mine"] = {"kind": "ours", "pearson": 0.4, "intervals": {}, "within_prompts": level}
    pooled = {row[0]: row[1:] for row in correlations("mans_wp", result, published).rows}
    within = {row[0]: row[1:] for row in within_prompts("mans_wp", result, published).rows}
    assert pooled["UNION (paper)"][3] == ".3256"
    assert pooled["ChatGPT (published)"][3] == ".2030"
    assert within["GPT-4 (published)"][-2:] == [".382", ".368"]
    assert within["Mine (this project)"][:-2] == [".500", ".500", ".500", ".250", "1", "2"]
    assert not set(pooled) & set(within) - {"Mine (this project)"}


def test_kappa_without_a_definition_is_marked():
    judged = {
        "plot_guided_roc": {"title": "AMT", "n": 3, "agreement": {"fleiss_kappa": 0.389}},
        "mans_roc": {"title": "MANS", "n": 3},
    }
    table = kappas(judged, read_published())
    assert table.rows == [["AMT", ".389", "–", "–", ".61‡"]]
    assert "AMT: ‡ the paper prints" in table.note
    assert "MANS" not in table.note


def test_number_formatting():
    assert [format_number(value) for value in (0.5, -0.0004, -1.0, None)] == [".500", ".000", "−1.000", "–"]
    assert [format_p_value(value) for value in (0.0001, 0.05, None)] == ["<.001", ".050", "–"]
    cell = {"pearson": 0.369, "intervals": {"pearson": [0.28, 0.452]}}
    assert format_with_interval(cell, "pearson") == ".369 [.28, .45]"
    assert format_with_interval({"undefined": "x"}, "pearson") == "–"


def test_each_column_shows_its_own_number():
    test = {
        "difference": {"pearson": 0.1},
        "bootstrap": {"pearson": {"interval": [0.01, 0.2], "p_value": 0.061, "holm": 0.062}},
        "permutation": {"p_value": 0.011, "holm": 0.012},
        "williams": {"t": 2.5, "p_value": 0.021, "holm": 0.022},
        "steiger": {"z": 2.25, "p_value": 0.031},
        "verdict": "no clear difference",
    }
    (row,) = pairs({"title": "X", "pairs": {"best": "a", "against": {"b": test}}}).rows
    cells = ["b", ".100 [.01, .20]", ".011", ".012", "2.50", ".021", ".022", "2.25", ".031", ".061", ".062"]
    assert row == [*cells, "unclear"]
    row = {
        "kind": "ours",
        "accuracy": {"value": 0.7, "without_ties": 0.6, "threshold": 0.125},
        "within_prompts": {"accuracy": {"value": 0.5, "without_ties": 0.4, "threshold": 0.25}},
    }
    (row,) = accuracy({"title": "X", "rows": {"m": row}}).rows
    assert row[1:] == [".700", ".600", "0.125", ".500", ".400", "0.25"]
    level = {
        "metrics": ["a", "b"],
        "clusters": [1, 2],
        "ranks": [
            {"rank": 1, "low": 1, "high": 2, "first": 0.75},
            {"rank": 2, "low": 1, "high": 2, "first": 0.25},
        ],
        "p_values": [[None, 0.021], [None, None]],
    }
    (table,) = standings_tables({"title": "X", "standings": {"pooled": level}})
    assert table.rows[0] == ["a", "1", "1 [1, 2]", "75%", ".021"]
    parts = {"human": {"pearson": 0.1}, "machine": {"pearson": 0.3}}
    sections = {"m": {"pearson": 0.4, "human_and_machine": parts}}
    ceiling = {"ceiling": {"pearson": 0.8}}
    (row,) = human_machine_table({"title": "X", "noise_ceiling": ceiling, "sections": sections}).rows
    assert row == ["m", ".400", ".100", ".300", ".50"]


def test_only_rows_that_do_not_beat_the_baselines_are_marked():
    beats = {"pearson": {"beats": False}, "spearman": {"beats": True}, "kendall": {"beats": None}}
    row = {
        "kind": "ours",
        "pearson": 0.1,
        "spearman": 0.2,
        "kendall": 0.3,
        "intervals": {},
        "beats_trivial": beats,
    }
    result = {"title": "X", "n": 9, "prompts": 3, "rows": {"m": row}}
    published = {"correlations": {}, "judges": {"pooled": {}}}
    assert correlations("x", result, published).rows[0][1:] == [".100 †", ".200", ".300"]


def test_interval_bound_near_zero_keeps_its_sign():
    """In the benchmark's tables, on the command line, in cards and on the leaderboard's page."""
    row = {"title": "Mine", "kind": "own", "pearson": -0.0412, "spearman": 0.0, "kendall": 0.0, "n": 3}
    row["intervals"] = {"pearson": [-0.004, 0.0038]}
    expected = "−.041 [−.004, .004]"
    assert format_with_interval(row, "pearson") == expected
    assert cell(row, "pearson") == expected.replace("−", "-")
    console = Console(record=True, width=150)
    test = {"difference": {"pearson": -0.0412}, "williams": {}}
    test["bootstrap"] = {"pearson": {"interval": [-0.004, 0.0038], "p_value": 0.2, "holm": 0.2}}
    test["verdict"] = "no clear difference"
    test["permutation"] = {"p_value": 0.2, "holm": 0.2}
    pairs = {"best": "Mine", "coefficient": "pearson", "against": {"Other": test}}
    show_comparison({"judgments": "j", "n": 3, "prompts": 1, "rows": {"Mine": row}, "pairs": pairs}, console)
    assert console.export_text().count(expected) == 2
    assert _standing({**row, "same_stories": False}, None, []) == f"Pearson {expected} on 3 stories."


def test_table_rendering_in_markdown_and_latex():
    table = Table("A & B", ["", "r"], note="50 %")
    table.add("x_1", "−.20 †")
    table.rule()
    table.add("paper", ".30", faint=True)
    markdown = to_markdown(table).splitlines()
    assert markdown[4] == "| x_1 | −.20 † |"
    assert markdown[6] == "| *paper* | *.30* |"
    latex = to_latex(table)
    assert "x\\_1 & $-$.20 $\\dagger$ \\\\" in latex
    assert "\\caption{A \\& B. 50 \\%}" in latex
    with pytest.raises(ValueError, match="expected 2 cells, got 1"):
        table.add("alone")


def test_autos_tables_are_laid_out_by_aspect(tmp_path):
    cell = {"pearson": 0.25, "pair_wins": 0.7}
    row = {"kind": "ours", "aspects": {"relatedness": {"human": cell}, "consistency": {"human": cell}}}
    results = {
        "judged": {}, "dataset_drift": {}, "explanations": {},
        "autos": {"a": {"title": "AUTOS", "corpus": "roc", "test": "discrimination", "rows": {"UNION": row}}},
    }  # fmt: skip
    tables = section_tables(results, read_published())
    assert tables[0].columns == ["", "consistency", "relatedness", "average"]
    assert tables[0].rows[0] == ["UNION", ".250", ".250", ".250"]
    assert "their averages are computed here, the paper prints none" in tables[0].note
    assert "paper" not in tables[1].note, "no paper's rows among pairs won"
    assert tables[1].note.endswith("ties count half. 1 is perfect, .5 is chance.")
    assert main_tables(results, read_published()) == []


def test_names_in_brackets_are_printed():
    table = Table("rated[final].jsonl", ["", "mine[v2]"], note="[/] closes nothing")
    table.add("my[bold] metric", ".5")
    console = Console(width=80, file=io.StringIO())
    console.print(to_terminal(table))
    text = "".join(console.file.getvalue().split())
    assert all(part in text for part in ("rated[final].jsonl", "mine[v2]", "my[bold]metric", "[/]closes"))
