"""Checks the lower bounds of a command's numbers; every form of the command uses them."""


def check_minimum(minimum: int, **settings: int | None) -> None:
    """Checks that numbers are large enough.

    Args:
        minimum: the smallest allowed number.
        settings: numbers by name; None if not set.

    Raises:
        ValueError: a number is smaller; the message names its option.

    >>> check_minimum(1, processes=0)
    Traceback (most recent call last):
    ValueError: --processes: expected 1 or more, got 0
    """
    for name, value in settings.items():
        if value is not None and value < minimum:
            raise ValueError(f"--{name.replace('_', '-')}: expected {minimum} or more, got {value}")
