"""Readers of HANNA, DeltaScore, StoryER, Story Cloze and LitBench, on small files of their authors' layouts."""

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.judged.deltascore import CRITERIA as DELTASCORE
from openmeva.training.judged.deltascore import read_deltascore
from openmeva.training.judged.hanna import CRITERIA as HANNA
from openmeva.training.judged.hanna import read_hanna, read_hanna_scores
from openmeva.training.judged.litbench import read_litbench
from openmeva.training.judged.pairs import Preference, preference_rows
from openmeva.training.judged.rows import aggregate_criteria
from openmeva.training.judged.story_cloze import SEEN_PAIRS_FILE, exclude_seen, read_story_cloze
from openmeva.training.judged.storyer import read_aspect_ratings, read_overall, read_ranks

HEADING = [
    *("Story ID", "Prompt", "Human", "Story", "Model"),
    *HANNA,
    *("Worker ID", "Assignment ID", "Work time in seconds", "Name"),
]


def write_hanna_file(folder: Path, *ratings: tuple[str, str, list[int]], model: str = "GPT-2") -> None:
    """The authors' file of story 3: a text, a worker and six ratings per row."""
    lines = [",".join(HEADING)]
    for text, worker, scores in ratings:
        cells = ["3", "Two kites.", "He flew.", text, model, *map(str, scores), worker, "a", "60", "Ann"]
        lines.append(",".join(cells))
    (folder / "hanna_stories_annotations.csv").write_text("\n".join(lines) + "\n")


def test_hanna_has_ratings_by_rater_and_criterion(tmp_path: Path) -> None:
    write_hanna_file(
        tmp_path, ("It fell.", "w1", [1, 2, 3, 4, 5, 3]), ("It fell.", "w2", [5, 4, 5, 5, 5, 6 - 3])
    )
    (row,) = read_hanna(tmp_path)
    assert row["ratings"] == [3.0, 4.5]
    assert row["score"] == 3.75
    assert row["raters"] == ["w1", "w2"]
    assert row["criteria"]["Coherence"] == 3.0
    assert row["criterion_ratings"]["Coherence"] == [2.0, 4.0]
    assert (row["prompt"], row["reference"], row["source_model"]) == ("Two kites.", "He flew.", "GPT-2")
    assert JudgedStories.from_rows([dict(row)], (1.0, 5.0)).raters == [["w1", "w2"]]
    write_hanna_file(tmp_path, ("It fell.", "w1", [1] * 6), ("It fell.", "w1", [2] * 6))
    assert "raters" not in read_hanna(tmp_path)[0]  # one worker twice: names would be ambiguous
    write_hanna_file(tmp_path, ("It fell.", "w1", [1] * 6), model="Human")
    assert read_hanna(tmp_path)[0]["source_model"] == "human"


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        (
            [("It fell.", "w1", [1, 2, 3, 4, 5, 6])],
            r"line 2, Complexity: expected a rating in 1\.\.5, got '6'",
        ),
        ([("It fell.", "w1", [1] * 6), ("It rose.", "w2", [1] * 6)], "line 3: the text differs from that"),
    ],
)
def test_damaged_hanna_file_is_refused(
    tmp_path: Path, ratings: list[tuple[str, str, list[int]]], message: str
) -> None:
    write_hanna_file(tmp_path, *ratings)
    with pytest.raises(ValueError, match=message):
        read_hanna(tmp_path)


def test_hanna_half_equals_the_full_file_and_has_released_scores(tmp_path: Path) -> None:
    write_hanna_file(tmp_path, ("It fell.", "", [1, 2, 3, 4, 5, 3]), ("It fell.", "", [5, 4, 5, 5, 5, 3]))
    whole = read_hanna(tmp_path)
    (tmp_path / "hanna_stories_annotations.csv").unlink()
    assert read_hanna_scores(tmp_path) == {}
    pairs = zip([1, 2, 3, 4, 5, 3], [5, 4, 5, 5, 5, 3], strict=True)
    line: dict[str, Any] = {
        "story_id": 3, "prompt": "Two kites.", "human_story": "He flew.", "story": "It fell.", "model": "GPT-2",
        "ratings": dict(zip(HANNA, map(list, pairs), strict=True)), "metrics": {"BLEU": 1.5},
    }  # fmt: skip
    with gzip.open(tmp_path / "hanna_half.jsonl.gz", "wt") as file:
        file.write(json.dumps(line) + "\n")
    assert read_hanna(tmp_path) == whole
    assert read_hanna_scores(tmp_path) == {"3": {"BLEU": 1.5}}


