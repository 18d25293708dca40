"""Ranges of numbers: types for the fields of configurations, and a check of a command's options."""

from typing import Annotated

from pydantic import Field

Positive = Annotated[int, Field(ge=1)]
Several = Annotated[int, Field(ge=2)]
Length = Annotated[int, Field(ge=8)]  # in tokens, special ones included
Count = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]  # as transformers and NumPy have it
Rate = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Percent = Annotated[int, Field(ge=0, le=100)]
Share = Annotated[float, Field(ge=0, le=1)]
Part = Annotated[float, Field(gt=0, le=1)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


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
