"""What operations know beside the stories: parts that were made with other knowledge have another signature."""

from collections.abc import Iterable
from pathlib import Path

from openmeva.training.files import checksum
from openmeva.training.text.knowledge.resources import find, lexicon_files


def knowledge(**files: str | Path) -> dict[str, str]:
    """What a signature says of WordNet and ConceptNet, and of the further files that an operation reads, by name."""
    known = {**files, **(lexicon_files() if find("wordnet") else {})}
    sums = {name: checksum(file)[:12] for name, file in known.items()}
    return {"wordnet": "none", "conceptnet": "none", **sums}


def check_there(files: Iterable[str | Path]) -> None:
    """A FileNotFoundError for the first file that is none."""
    for file in files:
        if not Path(file).is_file():
            raise FileNotFoundError(2, "No such file", str(file))
