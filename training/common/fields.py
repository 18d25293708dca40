"""The fields of a row of stories, whatever their columns are called."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from openmeva.metrics.core.inputs import is_missing

_OTHER_NAMES = {
    "context": ("contexts", "prompt"),
    "reference": ("references",),
    "story_id": ("id",),
}  # of columns


def field_of(row: Mapping[str, Any], field: str) -> Any:
    """The `story`, `context`, `reference` or `story_id` of a row, or None.

    A context may be called `prompt`, as in MANS; `contexts`, `references` and `id` are accepted, too. If the first of
    these is missing or blank, the next is used. Several references may be a JSON list of strings, as `write_rows` writes
    them into a table cell.

    >>> field_of({"story": "He ran.", "prompt": "Tell me."}, "context")
    'Tell me.'
    >>> field_of({"story": "He ran.", "reference": '["He left.", "He fell."]'}, "reference")
    ['He left.', 'He fell.']
    """
    values = (row.get(name) for name in (field, *_OTHER_NAMES.get(field, ())))
    given = [value for value in values if not is_missing(value)]
    with_text = (value for value in given if not (isinstance(value, str) and not value.strip()))
    content = next(with_text, given[0] if given else None)
    several = parse_json_list(content) if field == "reference" and isinstance(content, str) else None
    return content if several is None or not all(isinstance(text, str) for text in several) else several


def prompt_of(row: Mapping[str, Any]) -> str | None:
    """What a story was written for: its `prompt`, else its context as `field_of` finds it; None if both are blank.

    Stories with the same prompt are compared with each other. In a row with both, the context may hold more than the
    prompt.

    >>> prompt_of({"prompt": 7, "context": "He ran."}), prompt_of({"prompt": " ", "context": "He ran."}), prompt_of({})
    ('7', 'He ran.', None)
    """
    values = (row.get("prompt"), field_of(row, "context"))
    return next((str(value) for value in values if not is_missing(value) and str(value).strip()), None)


def story_id_of(row: Mapping[str, Any]) -> str | None:
    """The `story_id` of a row, else its `id`, as text; None if both are missing or blank.

    >>> story_id_of({"story_id": None, "id": 7}), story_id_of({"id": " "})
    ('7', None)
    """
    value = field_of(row, "story_id")
    return None if value is None or not str(value).strip() else str(value)


def column_of(names: Collection[str], field: str) -> str | None:
    """The name, among those of columns, under which `field_of` finds a field; None if there is none.

    >>> column_of(["story", "prompt"], "context")
    'prompt'
    """
    return next((name for name in (field, *_OTHER_NAMES.get(field, ())) if name in names), None)


def parse_json_list(cell: str) -> list[Any] | None:
    """The list that a table cell holds as JSON, or None.

    >>> parse_json_list('["He ran.", "He fell."]'), parse_json_list("He ran.")
    (['He ran.', 'He fell.'], None)
    """
    if not cell.lstrip().startswith("["):
        return None
    try:
        values: list[Any] = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return values
