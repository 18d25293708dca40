"""The project's licence and notice, which are published with each repository: from a checkout or the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

from openmeva.training.common.cards import read_card

LICENCE, NOTICE = "LICENSE", "NOTICE"


def licence_files(card: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """The licence where a card names Apache-2.0, the notice where it names any licence, each with its path.

    Args:
        card: path of the card; a missing card, or one with `unknown`, names no licence.
        root: root folder of the project.

    Raises:
        ValueError: a card without front matter, or a missing file.
    """
    named = read_card(card)[0].get("license", "unknown") if card.is_file() else "unknown"
    licences = named if isinstance(named, list) else [named]
    if "apache-2.0" in licences:
        yield LICENCE, _find(LICENCE, root)
    if licences != ["unknown"]:
        yield NOTICE, _find(NOTICE, root)


def _find(name: str, root: Path) -> Path:
    if (root / name).is_file():
        return root / name
    for file in files("openmeva") or ():
        if file.parts[-2:] == ("licenses", name):
            return Path(str(file.locate()))
    raise ValueError(f"{root / name}: expected the project's {name}, found nothing")
