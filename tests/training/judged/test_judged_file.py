"""A user's file of judged stories: layouts of rating sheets, missing ratings, and messages that name the line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.command import judged_file_set
from openmeva.training.judged.judged_file import read_judged_file

Rows = Sequence[Mapping[str, Any]]
THREE = [{"story_id": f"s{k}", "story": f"story {k} .", "ratings": [k + 1, k + 2, k + 3]} for k in range(3)]


def read(folder: Path, content: str | Rows, name: str = "rated") -> list[dict[str, Any]]:
    """Rows of a CSV file, or of a JSONL file if rows are given."""
    path = folder / (f"{name}.csv" if isinstance(content, str) else f"{name}.jsonl")
    lines = content if isinstance(content, str) else "".join(json.dumps(row) + "\n" for row in content)
    path.write_text(lines, encoding="utf-8")
    return read_judged_file(path)


def with_first(**change: Any) -> list[dict[str, Any]]:
    """The three rows, the first of them changed."""
    return [{**THREE[0], **change}, *THREE[1:]]


@pytest.mark.parametrize(
    ("heading", "raters"),
    [
        ("rating_1,rating_2,rating_3", None),
        ("Rating1,Rating2,Rating3", None),
        ("rater_1,rater_2,rater_3", ["rater_1", "rater_2", "rater_3"]),
        ("Rater1,Rater2,Rater3", ["Rater1", "Rater2", "Rater3"]),
        ("annotator 1,annotator 2,annotator 10", ["annotator 1", "annotator 2", "annotator 10"]),
    ],
)
def test_numbered_columns_are_ratings(heading: str, raters: list[str] | None, tmp_path: Path) -> None:
    rows = read(tmp_path, f"story,{heading}\nx,4,5,3\ny,1,2,2\n")
    assert [row["ratings"] for row in rows] == [[4, 5, 3], [1, 2, 2]]
    assert [row.get("raters") for row in rows] == [raters, raters]


def test_numbered_columns_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "rating_10,rating_2,story,rating_1\n3,2,x,1\n")
    assert row["ratings"] == [1, 2, 3]


def test_numbered_raters_name_those_of_numbered_ratings(tmp_path: Path) -> None:
    first, second = read(tmp_path, "story,rater_1,rating_1,rater_2,rating_2\nx,Ann,4,Ben,5\ny,Ben,1,Cid,\n")
    assert (first["ratings"], first["raters"]) == ([4, 5], ["Ann", "Ben"])
    assert (second["ratings"], second["raters"]) == ([1], ["Ben"])


def test_list_of_ratings_precedes_other_layouts(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "story,ratings,rating,rating_1\nx,4 5,1,2\n")
    assert row["ratings"] == [4, 5]


LONG = """story_id,story,prompt,system,rater,rating,comment,corpus
b,"Nora  sang .",p,gpt,Ann,4,good,roc
a,Ben ran .,p,human,Ann,2,,roc
b,Nora sang .,p,gpt,Ben,5,better,roc
a,Ben ran .,p,human,Cid,,ill,roc
a,Ben ran .,p,human,Ben,1,bad,roc
"""


def test_rows_of_one_rating_are_merged_by_story_id(tmp_path: Path) -> None:
    rows = read(tmp_path, LONG)
    assert [row["story_id"] for row in rows] == ["b", "a"], "in the order of their first rows"
    assert [row["ratings"] for row in rows] == [[4, 5], [2, 1]]
    assert [row["raters"] for row in rows] == [["Ann", "Ben"], ["Ann", "Ben"]]
    assert [row["source_model"] for row in rows] == ["gpt", "human"]
    assert [(row.get("comment"), row["corpus"]) for row in rows] == [(None, "roc")] * 2, "comments differ"
    assert JudgedStories.from_rows(rows).scores.tolist() == [4.5, 1.5]


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (None, [None, None]),
        ([7, 8, 7], ["7", "8"]),
        ([1, 2, 3], [None, None]),  # of ratings
        (["p", "p", "p"], [None, None]),  # of prompts
    ],
)
def test_rows_of_one_rating_are_merged_by_story_without_story_ids(
    ids: list[Any] | None, found: list[Any], tmp_path: Path
) -> None:
    stories = [("x", 4), ("y", 2), ("x", 5)]
    rows = [{"story": story, "rating": rating} for story, rating in stories]
    if ids:
        rows = [{**row, "id": str(name)} for row, name in zip(rows, ids, strict=True)]
    merged = read(tmp_path, rows)
    assert [(row["story"], row["ratings"]) for row in merged] == [("x", [4, 5]), ("y", [2])]
    assert [row.get("story_id") for row in merged] == found
    assert not any("raters" in row for row in merged)


def test_ids_distinguish_stories_of_the_same_text(tmp_path: Path) -> None:
    rows = [{"id": name, "story": "I do not know .", "rating": 1} for name in "abab"]
    assert [row["ratings"] for row in read(tmp_path, rows)] == [[1, 1], [1, 1]]
    rows = [{"prompt": name, "story": "I do not know .", "rating": 1} for name in "abab"]
    assert [row["ratings"] for row in read(tmp_path, rows)] == [[1, 1], [1, 1]]


def test_error_types_belong_to_their_rating(tmp_path: Path) -> None:
    rows = [
        {"story": "x", "rating": 1, "error_types": ["chaotic"]},
        {"story": "x", "rating": None, "error_types": ["repeated"]},
        {"story": "x", "rating": 5, "error_types": []},
    ]
    (row,) = read(tmp_path, rows)
    assert (row["ratings"], row["error_types"]) == ([1, 5], [["chaotic"], []])


@pytest.mark.parametrize("missing", [None, float("nan"), "", "NA"])
def test_missing_rating_is_skipped_with_its_rater(missing: Any, tmp_path: Path) -> None:
    change = {
        "ratings": [3, missing, 4],
        "raters": ["Ann", "Ben", "Cid"],
        "error_types": [["chaotic"], [], ["repeated"]],
    }
    (row,) = read(tmp_path, [{"story": "x", **change}])
    assert (row["ratings"], row["raters"]) == ([3, 4], ["Ann", "Cid"])
    assert row["error_types"] == [["chaotic"], ["repeated"]]
    (row,) = read(tmp_path, [{"story": "x", **change, "raters": ["Ann", "Cid"], "error_types": None}])
    assert row["raters"] == ["Ann", "Cid"], "of those who did rate"


@pytest.mark.parametrize("cell", ["[3, null, 4]", "[3.0, nan, 4.0]", "3 NA 4", "3,,4", "3; ;4", "3, 4"])
def test_missing_rating_in_a_cell_is_skipped(cell: str, tmp_path: Path) -> None:
    assert read(tmp_path, f'story,ratings\nx,"{cell}"\n')[0]["ratings"] == [3, 4]


@pytest.mark.parametrize("name", ["system", "model"])
def test_source_model_has_other_names(name: str, tmp_path: Path) -> None:
    assert read(tmp_path, f"story,score,{name}\nx,1,gpt\n")[0]["source_model"] == "gpt"
    assert read(tmp_path, [{"story": "x", "score": 1, name: 3}])[0]["source_model"] == "3"
    both = read(tmp_path, f"story,score,{name},source_model\nx,1,gpt,human\n")
    assert both[0]["source_model"] == "human"
    with pytest.raises(ValueError, match=rf"rated\.csv, line 3: expected '{name}', which other rows have"):
        read(tmp_path, f"story,score,{name}\nx,1,gpt\ny,2,\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "story,coherence,fluency\nx,4,5\n",
            "csv, line 2: expected 'ratings' (a list such as [4, 5, 3]; in a CSV cell '4 5 3'), 'score', columns "
            "rating_1, rating_2 … or one row per 'rating', got story, coherence, fluency",
        ),
        ([{"story": "x", "score": None}], "line 1: expected a number in 'score', got nothing"),
        ("story,score\nx,\n", "line 2: expected a number in 'score', got nothing"),
        ("story,rating_1,rating_2\nx,,\n", "line 2: expected one or more ratings, got nothing"),
        ("story,rating\nx,\n", "line 2: expected a number in 'rating', got nothing"),
        ("story,rating\nx,1\ny,\n", "line 3: expected a number in 'rating', got nothing"),
        ("story,rating\nx,good\n", "line 2: expected a number in 'rating', got 'good'"),
        ("story,rater_1,rater_2\nx,1,good\n", "line 2: expected a number in 'rater_2', got 'good'"),
        (with_first(ratings=[]), "line 1: expected one or more ratings, got []"),
        (with_first(ratings=[None, None]), "line 1: expected one or more ratings, got [null, null]"),
        (with_first(ratings=None), "line 1: expected one or more ratings, got nothing"),
        (with_first(ratings=4), "line 1: expected a list in 'ratings', got 4"),
        (with_first(story_id="s2"), "line 3: expected each story_id once (or one row per 'rating'), got 's2' as in "),
        (with_first(story_id=None), "line 1: expected 'story_id', which other rows have, got none"),
        (with_first(ratings=None, score=4), "line 1: expected 'ratings', which other rows have, got none"),
        (
            [{**row, "score": 2 if k else 4} for k, row in enumerate(THREE)],
            "line 1: expected the mean of the ratings, 2, in 'score', got 4",
        ),
        (
            [{**row, "raters": ["a", "b"]} for row in THREE],
            "line 1: expected 3 different raters, one per rating, got ['a', 'b']",
        ),
        (
            [{**row, "error_types": ["chaotic"]} for row in THREE],
            "line 1: expected a list of names for each rater in 'error_types', got 'chaotic'",
        ),
        (
            LONG.replace("a,Ben ran .,p,human,Ben", "a,Ben fell .,p,human,Ben"),
            "line 6: expected the 'story' of ",
        ),
        (LONG.replace("gpt,Ben", "llama,Ben"), "line 4: expected the 'source_model' of "),
        (
            LONG.replace("human,Ben", "human,Ann"),
            "line 6: expected one rating of a story by each rater, got one by 'Ann' as in ",
        ),
        (LONG.replace("human,Ben", "human,"), "line 6: expected 'rater', which other rows have, got none"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_line(content: str | Rows, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        read(tmp_path, content)
    assert message in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path))
    assert "references" not in str(raised.value)


def test_layouts_give_the_same_judgments(tmp_path: Path) -> None:
    texts = [(f"s{k}", f"story {k} .", [k % 5 + 1, k % 3 + 1]) for k in range(6)]
    lists = read(tmp_path, [{"story_id": i, "story": s, "ratings": r} for i, s, r in texts], "lists")
    wide = read(
        tmp_path,
        [{"story_id": i, "story": s, "rating_1": r[0], "rating_2": r[1]} for i, s, r in texts],
        "wide",
    )
    long = [{"story_id": i, "story": s, "rating": r[k]} for k in range(2) for i, s, r in texts]
    by_rating = read(tmp_path, long, "long")
    expected = JudgedStories.from_rows(lists)
    for rows in (wide, by_rating):
        found = JudgedStories.from_rows(rows)
        assert found.story_ids == expected.story_ids
        assert found.scores.tolist() == expected.scores.tolist()
    assert len(judged_file_set(tmp_path / "long.jsonl", "roc").read(tmp_path)) == 6
