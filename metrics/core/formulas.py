"""Guards CSV and TSV cells against being read as spreadsheet formulas, and restores the texts."""

import re

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def guard_formula(text: str) -> str:
    """The cell for a text: a text that begins like a formula and is not a number gets a leading apostrophe.

    Spreadsheets show such a text as it is and run nothing. Other libraries, such as pandas, keep the apostrophe;
    `unguard_formula` removes it.

    >>> guard_formula("=1+1"), guard_formula("-0.5"), guard_formula("fine"), guard_formula("'=1+1")
    ("'=1+1", '-0.5', 'fine', "''=1+1")
    """
    return f"'{text}" if _looks_like_formula(text) else text


def unguard_formula(cell: str) -> str:
    """The text from which `guard_formula` made a cell; other cells are returned unchanged.

    >>> unguard_formula("'=1+1"), unguard_formula("'tis"), unguard_formula(guard_formula("'=1+1"))
    ('=1+1', "'tis", "'=1+1")
    """
    return cell[1:] if cell.startswith("'") and _looks_like_formula(cell[1:]) else cell


def _looks_like_formula(text: str) -> bool:
    """Whether a text, leading apostrophes and spaces removed, begins like a formula and is not a number."""
    return text.lstrip("'").lstrip(" ").startswith(_STARTS) and not _NUMBER.fullmatch(text)
