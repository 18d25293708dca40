"""Readers of the judged sets on small files of the released layouts, and on the data if available."""

import json
import re

import pytest

from openmeva.training.judged.mans import read_mans
from openmeva.training.judged.plot_guided import (
    read_plot_guided_judgments,
    read_predictions,
    without_separators,
)
from openmeva.training.judged.union import read_union_judgments
from tests.papers_data import DATA


def entry(**scores):
    return {
        "prompt": "[MALE] had a kite .",
        "gold_response": "he flew it .",
        "gen": {model: {"text": f"it fell . {model}", "score": score} for model, score in scores.items()},
    }


def write(folder, name, entries):
    (folder / name).write_text(json.dumps(entries))


@pytest.mark.parametrize("name", ["mans_roc.json", "mags_roc.json"])
def test_mans_rows_with_both_file_names(tmp_path, name):
    write(tmp_path, name, {"7": entry(gpt=[1, 2, 3, 4, 5], s2s=[1, 1, 1, 1, 2])})
    rows = read_mans(tmp_path, "roc")
    assert rows[0] == {
        "story_id": "7-gpt",
        "prompt": "[MALE] had a kite .",
        "reference": "he flew it .",
        "story": "it fell . gpt",
        "source_model": "gpt",
        "ratings": [1.0, 2.0, 3.0, 4.0, 5.0],
        "score": 3.0,
    }
    assert rows[1]["score"] == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"7": entry(gpt=[1, 2, 3, 4, 6])}, r"entry 7, gpt: expected a list of ratings in 1\.\.5"),
        ({"7": entry(gpt=[1, 2, 3])}, "five ratings, got 3"),
        ({"7": {"prompt": "a"}}, "entry 7: expected a field 'gold_response'"),
        ([], "expected a JSON object of prompts, got list"),
        ({"7": {**entry(), "gen": {}}}, "expected stories in the field 'gen' of the prompts, got none"),
        (
            {"7": {**entry(gpt=[1, 2, 3, 4, 5]), "prompt": "half \ud83d"}},
            "entry 7, gpt: expected text, got half of a",
        ),
    ],
)
def test_unknown_mans_layout_is_refused(tmp_path, entries, message):
    write(tmp_path, "mans_roc.json", entries)
    with pytest.raises(ValueError, match=message):
        read_mans(tmp_path, "roc")


def test_missing_mans_file_and_unknown_corpus_are_reported(tmp_path):
    with pytest.raises(ValueError, match=r"mans_wp\.json, mags_wp\.json"):
        read_mans(tmp_path, "wp")
    with pytest.raises(ValueError, match="unknown corpus 'cnn', expected one of roc, wp"):
        read_mans(tmp_path, "cnn")


def write_union_files(folder, ratings="0 1 1", types="2 0 0", story="a cat ran . it fell .", types_of=None):
    (folder / "ant_data.txt").write_text(f"1 ||| {story} ||| {ratings}\n")
    (folder / "ant_data_all.txt").write_text(f"{types_of or f'1 ||| {story}'} ||| {types}\n")
    (folder / "reference_ipt.txt").write_text("a dog sat .\na cat ran .\n")
    (folder / "reference_opt.txt").write_text("it slept .\nit got home .\n")


def test_union_rows(tmp_path):
    write_union_files(tmp_path)
    assert read_union_judgments(tmp_path) == [
        {
            "story_id": "1",
            "prompt": "a cat ran .",
            "story": "it fell .",
            "reference": "it got home .",
            "ratings": [0.0, 1.0, 1.0],
            "score": pytest.approx(2 / 3),
            "error_types": [["incoherent"], [], []],
        }
    ]


def test_union_ids_count_blank_lines(tmp_path):
    write_union_files(tmp_path)
    (tmp_path / "ant_data.txt").write_text("\n1 ||| a cat ran . it fell . ||| 0 1 1\n")
    (tmp_path / "ant_data_all.txt").write_text("1 ||| a cat ran . it fell . ||| 2 0 0\n")
    (tmp_path / "reference_ipt.txt").write_text("\na cat ran .\n")
    (tmp_path / "reference_opt.txt").write_text("\nit slept .\nit ate .\n")
    (row,) = read_union_judgments(tmp_path)
    assert (row["prompt"], row["reference"]) == ("a cat ran .", "it slept .")
    (tmp_path / "reference_opt.txt").write_text("it slept .\n\n")
    with pytest.raises(
        ValueError, match=r"ant_data\.txt, line 2: expected an id with a reference, line 2 of"
    ):
        read_union_judgments(tmp_path)


def test_union_rows_without_prompt_file(tmp_path):
    write_union_files(tmp_path)
    (tmp_path / "reference_ipt.txt").unlink()
    (tmp_path / "reference_opt.txt").unlink()
    (tmp_path / "ant_data_all.txt").write_bytes((tmp_path / "ant_data.txt").read_bytes())
    (row,) = read_union_judgments(tmp_path)
    assert row["story"] == "a cat ran . it fell ."
    assert not {"prompt", "reference", "error_types"} & set(row)


