"""Guesses the kind of a file from its first line."""

import csv


def table_kind(line: str) -> str:
    """`csv` or `tsv` for a heading with a column `story`, `txt` for any other line.

    >>> table_kind('id,"story"'), table_kind("story"), table_kind("A story, it was.")
    ('csv', 'csv', 'txt')
    """
    for kind, separator in (("csv", ","), ("tsv", "\t")):
        try:
            if "story" in next(csv.reader([line], delimiter=separator), ()):
                return kind
        except csv.Error:  # no heading: a very long line, or one with a carriage return
            continue
    return "txt"


def why_no_text(line: str) -> str:
    """What else a first line seems to be than a story; blank if it may be one.

    >>> why_no_text("id;story"), why_no_text("[ WP ] You wake up."), why_no_text("[")
    ("the heading of a table, 'id;story'", '', 'a JSON array')
    """
    if line.strip() == "[" or line.replace(" ", "").startswith("[{"):
        return "a JSON array"
    cells = line.replace(";", ",").replace("\t", ",").split(",")
    if len(cells) > 1 and "story" in {cell.strip(' "').lower() for cell in cells}:
        return f"the heading of a table, {line.strip()[:60]!r}"
    return ""
