"""Computes the story scorer's answers; `views` shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.spaces.alignment import ExplainedSentence, align
from openmeva.spaces.diagnosis import KINDS, Diagnosis, diagnose
from openmeva.spaces.limits import MAX_ROWS, check_text
from openmeva.spaces.scorer import Score, Scorer, Text, check_corpus

_CHUNK = 16  # stories of a file between which others get their turn


@dataclass(frozen=True)
class Answer:
    """All about one story.

    Attributes:
        text: the story.
        scores: of every metric.
        sentences: what they cost, and the words that UNION would change.
        explained_by: title of the metric that says what sentences cost.
        diagnosis: the likely error, by what would mend it.
        kinds: the probability of each kind of error, from metrics that give one.
    """

    text: Text
    scores: list[Score]
    sentences: list[ExplainedSentence]
    explained_by: str
    diagnosis: Diagnosis | None
    kinds: dict[str, float]


def answer(scorer: Scorer, story: str, context: str, reference: str, corpus: str) -> Answer:
    """Scores and reasons for one story.

    Raises:
        ValueError: a text that is blank or too long, or an unknown corpus, as a sentence for the user.
    """
    text = checked(story, context, reference, corpus)
    scores = scorer.score([text], corpus)[0]
    explained = scorer.explain(text, corpus)
    if not explained:
        return Answer(text, scores, [], "", None, {})
    whole = text.whole(corpus)
    explainer = next(iter(explained))
    edits: list[Any] = next((one["edits"] for one in explained.values() if "edits" in one), [])
    kinds: dict[str, float] = next((one["kinds"] for one in explained.values() if one.get("kinds")), {})
    diagnosis = None
    editor = next((name for name, one in explained.items() if "edits" in one), None)
    own = next((one.value for one in scores if one.metric == editor), None)
    if editor is not None and own is not None:
        diagnosis = diagnose(
            whole, explained[editor], own, lambda stories: _values(scorer, editor, stories, corpus)
        )
    sentences = align(whole, {"sentences": explained[explainer]["sentences"], "edits": edits})
    return Answer(text, scores, sentences, scorer.catalogue[explainer].title, diagnosis, dict(kinds))


def _values(scorer: Scorer, name: str, stories: Sequence[str], corpus: str) -> list[float]:
    rows = scorer.score([Text(story) for story in stories], corpus, only=[name])
    return [0.0 if row[0].value is None else row[0].value for row in rows]


def checked(story: object, context: object, reference: object, corpus: str) -> Text:
    """The texts of one story, within the limits; errors as `answer`."""
    check_corpus(corpus)
    return Text(
        check_text(story, "The story"),
        check_text(context, "The beginning or prompt", needed=False),
        check_text(reference, "The reference", needed=False),
    )


def as_dict(found: Answer) -> dict[str, Any]:
    """The answer as JSON holds it: what the API's `/score` returns."""
    return {
        "scores": [score_dict(score) for score in found.scores],
        "sentences": [
            {
                "text": "".join(word.text for word in sentence.words).strip(),
                "costs": round(sentence.gain, 4),
                "edits": [
                    {"word": word.text, "suggestion": word.suggestion}
                    for word in sentence.words
                    if word.suggestion is not None
                ],
            }
            for sentence in found.sentences
        ],
        "sentences_by": found.explained_by,
        "kinds_of_error": {name: round(value, 4) for name, value in found.kinds.items()},
        "likely_error": None
        if found.diagnosis is None
        else {
            "kind": found.diagnosis.kind,
            "meaning": KINDS[found.diagnosis.kind],
            "sentences": list(found.diagnosis.sentences),
            "gain": round(found.diagnosis.gain, 4),
        },
    }


def score_dict(score: Score) -> dict[str, Any]:
    """One number as JSON holds it."""
    return {
        "metric": score.metric,
        "name": score.number.title,
        "score": score.value,
        "better": "higher" if score.number.higher else "lower",
        "note": score.note,
        "better_than_percent": {one.label: round(one.better_than, 1) for one in score.placements},
    }


def file_texts(rows: Sequence[dict[str, Any]], corpus: str) -> list[Text]:
    """The stories of a file's rows.

    Raises:
        ValueError: too many rows, no column `story`, or a text that is not in order (its row is named).
    """
    check_corpus(corpus)
    if len(rows) > MAX_ROWS:
        raise ValueError(
            f"The file has {len(rows):,} rows; please give at most {MAX_ROWS}, or use the metrics on your machine."
        )
    texts = []
    for place, row in enumerate(rows, 1):
        if "story" not in row:
            raise ValueError(
                f"Row {place} has no column 'story'; it has {', '.join(str(name)[:30] for name in list(row)[:6])}."
            )
        try:
            texts.append(checked(row["story"], row.get("context"), row.get("reference"), corpus))
        except ValueError as error:
            raise ValueError(f"Row {place}: {error}") from None
    return texts


def score_file(
    scorer: Scorer, rows: Sequence[dict[str, Any]], corpus: str, progress: Callable[[int, int], None]
) -> list[dict[str, Any]]:
    """The file's rows (`story_id`, `story`, `context`, `reference`) with a column for each number that has scores.

    `progress` is told how many rows are done, of how many. Errors as `file_texts`.
    """
    texts = file_texts(rows, corpus)
    found: list[list[Score]] = []
    progress(0, len(texts))
    for chunk in _chunks(texts):
        found += scorer.score(chunk, corpus)
        progress(len(found), len(texts))
    scored = {score.number.title for scores in found for score in scores if score.value is not None}
    return [
        {
            **{name: row[name] for name in ("story_id", "story", "context", "reference") if name in row},
            **{score.number.title: score.value for score in scores if score.number.title in scored},
        }
        for row, scores in zip(rows, found, strict=True)
    ]


def _chunks(texts: Sequence[Text]) -> Iterator[Sequence[Text]]:
    for start in range(0, len(texts), _CHUNK):
        yield texts[start : start + _CHUNK]
