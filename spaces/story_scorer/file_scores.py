"""Scores of the stories of a file; `views` renders them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS, warnings_of
from openmeva.spaces.limits import MAX_FILE_CHARACTERS, MAX_ROWS
from openmeva.spaces.scorer import Patience, Score, Scorer
from openmeva.spaces.story_scorer.service import checked_text
from openmeva.spaces.texts import Text, check_corpus
from openmeva.spaces.verdicts import recommended_score
from openmeva.training.common.fields import field_of

KEPT_COLUMNS = ("story_id", "story", "context", "prompt", "reference")
# Of a file, at most so many stories and characters are scored at once; other requests are served in between.
_CHUNK_STORIES = 16
_CHUNK_CHARACTERS = 10_000


@dataclass(frozen=True)
class FileScores:
    """The scores of a file's stories.

    Attributes:
        rows: the rows of the file (the columns `KEPT_COLUMNS`) with a column for each number that has
            scores, and `warning`.
        main: the recommended metric's scores, for the stories that have one.
    """

    rows: list[dict[str, Any]]
    main: list[Score]


def file_texts(rows: Sequence[dict[str, Any]], corpus: str) -> list[Text]:
    """The stories of a file's rows.

    Raises:
        ValueError: too many rows or characters, no column `story`, or an invalid text (the row is named).
    """
    check_corpus(corpus)
    if len(rows) > MAX_ROWS:
        raise ValueError(
            f"The file has {len(rows):,} rows; please give at most {MAX_ROWS}, or use the metrics on your machine."
        )
    texts = []
    for number, row in enumerate(rows, 1):
        if "story" not in row:
            raise ValueError(
                f"Row {number} has no column 'story'; it has {', '.join(str(name)[:30] for name in list(row)[:6])}."
            )
        try:
            texts.append(checked_text(row["story"], field_of(row, "context"), _only_reference(row), corpus))
        except ValueError as error:
            raise ValueError(f"Row {number}: {error}") from None
    characters = sum(len(text.story) + len(text.context) + len(text.reference) for text in texts)
    if characters > MAX_FILE_CHARACTERS:
        raise ValueError(
            f"The file's stories have {characters:,} characters; please give at most {MAX_FILE_CHARACTERS:,}, or use the "
            "metrics on your machine."
        )
    return texts


def _only_reference(row: Mapping[str, Any]) -> object:
    """The reference of a row: a text or a list of one. Raises a ValueError if there are several."""
    reference = field_of(row, "reference")
    if not isinstance(reference, list):
        return reference
    if len(reference) > 1:
        raise ValueError(
            f"expected one reference, got {len(reference)}. On your own machine, `openmeva score` compares with several."
        )
    return reference[0] if reference else None


def score_file(scorer: Scorer, rows: Sequence[dict[str, Any]], corpus: str) -> Iterator[int | FileScores]:
    """Scores the stories of a file: yields how many are done, from 0, and finally the scores. Errors as `file_texts`."""
    texts = file_texts(rows, corpus)
    scores_by_row: list[list[Score]] = []
    yield 0
    for chunk in chunks(texts):
        scores_by_row += scorer.score(chunk, corpus, due=Patience.FILE.since())
        yield len(scores_by_row)
    scored = {score.number.title for scores in scores_by_row for score in scores if score.value is not None}
    warnings = warnings_of([text.whole(corpus) for text in texts], *USUAL_WORD_COUNTS[corpus])
    columns = [
        {
            **{name: row[name] for name in KEPT_COLUMNS if name in row},
            **{score.number.title: score.value for score in scores if score.number.title in scored},
            "warning": warning,
        }
        for row, scores, warning in zip(rows, scores_by_row, warnings, strict=True)
    ]
    yield FileScores(columns, [score for score in map(recommended_score, scores_by_row) if score is not None])


def chunks(texts: Sequence[Text]) -> Iterator[Sequence[Text]]:
    """Texts in parts, between which other requests are served; a text longer than a part is one of its own."""
    part: list[Text] = []
    for text in texts:
        characters = sum(len(other.story) + len(other.context) for other in [*part, text])
        if part and (len(part) == _CHUNK_STORIES or characters > _CHUNK_CHARACTERS):
            yield part
            part = []
        part.append(text)
    if part:
        yield part
