"""Model cards, generated from a run's manifest: what all of them share."""

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from openmeva.training.files import write_text

SOURCES = {  # whose the stories are, by corpus
    "roc": "ROCStories (Mostafazadeh et al. 2016) is distributed by its authors on request and may not be passed on.",
    "wp": "WritingPrompts (Fan et al. 2018) is text of Reddit's users and may not be passed on.",
}


def write_model_card(folder: Path, template: str, manifest: Mapping[str, Any], **fields: Any) -> None:
    """Writes `README.md` beside the weights in `folder`.

    Args:
        folder: of the weights.
        template: the card, for `str.format`: its fields are the manifest's keys, as in `{config[seed]}`, and `fields`.
            `{data}` is the rows of a table, a file and its SHA-256 each.
        manifest: what the run says of itself.
        fields: what the manifest does not say in so many words; each goes before a key of the same name.

    Raises:
        KeyError: a field of the template that neither has (it is named).
    """
    rows = "\n".join(f"| `{file}` | `{digest}` |" for file, digest in manifest["data"].items())
    write_text(folder / "README.md", template.format(**{**manifest, "data": rows, **fields}))


def card_command(write: Callable[[Path, dict[str, Any]], None], description: str | None) -> None:
    """The command of a card's module: writes the card in FOLDER anew, from the manifest there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="weights with their manifest.json")
    folder = parser.parse_args().folder
    write(folder, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))
