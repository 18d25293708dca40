"""The result of `compute` from the ratings of the prompts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from openmeva.metrics.llm_judge.judging import Rating
from openmeva.metrics.llm_judge.request_runner import Usage
from openmeva.metrics.llm_judge.settings import Settings

_OTHER_KEYS = frozenset(
    "score scores unscored reasons usage total_usage answered_by dates signature details warnings".split()
)
_PER_STORY = ("scores", "unscored", "reasons")
NO_CONTEXT = "the story has no context to be related to"


@dataclass(frozen=True)
class StoryPrompt:
    """A story in one aspect: its row and its prompt, or why there is no prompt."""

    aspect: str
    row: int
    prompt: str
    reason: str = ""


def is_free(aspect: str) -> bool:
    """Whether an aspect may have this name: no other key of a result does."""
    return aspect not in _OTHER_KEYS and not aspect.endswith(tuple(f"_{key}" for key in _PER_STORY))


def collect_results(
    story_prompts: Sequence[StoryPrompt],
    ratings: Mapping[str, Rating],
    settings: Settings,
    usage: Usage,
    details: bool,
) -> dict[str, Any]:
    """Means, scores, reasons and usage; see the module's `inputs_description`.

    Args:
        story_prompts: every story in every aspect.
        ratings: by prompt.
        settings: for the order of the aspects and the prices.
        usage: of this run.
        details: whether to include replies and probabilities.
    """
    summaries: dict[str, Any] = {}
    by_aspect = {
        aspect: [story_prompt for story_prompt in story_prompts if story_prompt.aspect == aspect]
        for aspect in settings.aspects
    }
    for aspect, aspect_prompts in by_aspect.items():
        rated = [
            ratings[story_prompt.prompt] if story_prompt.prompt else Rating(None, story_prompt.reason)
            for story_prompt in aspect_prompts
        ]
        values = [rating.value for rating in rated if rating.value is not None]
        summaries |= {
            aspect: sum(values) / len(values) if values else None,
            f"{aspect}_scores": [rating.value for rating in rated],
            f"{aspect}_unscored": len(rated) - len(values),
            f"{aspect}_reasons": [rating.reason for rating in rated],
        }
    first = settings.aspects[0]
    main = {
        "score": summaries[first],
        **{key: summaries[f"{first}_{key}"] for key in _PER_STORY},
    }
    answers = [answer for rating in ratings.values() for answer in rating.answers]
    total = Usage()
    for answer in answers:
        total.add(answer)
    days = sorted(answer.date[:10] for answer in answers)
    result = {
        **main,
        **summaries,
        "usage": _priced(usage, settings),
        "total_usage": {
            key: value for key, value in _priced(total, settings).items() if key not in ("requests", "cached")
        },
        "answered_by": sorted({answer.model for answer in answers}),
        "dates": list(dict.fromkeys((days[0], days[-1]))) if days else [],
    }
    if details:
        rows: list[dict[str, Any]] = [{} for _ in by_aspect[first]]
        for story_prompt in story_prompts:
            rating = ratings.get(story_prompt.prompt, Rating(None))
            rows[story_prompt.row][story_prompt.aspect] = {
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
