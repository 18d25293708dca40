"""Checks of module inputs: columns of texts, and the options of `compute`."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any

_SHOWN = 60  # characters of a wrong value
_SURROGATE = re.compile("[\ud800-\udfff]")


class HaltedError(ValueError):
    """An error that is not caused by the given rows: no other rows could be scored either."""


class RowError(ValueError):
    """A value that a metric refuses, in one row of a column.

    Attributes:
        column: argument of `compute`: predictions, contexts or references.
        row: from 0.
        reason: what was expected, and what came.

    >>> print(RowError("contexts", 3, "expected a text, got a blank one"))
    contexts, row 3: expected a text, got a blank one
    """

    def __init__(self, column: str, row: int, reason: str) -> None:
        super().__init__(column, row, reason)  # so that it can be pickled
        self.column, self.row, self.reason = column, row, reason

    def __str__(self) -> str:
        return f"{self.column}, row {self.row}: {self.reason}"

    def without_row(self) -> str:
        """The message without the row, but with the name of a column other than the stories.

        >>> RowError("contexts", 3, "expected a string").without_row()
        'contexts: expected a string'
        """
        return self.reason if self.column == "predictions" else f"{self.column}: {self.reason}"


def no_words(column: str, row: int, text: str) -> RowError:
    """The error of a text without words."""
    return RowError(column, row, f"expected a text with words, got {text[:_SHOWN]!r}")


def as_list(values: Any, name: str, of: str = "strings") -> list[Any]:
    """`values` as a list: a list or another iterable (a column, a one-dimensional array, a generator).

    Raises:
        ValueError: a string, a mapping, a set, an array of other dimensions, a class, or not an iterable.

    >>> as_list((text for text in ("a", "b")), "predictions")
    ['a', 'b']
    """
    try:
        return _listed(values, of)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _listed(values: Any, of: str) -> list[Any]:
    """As `as_list`; the error does not begin with a name."""
    expected = f"expected a list of {of}, got {type(values).__name__}"
    dimensions = getattr(values, "ndim", 1)
    if dimensions != 1:
        raise ValueError(f"{expected} of {dimensions} dimensions")
    if isinstance(values, str | bytes | bytearray | Mapping | Set):
        raise ValueError(expected)
    if not isinstance(values, type) and hasattr(values, "to_pylist"):  # items of Arrow arrays are no values
        return list(values.to_pylist())
    try:
        rows: Iterable[Any] = iter(values)
    except TypeError as error:
        raise ValueError(f"{expected} ({_shown(values)})") from error
    return list(rows)


def without_surrogates(text: str) -> str:
    """The text with spaces for lone surrogates, which UTF-8 cannot encode.

    >>> without_surrogates("half \\ud83d a character")
    'half   a character'
    """
    return _SURROGATE.sub(" ", text)


def without_surrogates_in(value: Any) -> Any:
    """The value with `without_surrogates` of all its texts, also within lists and mappings, and of keys."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [without_surrogates_in(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates_in(key): without_surrogates_in(item) for key, item in value.items()}
    return value


def check_texts(texts: Any, name: str, blank: bool = False) -> list[str]:
    """`texts` as a list of strings that Arrow can store: lone surrogates become spaces.

    Raises:
        ValueError: not a list.
        RowError: a row that is not a string or, unless `blank`, a row of whitespace only.
    """
    rows = as_list(texts, name)
    return [_checked_text(text, name, row, blank) for row, text in enumerate(rows)]


def _checked_text(text: Any, column: str, row: int, blank: bool = False, expected: str = "a string") -> str:
    if not isinstance(text, str):
        raise RowError(column, row, f"expected {expected}, got {type(text).__name__} ({_shown(text)})")
    checked = without_surrogates(text)
    if not blank and not checked.strip():
        raise RowError(column, row, "expected a text, got a blank one")
    return checked


def check_reference_lists(references: Any) -> list[list[str]]:
    """References as one list of texts per row; a row that is a string counts as a list of one, an array's row as a list.

    Raises:
        ValueError: not a list.
        RowError: a row without a reference, or a reference that is blank or not a string.
    """
    rows = []
    if getattr(references, "ndim", 1) == 2 and hasattr(references, "tolist"):
        references = references.tolist()
    for row, texts in enumerate(as_list(references, "references", "strings, or of lists of strings")):
        try:
            several = [texts] if isinstance(texts, str) else _listed(texts, "strings, or a string")
        except ValueError as error:
            raise RowError("references", row, str(error)) from error
        if not several:
            raise RowError("references", row, "expected at least one reference, got none")
        expected = "a string or a list of strings"
        rows.append([_checked_text(text, "references", row, expected=expected) for text in several])
    return rows


def check_lengths(predictions: Sequence[str], column: Sequence[Any], name: str) -> None:
    """Raises a `ValueError` unless there is one value in `column` for each prediction."""
    if len(predictions) != len(column):
        raise ValueError(f"{name}: expected {len(predictions)}, one per prediction, got {len(column)}")


def chosen_names(requested: Any, available: Sequence[str]) -> list[str]:
    """The requested scores, one name or several; all if None.

    Raises:
        ValueError: an empty selection or an unknown name.
    """
    if requested is None:
        return list(available)
    chosen = [requested] if isinstance(requested, str) else as_list(requested, "scores", "names")
    if not chosen or not all(isinstance(name, str) and name in available for name in chosen):
        raise ValueError(f"scores: expected some of {', '.join(available)}, got {_shown(requested)}")
    return chosen


def is_missing(value: Any) -> bool:
    """Whether a value is None or one of pandas' missing values (NaN, NaT, NA), none of which equals itself."""
    if value is None or getattr(value, "ndim", None):
        return value is None
    try:
        return bool(value != value)
    except TypeError:  # NA has no truth value
        return True


def is_number(value: Any) -> bool:
    """Whether a value is a Python or numpy number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def parse_number(value: Any) -> float | None:
    """The value as a float, parsed if it is a string: infinite if a float cannot hold it, None if it is not a number.

    >>> parse_number("2.5"), parse_number(-(10**400)), parse_number("many")
    (2.5, -inf, None)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return None


def _whole_number(least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _optional(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or test(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


_COUNT = "a whole number above 0"
_OPTIONS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "batch_size": (_COUNT, _whole_number(1)),
    **dict.fromkeys(("layer", "repeated_ngram"), (f"{_COUNT} or None", _optional(_whole_number(1)))),
    **dict.fromkeys(
        ("explain", "costs", "idf", "show_progress", "one_error_only"), ("True or False", _is_flag)
    ),
    "context_is_part_of_story": ("True, False or None", _optional(_is_flag)),
    **dict.fromkeys(("blend", "dtype", "normalization", "padding_side"), ("a name", _is_name)),
    "draws": ("a whole number of at least 100", _whole_number(100)),
    "seed": ("a whole number of at least 0 or None", _optional(_whole_number(0))),
    "reasonable_above": ("a number or None", _optional(is_number)),
}


def check_options(options: Mapping[str, Any]) -> None:
    """Checks the types of options that modules share; each module checks itself which names it knows.

    Raises:
        ValueError: an option of another type, or out of range (the expected and the given value are named).

    >>> check_options({"batch_size": "3"})
    Traceback (most recent call last):
    ...
    ValueError: batch_size: expected a whole number above 0, got '3'
    """
    for name, value in options.items():
        if name in _OPTIONS:
            expected, test = _OPTIONS[name]
            if not test(value):
                raise ValueError(f"{name}: expected {expected}, got {_shown(value)}")


def _shown(value: Any) -> str:
    return f"{value!r:.{_SHOWN}}"