def test_deltascore_has_means_of_criteria(tmp_path: Path) -> None:
    (tmp_path / "crowdsource").mkdir()
    means = dict(zip(DELTASCORE, (5.0, 4.0, 3.67, 2.0, 1.33), strict=True))
    line = {
        "title": "Ann had a kite .",
        "story": " it fell .",
        "model": "HINT",
        "reference": "he flew .",
        **means,
    }
    path = tmp_path / "crowdsource" / "roc.jsonl"
    path.write_text(json.dumps(line) + "\n")
    (row,) = read_deltascore(tmp_path, "crowdsource", "roc")
    assert row["score"] == pytest.approx(3.2)
    assert row["criteria"] == means
    assert (row["prompt"], row["story"]) == ("Ann had a kite .", "it fell .")
    path.write_text(json.dumps({**line, "logicality": None}) + "\n")
    with pytest.raises(ValueError, match="line 1, logicality: expected a rating"):
        read_deltascore(tmp_path, "crowdsource", "roc")


def test_story_cloze_puts_the_right_ending_first(tmp_path: Path) -> None:
    sentences = ",".join(f"InputSentence{number}" for number in range(1, 5))
    endings = "RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2"
    heading = f"InputStoryid,{sentences},{endings},AnswerRightEnding"
    path = tmp_path / "cloze_test_val__spring2016 - cloze_test_ALL_val.csv"
    path.write_text(f"{heading}\nx1,A.,B.,C.,D.,Wrong.,Right.,2\n")
    right, wrong = read_story_cloze(tmp_path, "validation")
    assert right == {
        "story_id": "x1-chosen",
        "pair": "x1",
        "prompt": "A.",
        "story": "B. C. D. Right.",
        "score": 1.0,
    }
    assert (wrong["story"], wrong["score"]) == ("B. C. D. Wrong.", 0.0)
    path.write_text(f"{heading}\nx1,A.,B.,C.,D.,Wrong.,Right.,3\n")
    with pytest.raises(ValueError, match="line 2, AnswerRightEnding: expected 1 or 2, got '3'"):
        read_story_cloze(tmp_path, "validation")


def test_pairs_seen_in_training_are_excluded() -> None:
    seen = SEEN_PAIRS_FILE.read_text().split()
    assert len(set(seen)) == len(seen) > 100
    rows = list(preference_rows(Preference(pair, "A.", "B. C.", "B. D.") for pair in (seen[0], "new")))
    assert {row["pair"] for row in exclude_seen(rows)} == {"new"}


def test_litbench_excludes_deleted_stories(tmp_path: Path) -> None:
    (tmp_path / "rehydrated_test_data.csv").write_text(
        "prompt,chosen_story,rejected_story,chosen_comment_id\n"
        "A prompt,good,dull,c1\nA prompt,[deleted],dull,c2\nAnother,,dull,c3\n"
        "A prompt,better,[removed],c4\n,fine,poor,c5\n"
    )
    assert [row["story"] for row in read_litbench(tmp_path)] == ["good", "dull"]
    (tmp_path / "rehydrated_test_data.csv").write_text("prompt,chosen_story\nA prompt,good\n")
    with pytest.raises(ValueError, match="'rejected_story'"):
        read_litbench(tmp_path)


def test_storyer_reads_ranks_scores_and_aspects(tmp_path: Path) -> None:
    ranks = [("a prompt", "high", "low", 1, 0.3), ("a prompt", "first", "second", -1, 0.3)]
    (tmp_path / "test_rank_data.pkl").write_bytes(pickle.dumps(ranks))
    assert [row["story"] for row in read_ranks(tmp_path)] == ["high", "low", "second", "first"]
    (tmp_path / "story_correlation.pkl").write_bytes(pickle.dumps([("A &amp; b.<br>C.", np.float64(3.5))]))
    (row,) = read_overall(tmp_path, "wp")
    assert (row["story"], row["score"]) == ("A & b. C.", 3.5)
    comments = [[3, 4, "a good ending"], [3, 2, "a poor one"], [9, 5, "funny"], [-1, -1, float("nan")]]
    entries = [{"prompt": "p", "story": "s", "score": 7.0, "comments": comments}]
    (tmp_path / "test_rate_reason_data.json").write_text(json.dumps(entries))
    (row,) = read_aspect_ratings(tmp_path)
    assert row["criteria"] == {"ending": 3.0, "funny/hilarious/laugh": 5.0}
    assert row["score"] == pytest.approx(11 / 3)
    assert "ratings" not in row, "ratings of different aspects are not those of several raters of one thing"


