"""METEOR by NLTK, and the WordNet that its synonyms come from."""

from collections.abc import Sequence
from pathlib import Path

import nltk
from nltk.translate.meteor_score import meteor_score


def find_wordnet() -> None:
    """Makes sure that NLTK finds WordNet, beside its own folders in the checkout's `.resources`.

    Raises:
        ValueError: WordNet is in none of them (the message names the command that fetches it).
    """
    fetched = str(Path.cwd() / ".resources" / "nltk_data")
    for folder in ([], [fetched]):
        nltk.data.path += [path for path in folder if path not in nltk.data.path]
        for name in ("corpora/wordnet", "corpora/wordnet.zip"):
            try:
                nltk.data.find(name)
                return
            except LookupError:
                continue
    raise ValueError(
        "METEOR needs WordNet, which was not found: run `make resources` in the checkout, or "
        '`python -c "import nltk; nltk.download(\'wordnet\')"`; scores=["bleu", "rouge1", "rouge2", "rougeL"] '
        "does without it"
    )


def meteor(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """METEOR (Banerjee and Lavie 2005) of words, 0 to 1, higher is more alike; the best of the references.

    Words are aligned exactly, by Porter's stems, then by WordNet's synonyms. The harmonic mean weighs recall
    nine times precision (alpha .9), less a penalty for scattered matches (beta 3, gamma .5): the paper's own
    values, NLTK's defaults. Matches rest on lower case. WordNet has to be there: `find_wordnet`.
    """
    return float(meteor_score([list(words) for words in references], list(prediction)))
