"""HANNA (Chhun et al., COLING 2022): three raters per story, six criteria from 1 to 5; and released metric scores."""

from __future__ import annotations

import math
from pathlib import Path

from openmeva.training.files import Row, read_rows, text_of
from openmeva.training.judged.rows import JudgedStory, aggregate_criteria, find_file, rating_of

ANNOTATIONS_FILE = "hanna_stories_annotations.csv"
# Half of the set by prompts, one story per line, with the released scores of metrics and language models.
HALF_FILE = "hanna_half.jsonl.gz"
CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")


def read_hanna(folder: str | Path) -> list[JudgedStory]:
    """The judged stories in the order of their first occurrence in the file.

    A rating of a story is the rater's mean over the six criteria.

    Args:
        folder: contains the authors' file with one rating per row, or the half with one story per line; or such a file.

    Raises:
        ValueError: no such file, a missing column, a rating outside 1..5, or rows of one story with different texts.
    """
    path = find_file(folder, (ANNOTATIONS_FILE, HALF_FILE))
    if path.name.lower().removesuffix(".gz").endswith(".csv"):
        return _annotations(path)
    return [_story(row) for row in read_rows(path, "jsonl")]


def read_hanna_scores(folder: str | Path) -> dict[str, dict[str, float]]:
    """Released scores of metrics and language models, by story id and name; empty without the half.

    Raises:
        ValueError: a damaged file.
    """
    path = Path(folder) / HALF_FILE
    if not path.exists():
        return {}
    scores_by_story = {}
    for row in read_rows(path, "jsonl"):
        scores = row.values.get("metrics")
        if not isinstance(scores, dict) or "story_id" not in row.values:
            raise ValueError(f"{row.where}: expected 'story_id' and 'metrics', scores by metric name")
        values = [rating_of(row._replace(values=scores), name, -math.inf, math.inf) for name in scores]
        scores_by_story[str(row.values["story_id"])] = dict(zip(scores, values, strict=True))
    return scores_by_story


def _annotations(path: Path) -> list[JudgedStory]:
    stories: dict[str, list[Row]] = {}
    for row in read_rows(path, "csv"):
        same = stories.setdefault(text_of(row, "Story ID"), [])
        if same and text_of(row, "Story") != text_of(same[0], "Story"):
            raise ValueError(f"{row.where}: the text differs from that of the same story in {same[0].where}")
        same.append(row)
    judged = [
        _judged_story(rows[0], key, {name: [rating_of(row, name) for row in rows] for name in CRITERIA})
        for key, rows in stories.items()
    ]
    workers = [[str(row.values.get("Worker ID") or "") for row in rows] for rows in stories.values()]
    if all(all(names) and len(set(names)) == len(names) for names in workers):
        for story, names in zip(judged, workers, strict=True):
            story["raters"] = names
    return judged


def _judged_story(row: Row, key: str, ratings: dict[str, list[float]]) -> JudgedStory:
    model = text_of(row, "Model")
    return {
        "story_id": key,
        "prompt": text_of(row, "Prompt"),
        "reference": text_of(row, "Human"),
        "story": text_of(row, "Story"),
        "source_model": "human" if model == "Human" else model,
        **aggregate_criteria(ratings),
    }


def _story(row: Row) -> JudgedStory:
    names = {"prompt": "Prompt", "human_story": "Human", "story": "Story", "model": "Model"}
    ratings = row.values.get("ratings")
    if not isinstance(ratings, dict) or set(ratings) != set(CRITERIA) or "story_id" not in row.values:
        raise ValueError(f"{row.where}: expected 'story_id' and 'ratings' of {', '.join(CRITERIA)}")
    counts = {len(values) if isinstance(values, list) else 0 for values in ratings.values()}
    if len(counts) != 1 or counts == {0}:
        raise ValueError(
            f"{row.where}: expected non-empty lists of ratings of equal length, one for each criterion"
        )
    renamed = row._replace(values={new: row.values.get(old) for old, new in names.items()})
    checked = {
        name: [rating_of(row._replace(values={name: value}), name) for value in ratings[name]]
        for name in CRITERIA
    }
    return _judged_story(renamed, str(row.values["story_id"]), checked)