@pytest.mark.parametrize("prompts", [True, False])
def test_union_rows_of_wp_are_complete_with_and_without_prompts(tmp_path, prompts):
    folder = tmp_path / "WritingPrompts" / "ant_data"
    folder.mkdir(parents=True)
    write_union_files(folder)
    if not prompts:
        (folder / "reference_ipt.txt").unlink()
    (row,) = read_union_judgments(folder)
    assert (row["story"], row["reference"]) == ("a cat ran . it fell .", "it got home .")
    assert "prompt" not in row
    (folder / "reference_opt.txt").write_text("it slept .\n")
    with pytest.raises(
        ValueError, match=r"line 1: expected an id with a reference, line 2 of reference_opt\.txt, got 1"
    ):
        read_union_judgments(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratings": "0 1 2"}, r"line 1: expected ratings in 0\.\.1"),
        ({"types": "2 2 0"}, "2 of 3 raters say reasonable"),
        ({"types": "2 0 0 2"}, "2 of 3 raters say reasonable"),
        (
            {"types_of": "1 ||| a cat ran . it slept ."},
            "line 1: expected the story under the id 1 .* got the story 'a",
        ),
        (
            {"types_of": "2 ||| a cat ran . it fell ."},
            "line 1: expected the story under the id 1 .* got none",
        ),
        ({"story": "a bird ran . it fell ."}, "does not begin with prompt 1"),
        ({"ratings": "x"}, "expected whole numbers"),
    ],
)
def test_inconsistent_union_files_are_refused(tmp_path, change, message):
    write_union_files(tmp_path, **change)
    with pytest.raises(ValueError, match=message):
        read_union_judgments(tmp_path)


def write_plot_guided_file(folder, sheets):
    names = [f"Input.text{k}" for k in range(1, 6)] + [f"Answer.text{k}" for k in range(1, 6)]
    lines = [",".join(["WorkerId", *names])]
    lines += [
        ",".join([rater, *(f"story {k} . </s> " for k in range(5)), *answers]) for rater, answers in sheets
    ]
    (folder / "AMT_ROC.CSV").write_text("\n".join(lines))


def test_plot_guided_rows_keep_the_raters(tmp_path):
    write_plot_guided_file(tmp_path, [("w1", "01234"), ("w2", "55555")])
    rows = read_plot_guided_judgments(tmp_path, order=[f"story {k} . </s>" for k in (3, 0, 1, 2, 4)])
    assert rows[1] == {
        "story_id": "1",
        "story": "story 1 .",
        "ratings": [1.0, 5.0],
        "score": 3.0,
        "raters": ["w1", "w2"],
        "source_model": "human",
    }
    assert [row["source_model"] for row in rows] == ["gpt2", "human", "human", "gpt2", "human"]


def test_plot_guided_sheets_with_two_stories(tmp_path):
    (tmp_path / "AMT_WP.CSV").write_text(
        "WorkerId,Input.text1,Input.text2,Answer.text1,Answer.text2\nw1,a .,b .,1,2\nw2,b .,a .,3,4\n"
    )
    rows = read_plot_guided_judgments(tmp_path, "wp", order=["a .", "b ."])
    assert [row["ratings"] for row in rows] == [[1.0, 4.0], [2.0, 3.0]]
    assert [row["source_model"] for row in rows] == ["machine", "human"]


def test_judged_story_missing_from_the_order_is_reported(tmp_path):
    (tmp_path / "AMT_WP.CSV").write_text("WorkerId,Input.text1,Answer.text1\nw1,a .,1\nw1,b .,2\n")
    with pytest.raises(ValueError, match=r"1 judged stories are not in the given order, as 'b \.'"):
        read_plot_guided_judgments(tmp_path, "wp", order=["a .", "c ."])


@pytest.mark.parametrize("header", ["WorkerId,Input.text1", "Input.text1,Answer.text1", "WorkerId"])
def test_unknown_sheet_layout_is_refused(tmp_path, header):
    (tmp_path / "AMT_WP.CSV").write_text(f"{header}\n{re.sub('[^,]+', 'x', header)}\n")
    with pytest.raises(ValueError, match=r"expected the columns WorkerId, Input\.text1, Answer\.text1"):
        read_plot_guided_judgments(tmp_path, "wp")


def test_bad_plot_guided_files_are_refused(tmp_path):
    write_plot_guided_file(tmp_path, [("w1", "01239")])
    with pytest.raises(ValueError, match=r"line 2, Answer\.text5: expected a rating in 0\.\.5, got '9'"):
        read_plot_guided_judgments(tmp_path)
    write_plot_guided_file(tmp_path, [("w1", "01234"), ("w1", "01234")])
    with pytest.raises(ValueError, match="w1 rates a story twice"):
        read_plot_guided_judgments(tmp_path)


def test_read_predictions(tmp_path):
    (tmp_path / "p.txt").write_text("he ran . </s> he fell . </s>\t0.25\n")
    assert read_predictions(tmp_path / "p.txt") == {"he ran . he fell .": 0.25}
    (tmp_path / "p.txt").write_text("he ran .\n")
    with pytest.raises(ValueError, match="line 1: expected 'story TAB score'"):
        read_predictions(tmp_path / "p.txt")
    (tmp_path / "p.txt").write_text("he ran .\t0.25\nhe ran . </s>\t0.5\n")
    with pytest.raises(ValueError, match=r"line 2: expected each story once, got 'he ran \. </s>' again"):
        read_predictions(tmp_path / "p.txt")


@pytest.mark.data
def test_released_sets_have_the_expected_sizes():
    assert len(read_mans(DATA / "mans", "roc")) % 5 == 0
    union = read_union_judgments(DATA / "union" / "ROCStories" / "ant_data")
    assert len(union) == 400
    assert sum(row["score"] == 1 for row in union) == 19
    order = list(read_predictions(DATA / "plot_guided" / "Pred_advROC_roberta.txt"))
    rows = read_plot_guided_judgments(DATA / "plot_guided", "roc", order)
    assert len(rows) == 300
    assert sum(row["source_model"] == "human" for row in rows) == 150
    assert without_separators(order[0]) in {row["story"] for row in rows}
