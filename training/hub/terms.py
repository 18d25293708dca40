"""The project's licence and its notice, which go with what is published: of a checkout, else of the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

from openmeva.training.common.cards import read_card

LICENCE, NOTICE = "LICENSE", "NOTICE"


def terms(card: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """The licence where a card names Apache-2.0, the notice where it names any licence, each with where it lies.

    Args:
        card: a file; one that is not there, or says `unknown`, names none.
        root: of the project.

    Raises:
        ValueError: a card without front matter, or a file that is not there.
    """
    named = read_card(card)[0].get("license", "unknown") if card.is_file() else "unknown"
    licences = named if isinstance(named, list) else [named]
    if "apache-2.0" in licences:
        yield LICENCE, _place(LICENCE, root)
    if licences != ["unknown"]:
        yield NOTICE, _place(NOTICE, root)


def _place(name: str, root: Path) -> Path:
    if (root / name).is_file():
        return root / name
    for file in files("openmeva") or ():
        if file.parts[-2:] == ("licenses", name):
            return Path(str(file.locate()))
    raise ValueError(f"{root / name}: expected the project's {name}, found nothing")
