"""Guards CSV and TSV cells against being read as spreadsheet formulas, and restores the texts."""

import re

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def neutral(text: str) -> str:
    """The cell for a text: a text that begins like a formula and is not a number gets a leading apostrophe.

    Spreadsheets show such a text as it is and run nothing. Other libraries, such as pandas, keep the apostrophe;
    `plain` removes it.

    >>> neutral("=1+1"), neutral("-0.5"), neutral("fine"), neutral("'=1+1")
    ("'=1+1", '-0.5', 'fine', "''=1+1")
    """
    return f"'{text}" if _guarded(text) else text


def plain(cell: str) -> str:
    """The text from which `neutral` made a cell; other cells are returned unchanged.

    >>> plain("'=1+1"), plain("'tis"), plain(neutral("'=1+1"))
    ('=1+1', "'tis", "'=1+1")
    """
    return cell[1:] if cell.startswith("'") and _guarded(cell[1:]) else cell


def _guarded(text: str) -> bool:
    """Whether a text, leading apostrophes and spaces removed, begins like a formula and is not a number."""
    return text.lstrip("'").lstrip(" ").startswith(_STARTS) and not _NUMBER.fullmatch(text)
