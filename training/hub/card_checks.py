"""Checks that a card is complete: front matter, sections, and working links."""

from __future__ import annotations

import re
from pathlib import Path

from openmeva.training.common.cards import split_card

# Patterns that the headings of a card must match, and the fields that its front matter must have.
_SECTIONS = {
    "model": ("use", "training|how it was made", "results", "limit", "licen[cs]e", "citation"),
    "dataset": ("fields|columns", "limit", "licen[cs]e", "citation"),
    "space": ("what it (measures|does|shows)", "use", "limit", "licen[cs]e", "citation"),
}
_FRONT = {
    "model": ("license", "language", "tags"),
    "dataset": ("license", "language", "tags", "pretty_name"),
    "space": ("title", "license", "sdk", "tags"),
}
_HEADING = re.compile(r"^(#{1,6}) +(.+?)\s*$")
_RELATIVE_LINK = re.compile(r"\]\((?!\w+:|#)([^)\s#]+)")


def card_problems(kind: str, text: str) -> list[str]:
    """The problems of a card, one sentence each; empty for a complete card.

    Every heading must have text below it (its own or that of a deeper heading). The front matter and the sections that a
    card of this kind needs must exist.
    """
    try:
        front, body = split_card(text)
    except ValueError as error:
        return [str(error)]
    problems = [f"front matter: expected a value for '{key}'" for key in _FRONT[kind] if not front.get(key)]
    headings = _headings(body)
    problems += [f"section '{title}' is empty" for title, content in headings if not content]
    titles = " | ".join(title.lower() for title, _ in headings)
    problems += [
        f"expected a section on '{wanted}'" for wanted in _SECTIONS[kind] if not re.search(wanted, titles)
    ]
    return problems


def dead_links(text: str, folder: Path) -> list[str]:
    """Relative links of a card in `folder` that do not lead to a file in it, in order."""
    root = folder.resolve()
    return [
        link
        for link in dict.fromkeys(_RELATIVE_LINK.findall(text))
        if not ((target := (root / link).resolve()).is_file() and root in target.parents)
    ]


def _headings(body: str) -> list[tuple[str, bool]]:
    """Each heading, and whether there is text below it before the next of its own level or above."""
    headings: list[tuple[int, str, bool]] = []
    fenced = False
    for line in body.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        match = None if fenced else _HEADING.match(line)
        if match:
            headings.append((len(match[1]), match[2], False))
        elif line.strip() and headings and not line.lstrip().startswith("<!--"):
            level = headings[-1][0] + 1
            for index in range(len(headings) - 1, -1, -1):  # text fills its heading and those that enclose it
                if headings[index][0] < level:
                    level = headings[index][0]
                    headings[index] = (*headings[index][:2], True)
    return [(title, filled) for _, title, filled in headings]
