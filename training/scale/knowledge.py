"""Knowledge that operations use in addition to the stories; it is part of the signature of their output."""

from collections.abc import Iterable
from pathlib import Path

from openmeva.training.files import checksum
from openmeva.training.text.knowledge.resources import find_resource, lexicon_files


def knowledge_checksums(**files: str | Path) -> dict[str, str]:
    """Signature entries, name to checksum, for WordNet, ConceptNet and the other files that an operation reads."""
    all_files = {**files, **(lexicon_files() if find_resource("wordnet") else {})}
    sums = {name: checksum(file)[:12] for name, file in all_files.items()}
    return {"wordnet": "none", "conceptnet": "none", **sums}


def check_files_exist(files: Iterable[str | Path]) -> None:
    """Raises FileNotFoundError for the first missing file."""
    for file in files:
        if not Path(file).is_file():
            raise FileNotFoundError(2, "No such file", str(file))
