"""Files of scores for a test set: one row per story, in any order; rows that do not fit are named."""

import json
from pathlib import Path

import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.data.score_files import columns_by_metric, read_scores, score_columns
from openmeva.training.benchmark.paired import Comparison, compare_metrics
from openmeva.training.files import Row
from openmeva.training.judged.judged_file import read_judged_file

STORIES = [
    {"story_id": "a", "story": "Ben ran home ."},
    {"story_id": "b", "story": "Nora sang ."},
    {"story_id": "c", "story": "Ben ran home ."},
]
AUTOS = [
    {**STORIES[0], "aspect": "typo"},
    {**STORIES[0], "aspect": "synonym"},
    {**STORIES[1], "aspect": "typo"},
]


def scores(
    folder: Path, text: str, stories: list[dict[str, str]] = STORIES, name: str = "mine.csv"
) -> dict[str, list[float]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_scores(path, stories, "the set")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("score\n1\n2\n3\n", {"score": [1, 2, 3]}),
        ("story_id,score\nc,3\na,1\nb,2\n", {"score": [1, 2, 3]}),
        ("id,story,x,y_score\nc,Ben  ran home .,3,4\na,Ben ran home .,1,5\nb,Nora sang .,2,6\n",
         {"x": [1, 2, 3], "y_score": [5, 6, 4]}),
        ("story,score\nNora sang .,2\nBen ran home .,1\n", {"score": [1, 2, 1]}),
        ("story,score\nBen ran home .,1\nNora sang .,2\nBen ran home .,3\n", {"score": [1, 2, 3]}),
        ("story_id,ratings,score,mine\na,4 5,4.5,1\nb,1 2,1.5,2\nc,3 3,3,3\n", {"mine": [1, 2, 3]}),
        ("story_id,score,union_score\na,4,.1\nb,1,.2\nc,3,.3\n", {"union_score": [0.1, 0.2, 0.3]}),
        ("story_id,rating_1,Rater 2,model,mine\na,4,5,7,1\nb,1,2,8,2\nc,3,3,9,3\n", {"mine": [1, 2, 3]}),
        ("index,level_0,story_id,pair,split,mine\n0,0,a,1,2,1\n1,1,b,1,2,2\n2,2,c,2,2,3\n", {"mine": [1, 2, 3]}),
        (",Unnamed: 0,__index_level_0__,story_id,mine\n0,0,0,a,1\n1,1,1,b,2\n2,2,2,c,3\n", {"mine": [1, 2, 3]}),
    ],
)  # fmt: skip
def test_scores_are_matched_by_id_by_text_or_by_order(
    text: str, found: dict[str, list[float]], tmp_path: Path
) -> None:
    assert scores(tmp_path, text) == found


def test_rows_with_ids_or_stories_are_never_matched_by_position(tmp_path: Path) -> None:
    plain = [{"story": row["story"]} for row in STORIES]
    for name in ("id", "story_id"):
        with pytest.raises(
            ValueError, match=f"line 2: expected a 'story' to match it by, since the set has no '{name}'"
        ):
            scores(tmp_path, f"{name},score\nc,3\na,1\nb,2\n", plain)
    lines = ('{"story": "Nora sang .", "score": 2}', '{"story": null, "score": 1}', '{"score": 3}')
    (tmp_path / "mine.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.jsonl, line 2: expected a text in 'story', got None"):
        read_scores(tmp_path / "mine.jsonl", STORIES, "the set")


