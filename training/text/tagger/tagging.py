"""Penn Treebank part-of-speech tags, by NLTK's averaged perceptron with the project's own weights."""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from nltk.tag.perceptron import PerceptronTagger

from openmeva.training.text.tagger.batch_tagger import BatchTagger

TAGGER_FOLDER = Path(__file__).resolve().parent / "taggers" / "averaged_perceptron_tagger_eng"


def load_tagger(folder: Path = TAGGER_FOLDER) -> PerceptronTagger:
    """NLTK's tagger with the weights of a folder.

    The files are read here and not by `nltk.data.find`, which refuses group-writable folders, such as a checkout
    under umask 002.

    Raises:
        FileNotFoundError: a file is missing; `python -m training.text.tagger.trainer` writes them.
    """
    tagger = PerceptronTagger(load=False)
    parameters = []
    for name in tagger.param_files("eng"):
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"{folder / name} is missing: restore it from the repository, or train the tagger with"
                " `python -m training.text.tagger.trainer --data DIR`"
            )
        parameters.append(json.loads((folder / name).read_text(encoding="utf-8")))
    tagger.decode_json_params(parameters)
    return tagger


@lru_cache(maxsize=1)
def _shipped() -> BatchTagger:
    return BatchTagger(load_tagger())


def tag(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """Penn Treebank tags of tokenised sentences, cased or lower-cased.

    Accuracy on the test set of EWT is .933 cased and .928 lower-cased (`training.text.tagger.trainer
    --data DIR/ewt --evaluate`). A name placeholder (`[MALE]`, `[FEMALE]`, `[NEUTRAL]`) is always a proper noun,
    `NNP`. A sentence's tags depend on that sentence only. Many sentences in one call are much faster than many calls.

    Args:
        sentences: tokens by sentence; a sentence may be empty.

    Returns:
        One tag per token, in the same nesting.

    Raises:
        ValueError: a sentence that is a string, or a token that is empty or not a string (the message says which one).
        FileNotFoundError: the shipped weights are missing.

    Example:
        >>> tag([["[MALE]", "did", "n't", "like", "the", "red", "shoes", "."]])
        [['NNP', 'VBD', 'RB', 'VB', 'DT', 'JJ', 'NNS', '.']]
    """
    for row, words in enumerate(sentences):
        if isinstance(words, str):
            raise ValueError(f"sentence {row}: expected a list of tokens, got the string {words[:40]!r}")
        for index, word in enumerate(words):
            if not isinstance(word, str) or not word:
                raise ValueError(f"sentence {row}, token {index}: expected a non-empty string, got {word!r}")
    return _shipped().tag(sentences)
