"""Checks the lower bounds of a command's numbers; every form of the command uses them."""


def check_least(least: int, **given: int | None) -> None:
    """Checks that numbers are large enough.

    Args:
        least: the smallest allowed number.
        given: settings by name; None if not set.

    Raises:
        ValueError: a number is smaller; the message names its option.

    >>> check_least(1, processes=0)
    Traceback (most recent call last):
    ValueError: --processes: expected 1 or more, got 0
    """
    for name, value in given.items():
        if value is not None and value < least:
            raise ValueError(f"--{name.replace('_', '-')}: expected {least} or more, got {value}")