def test_unique_ids_of_judged_stories_become_story_ids(tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("id,story,score\n7,x,4\n8,y,2\n", encoding="utf-8")
    assert [row["story_id"] for row in read_judged_file(path)] == ["7", "8"]
    path.write_text("id,story,score\n7,x,4\n7,y,2\n", encoding="utf-8")
    assert not any("story_id" in row for row in read_judged_file(path)), "of prompts, it may be"


def test_story_with_a_blank_prompt_is_the_only_one_of_its_prompt(tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("story,prompt,score\nx,p,4\ny,,2\nz,p,1\n", encoding="utf-8")
    assert JudgedStories.from_rows(read_judged_file(path)).prompts.tolist() == [0, 1, 0]


def test_metric_is_named_after_its_column() -> None:
    def titles(*columns: str) -> dict[str, str]:
        return columns_by_metric([Row(n, f"Row {n}", dict.fromkeys(columns, float(n))) for n in (1, 2)])

    assert titles("score", "x") == {"your metric": "score", "x": "x"}
    assert titles("score", "a_b_score", "x") == {"a_b": "a_b_score", "x": "x"}
    with pytest.raises(ValueError, match="different metrics, got 'x' and 'x_score'"):
        titles("x", "x_score")


def test_columns_beside_scores_are_no_metrics_and_are_named() -> None:
    """What `openmeva score --metric ppl` writes for rated stories, with a seed."""
    lines: list[str] = []
    cells = ({"ppl_score": n, "perplexities": 9 - n, "seed": 1, "story": "a", "score": n} for n in range(3))
    rows = [Row(n, f"a.jsonl, line {n + 1}", values) for n, values in enumerate(cells)]
    assert score_columns(rows, lines.append) == ["ppl_score"]
    assert lines == [
        "a.jsonl: scores of ppl_score; not taken as a metric: perplexities, seed (FILE:COLUMN names one)"
    ]
    without = [
        row._replace(values={key: row.values[key] for key in ("perplexities", "seed")}) for row in rows
    ]
    assert score_columns(without) == ["perplexities"], "a constant is no metric"


def test_text_file_has_a_score_per_line(tmp_path: Path) -> None:
    assert scores(tmp_path, "1\n2.5\n3\n", name="mine.txt") == {"score": [1, 2.5, 3]}
    with pytest.raises(ValueError, match=r"mine\.txt, line 2: expected a number in 'score', got 'Ben ran"):
        scores(tmp_path, "1\nBen ran.\n3\n", name="mine.txt")


def test_every_column_needs_a_score_in_every_row(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"a": 1}\n{"a": 2, "b": 5}\n{"a": 3, "b": 6}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.jsonl, line 1: expected a number in 'b', got None"):
        read_scores(tmp_path / "mine.jsonl", STORIES, "the set")


def test_booleans_are_not_scores(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    rows = [{"score": n, "checked": n > 1} for n in (1, 2, 3)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert read_scores(file, STORIES, "the set") == {"score": [1, 2, 3]}
    file.write_text('{"score": 1}\n{"score": true}\n{"score": 3}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 2: expected a number in 'score', got True"):
        read_scores(file, STORIES, "the set")


def test_judgments_are_not_compared_with_themselves(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for factor, file in enumerate(files, 2):
        rows = [{"story": f"story {k}", "score": k * factor % 7, "x": k * k % 5} for k in range(12)]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    first, second = map(str, files)
    for comparison in (
        Comparison([first, second]),
        Comparison([second, first], judgments=files[0]),
        Comparison([f"{first}:score", second], judgments=files[0]),
    ):
        with pytest.raises(
            ValueError, match=r"a\.jsonl: expected scores of a metric .* got 'score', which is taken"
        ):
            compare_metrics(comparison)
    with pytest.raises(ValueError, match=r"a\.jsonl: expected a column, got 'y'; the file has .*x"):
        compare_metrics(Comparison([f"{first}:y", second], draws=100))
    result = compare_metrics(Comparison([f"{first}:x", second], draws=100))
    assert {"a.jsonl:x", "b.jsonl:score"} < set(result["rows"])


def test_autos_rows_are_matched_by_aspect(tmp_path: Path) -> None:
    text = "story_id,aspect,score\nb,typo,3\na,synonym,2\na,typo,1\n"
    assert scores(tmp_path, text, AUTOS) == {"score": [1, 2, 3]}
    assert scores(tmp_path, "story,score\nNora sang .,3\nBen ran home .,1\n", AUTOS) == {"score": [1, 1, 3]}
    with pytest.raises(ValueError, match=r"mine\.csv, line 2: expected 'aspect', which other rows have"):
        scores(tmp_path, "story_id,score\na,1\n", AUTOS)
    judged = [{**row, "aspect": "coherence"} for row in STORIES]
    assert scores(tmp_path, "story_id,score\nb,2\na,1\nc,3\n", judged) == {"score": [1, 2, 3]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score\n1\n2\n", "mine.csv: expected 3 scores, one for each row of the set in its order, got 2"),
        ("story_id,score\na,1\nb,2\n", "mine.csv: .* got none for story_id 'c' \\(1 of them lack one\\)"),
        ("story_id,score\na,1\nb,2\nz,3\n", "line 4: expected a story_id of the set, such as 'a', got 'z'"),
        ("story_id,score\na,1\nb,2\nb,3\n", "line 4: expected each story_id once, got 'b' as in .* line 3"),
        ("story_id,score\na,1\n,2\nc,3\n", "line 3: expected 'story_id', which other rows have, got none"),
        ("story_id,story,score\na,Nora sang .,1\nb,x,2\nc,x,3\n", "line 2: expected the story of that story_id"),
        ("story,score\nBen ran home .,1\nWho ?,2\n", "line 3: expected a story of the set, got another, 'Who"),
        ("story,score\nBen ran home .,1\nBen ran home .,2\n", "line 3: expected each story once, or all"),
        ("score\n1\nnan\n3\n", "line 3: expected a finite number in 'score', got nan"),
        ("story_id,mine\na,1\nb,\nc,3\n", "line 3: expected a number in 'mine', got ''"),
        ("story_id,note\na,x\nb,y\nc,z\n", "expected a column of scores, such as 'score', got story_id, note"),
        ("score\n", "expected at least one row, got none"),
    ],
)  # fmt: skip
def test_mismatched_rows_are_reported_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        scores(tmp_path, text)


def test_references_of_judged_stories_are_read_as_by_score(tmp_path: Path) -> None:
    rows = [
        {"story": "Ben ran.", "ratings": [1, 2], "reference": ["He left.", "He fell."]},
        {"story": "Nora sang.", "ratings": [3, 4], "references": "She hummed."},
        {"story": "Ann sat.", "ratings": [3, 4], "reference": float("nan")},
    ]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected = [["He left.", "He fell."], "She hummed.", None]
    assert [row.get("reference") for row in read_judged_file(tmp_path / "m.jsonl")] == expected
    (tmp_path / "m.csv").write_text('story,score,reference\nBen ran.,1,"[""He left."", ""He fell.""]"\n')
    assert read_judged_file(tmp_path / "m.csv")[0]["reference"] == expected[0]


@pytest.mark.parametrize("cell", ["4,5; 3,5; 2", "4,5 3,5"])
def test_decimal_commas_are_no_further_ratings(cell: str, tmp_path: Path) -> None:
    (tmp_path / "de.tsv").write_text(f"story\tratings\nBen ran.\t{cell}\n")
    with pytest.raises(
        ValueError, match=r"de\.tsv, line 2: expected values in 'ratings' .* with decimal points"
    ):
        read_judged_file(tmp_path / "de.tsv")
    for separated in ("4, 5, 3", "4,5,3", "4;5;3", "4 5 3"):
        (tmp_path / "en.tsv").write_text(f"story\tratings\nBen ran.\t{separated}\n")
        assert read_judged_file(tmp_path / "en.tsv")[0]["ratings"] == [4, 5, 3]
