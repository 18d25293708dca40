"""Lists of time words; all modules use these."""

from openmeva.training.text.word_set import word_set


def _both(singular: str) -> frozenset[str]:
    """Nouns and their plurals."""
    nouns = word_set(singular)
    return nouns | {f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s" for noun in nouns}


DAYS_FROM_NOW = word_set("today tonight tomorrow yesterday")
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_UNITS_BOTH = _both("minute hour day week month year")
_PARTS_OF_DAY = "morning afternoon evening night"

TIME_NOUNS = _both(
    f"""
    second minute hour day week month year decade century moment while {_PARTS_OF_DAY} noon midnight
    today tonight tomorrow yesterday weekend weekday semester season spring summer autumn winter fall
    birthday time {_WEEKDAYS}
    """
)
"""Nouns that name a time, and their plurals."""

COUNTED_TIMES = _UNITS_BOTH | _both("second moment") | word_set("night morning evening weekend semester")
"""Time words that may follow a number or "the next": "two hours later"."""

TIMES_WITHOUT_PREPOSITION = (
    _UNITS_BOTH
    | DAYS_FROM_NOW
    | word_set(_WEEKDAYS)
    | word_set(_PARTS_OF_DAY)
    | word_set(
        """
        time moment while weekend summer winter spring fall afterward afterwards
        lots lot bit mile miles way home
        """
    )
)
"""Last words of phrases of time, amount or place that look like an object but are not: "ran all day"."""

TIME_WORDS = (
    _UNITS_BOTH
    | DAYS_FROM_NOW
    | _both(f"second century {_PARTS_OF_DAY}")
    | word_set(
        """
        after before previously simultaneously currently meanwhile then now ever again once anytime when
        whenever while never always usually often sometimes early earlier late later lately already forever
        ago ending beginning previous simultaneous current temporary contemporary temporal past future
        present delay noon midnight finally eventually soon suddenly immediately afterwards afterward
        until till weekend someday sometime formerly recently meantime
        """
    )
)
"""Time words of any part of speech: a story with one is an example of temporal order."""
