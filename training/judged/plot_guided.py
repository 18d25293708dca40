"""The judged stories of the plot-guided paper (section 5.2): five raters per story, plausibility from 0 to 5."""

import math
from collections.abc import Sequence
from pathlib import Path

from openmeva.training.files import read_lines, read_rows
from openmeva.training.judged.rows import JudgedStory, find_file, rating_of

_STORY, _ANSWER = "Input.text", "Answer.text"
# The authors' metric scores of the judged stories, by corpus: the file order shows which stories are human.
PREDICTIONS = {"roc": "Pred_advROC_roberta.txt", "wp": "Pred_advWP_longformer.txt"}
_MACHINE = {"roc": "gpt2", "wp": "machine"}


def read_plot_guided_judgments(
    source: str | Path, corpus: str = "roc", order: Sequence[str] | None = None
) -> list[JudgedStory]:
    """The judged stories of `AMT_ROC.CSV` or `AMT_WP.CSV`, in the order of their first occurrence.

    A line is one rater's sheet of several stories: five of ROC, two of WP. There are no prompts.

    Args:
        source: the file (`.csv` or `.CSV`), or its folder.
        corpus: `roc` or `wp`, to find the file in a folder.
        order: the stories in the order of the authors' prediction file (`read_predictions`). Its first half is
            machine-generated, its second half human-written. The file does not say so, but 113 of the ROC stories
            are in ROCStories, all of them in the second half. Fills `source_model` ("human", and "gpt2" for ROC,
            "machine" for WP: the paper says GPT-2).

    Raises:
        ValueError: no file, a missing column (a story without its answer, or vice versa), an answer outside 0..5,
            or a story that is not in `order`.
    """
    path = find_file(source, (f"AMT_{corpus}.csv",))
    sheets = list(read_rows(path, "csv"))
    places = _places(list(sheets[0].values) if sheets else [], path)
    ratings: dict[str, dict[str, float]] = {}
    for sheet in sheets:
        rater = sheet.values["WorkerId"]
        for index in places:
            story, answer = f"{_STORY}{index}", f"{_ANSWER}{index}"
            if not sheet.values[story]:
                raise ValueError(f"{sheet.where}, {story}: expected a story, got none")
            by_rater = ratings.setdefault(without_separators(sheet.values[story]), {})
            if rater in by_rater:
                raise ValueError(f"{sheet.where}, {answer}: rater {rater} rates a story twice")
            by_rater[rater] = rating_of(sheet, answer, 0, 5)
    human = _human_stories(order, ratings) if order is not None else None
    rows: list[JudgedStory] = []
    for number, (story, by_rater) in enumerate(ratings.items()):
        row: JudgedStory = {
            "story_id": str(number),
            "story": story,
            "ratings": list(by_rater.values()),
            "score": sum(by_rater.values()) / len(by_rater),
            "raters": list(by_rater),
        }
        if human is not None:
            row["source_model"] = "human" if story in human else _MACHINE[corpus]
        rows.append(row)
    return rows


def read_plot_guided_release(folder: Path, corpus: str) -> list[JudgedStory]:
    """The judged stories in the authors' folder, with `source_model` if the prediction file is there.

    Raises:
        ValueError: as `read_plot_guided_judgments` and `read_predictions`.
    """
    predictions = folder / PREDICTIONS[corpus]
    order = list(read_predictions(predictions)) if predictions.exists() else None
    return read_plot_guided_judgments(folder, corpus, order)


def read_predictions(path: str | Path) -> dict[str, float]:
    """Scores by story from the authors' prediction file, in file order: `story TAB score` per line.

    Raises:
        ValueError: a line of another layout, or a story that an earlier line has (with the line's number).
    """
    predictions: dict[str, float] = {}
    for number, line in read_lines(path):
        story, _, score = line.rpartition("\t")
        try:
            value = float(score)
        except ValueError:
            value = math.nan
        if not without_separators(story) or not math.isfinite(value):
            raise ValueError(f"{path}, line {number}: expected 'story TAB score', got {line[:60]!r}")
        if without_separators(story) in predictions:
            raise ValueError(f"{path}, line {number}: expected each story once, got {story[:60]!r} again")
        predictions[without_separators(story)] = value
    return predictions


def without_separators(story: str) -> str:
    """The story without the `</s>` after each sentence.

    >>> without_separators("he ran . </s> he fell . </s> ")
    'he ran . he fell .'
    """
    return " ".join(story.replace("</s>", " ").split())


def _places(columns: Sequence[str], path: Path) -> list[str]:
    """The numbers of the stories on a sheet, from the header.

    Raises:
        ValueError: no story, a story without its answer (or vice versa), or no rater.
    """
    numbers = {
        name: sorted(column.removeprefix(name) for column in columns if column.startswith(name))
        for name in (_STORY, _ANSWER)
    }
    if "WorkerId" not in columns or not numbers[_STORY] or numbers[_STORY] != numbers[_ANSWER]:
        raise ValueError(
            f"{path}: expected the columns WorkerId, {_STORY}1, {_ANSWER}1 and so on, got {', '.join(columns)}"
        )
    return numbers[_STORY]


def _human_stories(order: Sequence[str], stories: dict[str, dict[str, float]]) -> set[str]:
    listed = [without_separators(story) for story in order]
    absent = set(stories) - set(listed)
    if absent:
        raise ValueError(f"{len(absent)} judged stories are not in the given order, as {min(absent)[:60]!r}")
    return set(listed[len(listed) // 2 :])
