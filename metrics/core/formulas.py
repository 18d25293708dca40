"""Cells of CSV and TSV that no spreadsheet takes for a formula, and the texts that they stand for."""

import re

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def neutral(text: str) -> str:
    """A cell for a text: one that begins like a formula, and is no number, gets an apostrophe before it.

    Spreadsheets show such a text as it is, and run nothing. Other libraries, as pandas, read the apostrophe too;
    `plain` takes it away.

    >>> neutral("=1+1"), neutral("-0.5"), neutral("fine"), neutral("'=1+1")
    ("'=1+1", '-0.5', 'fine', "''=1+1")
    """
    return f"'{text}" if _guarded(text) else text


def plain(cell: str) -> str:
    """The text that `neutral` made a cell of; a cell that it would not make is taken as it is.

    >>> plain("'=1+1"), plain("'tis"), plain(neutral("'=1+1"))
    ('=1+1', "'tis", "'=1+1")
    """
    return cell[1:] if cell.startswith("'") and _guarded(cell[1:]) else cell


def _guarded(text: str) -> bool:
    """Whether a text begins like a formula, with or without apostrophes before it."""
    return text.lstrip("'").lstrip(" ").startswith(_STARTS) and not _NUMBER.fullmatch(text)
