"""Fetches WordNet when a Space starts: METEOR and the perturbations need it."""

from __future__ import annotations

import logging
import threading

from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.wordnet_files import FetchError, fetch_wordnet

_ONE = threading.Lock()  # the lab and its scorer both begin with it
_LOG = logging.getLogger(__name__)


def prepare() -> None:
    """Fetches WordNet where it is missing and lets NLTK find it; without it what needs it says so."""
    try:
        with _ONE:
            fetch_wordnet(resources.nltk_data_folder())
            resources.use_with_nltk()
    except (FetchError, OSError) as error:
        _LOG.warning("WordNet could not be fetched: %s", error)
