"""The result of `compute` from the ratings of the prompts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from openmeva.metrics.llm_judge.asking import Usage
from openmeva.metrics.llm_judge.judging import Rating
from openmeva.metrics.llm_judge.settings import Settings

NO_CONTEXT = "the story has no context to be related to"


@dataclass(frozen=True)
class StoryPrompt:
    """A story in one aspect: its row and its prompt, or why there is no prompt."""

    aspect: str
    row: int
    prompt: str
    reason: str = ""


def collect_results(
    asked: Sequence[StoryPrompt],
    ratings: Mapping[str, Rating],
    settings: Settings,
    usage: Usage,
    details: bool,
) -> dict[str, Any]:
    """Means, scores, reasons and usage; see the module's `inputs_description`.

    Args:
        asked: every story in every aspect.
        ratings: by prompt.
        settings: for the order of the aspects and the prices.
        usage: of this run.
        details: whether to include replies and probabilities.
    """
    found: dict[str, Any] = {}
    by_aspect = {aspect: [one for one in asked if one.aspect == aspect] for aspect in settings.aspects}
    for aspect, own in by_aspect.items():
        rated = [ratings[one.prompt] if one.prompt else Rating(None, one.reason) for one in own]
        known = [rating.value for rating in rated if rating.value is not None]
        found |= {
            aspect: sum(known) / len(known) if known else None,
            f"{aspect}_scores": [rating.value for rating in rated],
            f"{aspect}_unscored": len(rated) - len(known),
            f"{aspect}_reasons": [rating.reason for rating in rated],
        }
    first = settings.aspects[0]
    main = {
        "score": found[first],
        **{key: found[f"{first}_{key}"] for key in ("scores", "unscored", "reasons")},
    }
    answers = [answer for rating in ratings.values() for answer in rating.answers]
    total = Usage()
    for answer in answers:
        total.add(answer)
    days = sorted(answer.date[:10] for answer in answers)
    result = {
        **main,
        **found,
        "usage": _priced(usage, settings),
        "total_usage": {
            key: value for key, value in _priced(total, settings).items() if key not in ("requests", "cached")
        },
        "answered_by": sorted({answer.model for answer in answers}),
        "dates": list(dict.fromkeys((days[0], days[-1]))) if days else [],
    }
    if details:
        rows: list[dict[str, Any]] = [{} for _ in by_aspect[first]]
        for one in asked:
            rating = ratings.get(one.prompt, Rating(None))
            rows[one.row][one.aspect] = {
                "replies": [answer.text for answer in rating.answers],
                "probabilities": {str(key): value for key, value in rating.probabilities.items()},
            }
        result["details"] = rows
    return result


def _priced(usage: Usage, settings: Settings) -> dict[str, Any]:
    cost = None
    if settings.prices is not None:
        price, price_of_replies = settings.prices
        cost = (usage.prompt_tokens * price + usage.completion_tokens * price_of_replies) / 1e6
    return {**asdict(usage), "cost": cost}