@pytest.mark.parametrize(
    "line",
    ['{"story_id": 1, "metrics": null}', '{"metrics": {"a": 1}}', '{"story_id": 1, "metrics": {"a": NaN}}'],
)
def test_invalid_released_scores_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "hanna_half.jsonl.gz").write_bytes(gzip.compress(f"{line}\n".encode()))
    with pytest.raises(ValueError, match=r"hanna_half.jsonl.gz, line 1"):
        read_hanna_scores(tmp_path)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, "x"])
def test_non_numeric_storyer_score_is_refused(tmp_path: Path, score: object) -> None:
    (tmp_path / "story_correlation.pkl").write_bytes(pickle.dumps([("A story.", 1.0), ("Another.", score)]))
    with pytest.raises(ValueError, match=r"story_correlation.pkl, entry 2, score: expected a rating"):
        read_overall(tmp_path, "wp")


def test_damaged_pickle_is_reported_with_its_name(tmp_path: Path) -> None:
    """A truncated file, one with a changed byte, or a compressed one gives an error with its name, or rows."""
    path = tmp_path / "story_correlation.pkl"
    whole = pickle.dumps([("A story.", np.float64(3.5)), ("Another.", 1.0)])
    flipped = [whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :] for at in range(len(whole))]
    for content in (*(whole[:at] for at in range(len(whole))), *flipped, gzip.compress(whole), b""):
        path.write_bytes(content)
        try:
            read_overall(tmp_path, "wp")
        except ValueError as error:
            assert str(path) in str(error)  # noqa: PT017 - some damage results in another valid file
        else:
            assert content in flipped


class HarmfulPickle:
    """A pickle that runs code when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("harm"),))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps([HarmfulPickle()]), "it asks for pathlib"),
        (b"no pickle", "expected a pickle of lists"),
        (
            pickle.dumps([("a prompt", "high", "low", 2, 0)]),
            "entry 1: expected prompt, two stories, a target",
        ),
        (pickle.dumps([]), "expected a pickled list"),
    ],
)
def test_pickle_never_runs_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_rank_data.pkl").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_ranks(tmp_path)
    assert not (tmp_path / "harm").exists()


def test_equal_judgments_have_equal_scores() -> None:
    judgments = (
        ([3, 3, 2, 2, 2, 3], [3, 3, 2, 2, 2, 3], [3, 3, 3, 3, 3, 3]),
        ([3, 3, 2, 2, 2, 2], [3, 3, 3, 3, 2, 3], [3, 3, 3, 3, 2, 3]),
    )
    first, second = (
        aggregate_criteria(dict(zip(HANNA, zip(*raters, strict=True), strict=True))) for raters in judgments
    )
    assert sum(map(sum, judgments[0])) == sum(map(sum, judgments[1])) == 48
    assert first["score"] == second["score"] == 48 / 18


def test_pickled_numbers_cannot_forge_objects(tmp_path: Path) -> None:
    """A NumPy type whose state declares a pointer would read one from the file's bytes."""

    class Forged:
        def __reduce__(self) -> tuple[Any, ...]:
            state = (3, "|", None, ("a",), {"a": (np.dtype("O"), 0)}, 8, 1, 0)
            return np.dtype, ("V8", False, True), state

    class Scalar:
        def __reduce__(self) -> tuple[Any, ...]:
            return np.float64(1).__reduce__()[0], (Forged(), b"A" * 8)

    for value, message in ((Scalar(), "numbers of the type 'V8'"), (np.longdouble(1), "numbers of the type")):
        (tmp_path / "story_correlation.pkl").write_bytes(pickle.dumps([("A story.", value)]))
        with pytest.raises(ValueError, match=message):
            read_overall(tmp_path, "wp")
    for number in (np.float32(2.5), np.float64(2.5), np.int32(2), np.int64(2), 2.5, 2):
        (tmp_path / "story_correlation.pkl").write_bytes(pickle.dumps([("A story.", number)]))
        assert read_overall(tmp_path, "wp")[0]["score"] == float(number)
