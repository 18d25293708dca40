"""Compares two systems on the same prompts: mean difference of the recommended metric's score, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.text_warnings import USUAL_WORD_COUNTS, warnings_of
from openmeva.spaces.scorer import Patience, Score, Scorer
from openmeva.spaces.story_scorer.file_scores import chunks, file_texts
from openmeva.spaces.texts import Text
from openmeva.spaces.verdicts import recommended_score
from openmeva.training.statistics.systems import SystemDifference, compare_systems, match_systems

SHOWN_PAIRS = 3  # number of pairs with the greatest difference that are shown
Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Pair:
    """One story per system for the same prompt (blank where not known), and the score of each story."""

    prompt: str
    stories: tuple[str, str]
    scores: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Comparison(SystemDifference):
    """The comparison of two files.

    Attributes:
        title: title of the metric's number.
        pairs: in the first file's order.
        warnings: one per story, those of the first file before those of the second.
    """

    title: str
    pairs: list[Pair]
    warnings: list[str | None]

    @property
    def most_different(self) -> list[Pair]:
        """The pairs that differ most."""
        return sorted(self.pairs, key=lambda pair: -abs(pair.scores[0] - pair.scores[1]))[:SHOWN_PAIRS]


def compare(scorer: Scorer, first: Rows, second: Rows, corpus: str) -> Iterator[tuple[int, int] | Comparison]:
    """Compares the stories of two files: yields how many stories are scored and of how many, and finally the comparison.

    Raises:
        ValueError: rows that do not belong together, too few prompts (or pairs), or what `file_texts` raises.
    """
    for name, rows in (("First file", first), ("Second file", second)):
        try:
            file_texts(rows, corpus)  # messages name rows by their place in the file, not in the pairs
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    try:
        matched = match_systems(first, second)
    except ValueError as error:
        raise ValueError(_sentence(error)) from None
    texts_by_file = [
        file_texts([rows[pair[number]] for pair in matched], corpus)
        for number, rows in enumerate((first, second))
    ]
    scores: list[list[Score | None]] = []
    yield 0, 2 * len(matched)
    for texts in texts_by_file:
        done: list[Score | None] = []
        scores.append(done)
        for chunk in chunks(texts):
            due = Patience.FILE.since()
            done += map(recommended_score, scorer.score(chunk, corpus, [DEFAULT_METRIC], due))
            yield sum(map(len, scores)), 2 * len(matched)
    yield _comparison(texts_by_file, scores, corpus)


def _comparison(
    texts_by_file: Sequence[Sequence[Text]], scores: Sequence[Sequence[Score | None]], corpus: str
) -> Comparison:
    """The comparison of two files of matched stories and their scores."""
    pairs = [(a, b, _value(x), _value(y)) for a, b, x, y in zip(*texts_by_file, *scores, strict=True)]
    main = next((score for score in scores[0] if score is not None), None)
    try:
        difference = compare_systems(
            [(x, y) for _, _, x, y in pairs],
            [a.context or b.context for a, b, _, _ in pairs],
            main is None or main.number.higher,
        )
    except ValueError as error:
        raise ValueError(_sentence(error)) from None
    return Comparison(
        **asdict(difference),
        title=main.number.title if main is not None else "",
        pairs=[
            Pair(a.context or b.context, (a.story, b.story), (x, y))
            for a, b, x, y in pairs
            if x is not None and y is not None
        ],
        warnings=warnings_of(
            [text.whole(corpus) for texts in texts_by_file for text in texts], *USUAL_WORD_COUNTS[corpus]
        ),
    )


def _value(score: Score | None) -> float | None:
    return None if score is None else score.value


def _sentence(error: ValueError) -> str:
    """The message as the page shows it."""
    message = str(error)
    return f"{message[:1].upper()}{message[1:]}."
