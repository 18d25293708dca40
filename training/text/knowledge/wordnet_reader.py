"""WordNet by NLTK's reader, loaded once."""

import os
from functools import lru_cache

from nltk.corpus.reader.wordnet import WordNetCorpusReader

from openmeva.training.text.knowledge import resources


@lru_cache(maxsize=1)
def wordnet() -> WordNetCorpusReader:
    """WordNet's reader, loaded at the first call (about 3 seconds).

    Raises:
        MissingResourceError: WordNet has not been fetched.
    """
    resources.use_with_nltk()
    from nltk.corpus import wordnet as reader

    reader.ensure_loaded()
    if hasattr(os, "register_at_fork"):
        # processes that share an open file also share its position, so reads would interfere
        os.register_at_fork(after_in_child=reader._data_file_map.clear)
    return reader
