"""Resources that are fetched, not shipped: WordNet (required) and ConceptNet (optional).

    openmeva resources                       # both; ConceptNet may be missing
    openmeva resources --wordnet-only        # as `make resources`
    openmeva resources --conceptnet FILE     # from a local file; may be repeated

Both are stored below `.resources/` in a checkout, else in the user's cache. If the environment variable `NLTK_DATA` is
set, WordNet is stored in the folder that it names.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import nltk

from openmeva.training.paths import IN_CHECKOUT, RESOURCES
from openmeva.training.text.knowledge.conceptnet_files import FILE_NAME, fetch_conceptnet
from openmeva.training.text.knowledge.wordnet_files import fetch_wordnet, permission_advice, wordnet_path

COMMANDS = {
    "wordnet": f"`{'make resources' if IN_CHECKOUT else 'openmeva resources --wordnet-only'}`",
    "conceptnet": "`openmeva resources` (downloads about 500 MB), or `openmeva resources --conceptnet FILE` with your "
    "own copy",
}
"""How to fetch each resource; to be continued after `run`."""


class MissingResourceError(FileNotFoundError):
    """A resource that has not been fetched yet; the message names the command that fetches it."""


def nltk_data_folder() -> Path:
    """The folder to write WordNet to: the first folder of `$NLTK_DATA`, else `.resources/nltk_data`."""
    first = os.environ.get("NLTK_DATA", "").split(os.pathsep)[0]
    return Path(first).expanduser() if first else RESOURCES / "nltk_data"


def conceptnet_folder() -> Path:
    """The folder to write ConceptNet to: `.resources/conceptnet`."""
    return RESOURCES / "conceptnet"


def find_resource(name: str) -> Path | None:
    """The folder (or zip file) of WordNet, or the file of ConceptNet's assertions; None if not fetched.

    WordNet is searched in every folder of `$NLTK_DATA` and in `nltk.data.path`; a copy that NLTK refuses to read counts
    as missing.

    Raises:
        ValueError: a name other than "wordnet" and "conceptnet".
    """
    if name == "wordnet":
        return next(filter(None, map(wordnet_path, _nltk_data_folders())), None)
    if name == "conceptnet":
        file = conceptnet_folder() / FILE_NAME
        return file if file.is_file() else None
    raise ValueError(f"unknown resource {name!r}: expected one of {', '.join(COMMANDS)}")


def require_resource(name: str) -> Path:
    """As `find_resource`, but raises an error instead of returning None.

    Raises:
        MissingResourceError: not fetched, or refused by NLTK; the message names the command to run.
        ValueError: an unknown name.
    """
    path = find_resource(name)
    if path is None:
        refused = (
            next(filter(None, map(permission_advice, _nltk_data_folders())), None)
            if name == "wordnet"
            else None
        )
        if refused:
            raise MissingResourceError(refused)
        index = nltk_data_folder() / "corpora" / "wordnet" if name == "wordnet" else conceptnet_folder()
        raise MissingResourceError(f"{name} is not at {index}: run {COMMANDS[name]}")
    return path


def _nltk_data_folders() -> list[Path]:
    return [nltk_data_folder(), *map(Path, nltk.data.path)]


def lexicon_files() -> dict[str, Path]:
    """The files of the available resources: always WordNet, and ConceptNet if it has been fetched."""
    wordnet, conceptnet = require_resource("wordnet"), find_resource("conceptnet")
    files = {"wordnet": wordnet if wordnet.is_file() else wordnet / "data.noun"}
    return {**files, "conceptnet": conceptnet} if conceptnet else files


def warn_without_conceptnet() -> None:
    """Prints on standard error if ConceptNet is missing, since results differ without it."""
    if find_resource("conceptnet") is None:
        print(
            "ConceptNet has not been fetched: keywords and antonyms come from WordNet only "
            f"(to fetch it, run {COMMANDS['conceptnet']})",
            file=sys.stderr,
        )


def use_with_nltk() -> None:
    """Let NLTK's own functions (`nltk.corpus.wordnet`, METEOR) find the fetched WordNet.

    Raises:
        MissingResourceError: WordNet has not been fetched.
    """
    root = str(require_resource("wordnet").parents[1])
    if root not in nltk.data.path:
        nltk.data.path.insert(0, root)


def fetch(conceptnet: Sequence[Path] = (), wordnet_only: bool = False) -> None:
    """Fetches WordNet, and ConceptNet from files or, if it is missing, from its publisher, and prints their paths.

    If the publisher of ConceptNet cannot be reached, a message is printed, but no error is raised: ConceptNet is
    optional.

    Raises:
        FetchError: WordNet could not be fetched.
        FileNotFoundError, ValueError: a file of ConceptNet that is missing, a folder, or in no known format.
    """
    print(f"WordNet: {fetch_wordnet(nltk_data_folder())}")
    for path in conceptnet:
        print(f"ConceptNet: {fetch_conceptnet(conceptnet_folder(), path)}")
    if conceptnet or wordnet_only or find_resource("conceptnet") is not None:
        return
    try:
        print(f"ConceptNet: {fetch_conceptnet(conceptnet_folder())}")
    except RuntimeError as error:
        print(f"{error}\nIt is optional; without it, substitutions have fewer antonyms.", file=sys.stderr)
