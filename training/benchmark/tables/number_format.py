"""Numbers as the tables print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# With fewer prompts, the bootstrap's intervals exclude 0 too often: for random scores in 20 % of the cases at 5 prompts
# of 20 stories, 10 % at 10 prompts of 5, and 6 % at 20 prompts of 3, instead of in 5 %.
FEW_PROMPTS = 20
# Likewise with fewer stories of one kind among 300: for random scores in 15 % of the cases with 5 (22 % if the scores are as
# skewed as perplexities), in 7 % (18 %) with 10, and in 5 % (10 %) with 20. Bias-corrected intervals are no better.
FEW_STORIES = 20


def format_number(value: float | None, digits: int = 3) -> str:
    """A coefficient without its leading zero, as all tables, cards and pages print it; a dash for None.

    If two digits would print 0, a third is added that may show the sign.

    >>> [format_number(value) for value in (-0.0412, None, 1.0, -0.0004)], format_number(-0.004, 2), format_number(0.0, 2)
    (['−.041', '–', '1.000', '.000'], '−.004', '.00')
    """
    if value is None:
        return "–"
    text = f"{abs(value):.{digits}f}"
    if value and digits < 3 and not float(text):
        text = f"{abs(value):.3f}"
    return ("−" if value < 0 and float(text) else "") + text.removeprefix("0")


def format_interval(ends: Sequence[float] | None) -> str:
    """The ends of an interval in brackets; empty for None.

    >>> format_interval([-0.004, 0.23])
    '[−.004, .23]'
    """
    return f"[{format_number(ends[0], 2)}, {format_number(ends[1], 2)}]" if ends else ""


def format_with_interval(cell: Mapping[str, Any], coefficient: str, digits: int = 3) -> str:
    """`.369 [.280, .452]`, or a dash."""
    if coefficient not in cell:
        return "–"
    ends = (cell.get("intervals") or {}).get(coefficient)
    return f"{format_number(cell[coefficient], digits)} {format_interval(ends)}".rstrip()


def format_ceiling(found: Mapping[str, Any], coefficient: str = "pearson", digits: int = 2) -> str:
    """The ceiling of `noise_ceiling`'s result with its interval, or a dash for an empty result."""
    return format_with_interval(
        {**found.get("ceiling", {}), "intervals": found.get("intervals")}, coefficient, digits
    )


def format_p_value(value: float | None) -> str:
    """Three digits, or `<.001`.

    >>> format_p_value(0.0000004), format_p_value(0.0312)
    ('<.001', '.031')
    """
    if value is None:
        return "–"
    return "<.001" if value < 0.0005 else format_number(value)


def row_title(row: Mapping[str, Any], stories: int) -> str:
    """A row's title, with a mark if the row has its own digest or number of stories (those of another build of the set).

    >>> row_title({"title": "UNION", "n": 1200}, 1198), row_title({"title": "PPL"}, 1198)
    ('UNION (1,200 rows)', 'PPL')
    >>> row_title({"title": "UNION", "n": 1198, "stories": "5bced9"}, 1198)
    'UNION (another build)'
    """
    if row.get("n", stories) != stories:
        return f"{row['title']} ({row['n']:,} rows)"
    return f"{row['title']} (another build)" if "stories" in row else row["title"]


def few_prompts_note(prompts: int) -> str:
    """A note that intervals are too narrow, if there are fewer than `FEW_PROMPTS`; else blank.

    >>> few_prompts_note(3), few_prompts_note(50)
    ('with only 3 prompts, intervals are too narrow', '')
    """
    return f"with only {prompts} prompts, intervals are too narrow" if prompts < FEW_PROMPTS else ""


def own_references_note(result: Mapping[str, Any]) -> str:
    """A note on a judged set with stories that are their own reference; blank if there is none.

    >>> own_references_note({"n": 462, "own_references": 42})
    '42 of the 462 stories are their own reference, so metrics that compare with the reference are too good here'
    >>> own_references_note({"n": 495})
    ''
    """
    count = result.get("own_references")
    return (
        f"{count:,} of the {result['n']:,} stories are their own reference, so metrics that compare with the reference are "
        "too good here"
        if count
        else ""
    )


def error_type_rule(raters: int) -> str:
    """When a story has an error type, from `raters` of `by_error_type`.

    >>> error_type_rule(3)
    'if at least 3 of its raters named it, or all of them if there are fewer'
    """
    if raters == 1:
        return "if a rater named it"
    return f"if at least {raters} of its raters named it, or all of them if there are fewer"


def few_stories_note(stories: Mapping[str, int]) -> str:
    """A note on the kinds of stories, of their numbers, with fewer than `FEW_STORIES`; blank if there are none.

    >>> few_stories_note({"repeated": 5, "chaotic": 61}), few_stories_note({"chaotic": 61})
    ('with fewer than 20 stories (repeated), intervals are too narrow', '')
    """
    few = ", ".join(kind for kind, number in stories.items() if number < FEW_STORIES)
    return f"with fewer than {FEW_STORIES} stories ({few}), intervals are too narrow" if few else ""
