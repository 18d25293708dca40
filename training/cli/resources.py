"""`openmeva resources`."""

from pathlib import Path
from typing import Annotated

import typer

from openmeva.training.processes import progress_to_stderr


def resources(
    conceptnet: Annotated[
        list[Path] | None,
        typer.Option(help="read ConceptNet from this file instead of the network; may be repeated"),
    ] = None,
    wordnet_only: Annotated[bool, typer.Option("--wordnet-only", help="don't fetch ConceptNet")] = False,
) -> None:
    """Fetch WordNet (needed by perturbations and negatives) and ConceptNet (used if available)."""
    if wordnet_only and conceptnet:
        raise ValueError("--wordnet-only, --conceptnet: expected one of them, got both")
    progress_to_stderr()
    from openmeva.training.text.knowledge.resources import fetch
    from openmeva.training.text.knowledge.wordnet_files import FetchError

    try:
        fetch(conceptnet or (), wordnet_only)
    except FetchError as error:
        raise ValueError(str(error)) from error
