"""Judged stories of a user's own file, in any of the file formats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openmeva.training.common.fields import field_of, prompt_of
from openmeva.training.files import Row, read_rows, text_of
from openmeva.training.judged.rating_sheets import (
    FORMAT,
    check_complete,
    is_blank,
    is_unrated,
    merge_ratings,
    number_of,
    ratings_in,
)

_SOURCE_NAMES = ("source_model", "system", "model")
_COMPLETE = ("story_id", "ratings", "score", "raters", "error_types")
_TOLERANCE = 0.01  # of a score and the mean of the ratings, as in `JudgedStories`


def read_judged_file(path: str | Path) -> list[dict[str, Any]]:
    """Rows of `story` with `ratings` (a list) or `score`, and other columns of `JudgedStory` if present.

    In a CSV or TSV file, a list is a cell of JSON (`[4, 5, 3]`) or of values separated by blanks, commas or
    semicolons (`4 5 3`). Instead of a list, a row may have numbered columns of ratings (`ratings_in`), or a single
    `rating` in each of several rows per story (`merge_ratings`). Ratings that are missing (null, NaN, blank) are left
    out.

    Without a `prompt`, a `context` counts as the prompt; without a `source_model`, a `system` or `model` as the source
    model. If no row has a `story_id`, an `id` counts as the `story_id`, provided that the ids are present and unique.

    Raises:
        ValueError: no rows; a row without a text in `story`, without ratings and score, or with one that is not a
            number; a column that only some rows have; a repeated `story_id`; a `score` that is not the mean of the
            `ratings`; or not one rater per rating (with its line).
    """
    rows = [_checked(row) for row in read_rows(path)]
    rows = _with_source_models(rows)
    if not any("ratings" in row.values for row in rows) and any("rating" in row.values for row in rows):
        rows = merge_ratings(rows)
    for row in rows:
        if "score" not in row.values and "ratings" not in row.values:
            raise ValueError(f"{row.where}: expected a number in 'rating', got nothing")
    for name in _COMPLETE:
        check_complete(rows, name)
    _check_ids(rows)
    for row in rows:
        _check_ratings(row)
    judged = [row.values for row in rows]
    # a story with a blank prompt is the only one of its prompt
    if any("prompt" in values for values in judged):
        judged = [{"prompt": "", **values} for values in judged]
    ids = {str(values["id"]) for values in judged if "id" in values}
    if len(ids) == len(judged) and not any("story_id" in values for values in judged):
        judged = [{**values, "story_id": values["id"]} for values in judged]
    return judged


def _checked(row: Row) -> Row:
    """The row with the values that are not blank, its lists and numbers parsed."""
    if not text_of(row).strip():
        raise ValueError(f"{row.where}: expected a story, got a blank one")
    values = {name: value for name, value in row.values.items() if not is_blank(value)}
    values |= ratings_in(row)
    if "ratings" in values:
        values["ratings"] = [number_of(rating, "ratings", row) for rating in values["ratings"]]
    elif is_unrated(values.get("rating")):
        values.pop("rating", None)
    else:
        values["rating"] = number_of(values["rating"], "rating", row)
    if "score" in values:
        values["score"] = number_of(values["score"], "score", row)
    elif "ratings" not in values and "rating" not in row.values:
        raise ValueError(f"{row.where}: {_missing(row)}")
    reference = field_of(values, "reference")
    if is_blank(reference) or reference == []:
        values.pop("reference", None)
    else:
        values["reference"] = reference
    if prompt := prompt_of(values):
        values["prompt"] = prompt
    return row._replace(values=values)


def _missing(row: Row) -> str:
    """What a row without a judgment lacks."""
    if any(name.startswith("rating") for name in row.values):  # ratings, rating_1
        return "expected one or more ratings, got nothing"
    if "score" in row.values:
        return "expected a number in 'score', got nothing"
    return f"expected {FORMAT}, got {', '.join(row.values):.200}"


def _with_source_models(rows: Sequence[Row]) -> list[Row]:
    """The rows with `source_model` from the first of its names that occurs."""
    for name in _SOURCE_NAMES:
        if any(name in row.values for row in rows):
            check_complete(rows, name)
            return [
                row._replace(values={**row.values, "source_model": str(row.values[name])}) for row in rows
            ]
    return [*rows]


def _check_ids(rows: Sequence[Row]) -> None:
    first: dict[str, Row] = {}
    for row in rows:
        if "story_id" in row.values and first.setdefault(str(row.values["story_id"]), row) is not row:
            name = str(row.values["story_id"])
            raise ValueError(
                f"{row.where}: expected each story_id once (or one row per 'rating'), got {name!r:.60} as in "
                f"{first[name].where}"
            )


def _check_ratings(row: Row) -> None:
    """Checks the score, the raters and the error types of a row against its ratings."""
    ratings, score = row.values.get("ratings", []), row.values.get("score")
    if ratings and score is not None and abs(score - sum(ratings) / len(ratings)) > _TOLERANCE:
        mean = sum(ratings) / len(ratings)
        raise ValueError(
            f"{row.where}: expected the mean of the ratings, {mean:.4g}, in 'score', got {score:.4g}"
        )
    if "raters" in row.values:
        raters = [str(rater) for rater in row.values["raters"]]
        if len(raters) != len(ratings) or len(set(raters)) != len(ratings):
            raise ValueError(
                f"{row.where}: expected {len(ratings)} different raters, one per rating, got {raters!s:.60}"
            )
    for types in row.values.get("error_types", []):
        if not isinstance(types, list):
            raise ValueError(
                f"{row.where}: expected a list of names for each rater in 'error_types', got {types!r:.60}"
            )
