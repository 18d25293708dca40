"""The bounds of a command's numbers, kept where its settings are, so that every form of the command has them."""


def check_least(least: int, **given: int | None) -> None:
    """Refuses numbers that are too small.

    Args:
        least: the smallest one that is taken.
        given: settings by name; None where nobody gave one.

    Raises:
        ValueError: a smaller number, named as its option is.

    >>> check_least(1, processes=0)
    Traceback (most recent call last):
    ValueError: --processes: expected 1 or more, got 0
    """
    for name, value in given.items():
        if value is not None and value < least:
            raise ValueError(f"--{name.replace('_', '-')}: expected {least} or more, got {value}")
