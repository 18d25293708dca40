"""CoLA's sentences, human stories, and sentences as token ids."""

from pathlib import Path

from tokenizers import Tokenizer

from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.core.text import Normalizer
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.common.config import read_configs
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.files import read_lines
from openmeva.training.paths import CONFIGS, NAMES_FILE

FILES = {
    "train": "in_domain_train.tsv",
    "in_domain": "in_domain_dev.tsv",
    "out_of_domain": "out_of_domain_dev.tsv",
}
MAX_LENGTH = 128
HUMAN_STORIES = {"roc": 400, "wp": 100}  # for evaluation


class SentenceTokenizer:
    """Token ids of a sentence, truncated to `MAX_LENGTH` with special tokens.

    The sentence is normalised as the encoder's training text, except that names are not replaced by placeholders.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._normalizer = Normalizer()
        self._first, self._last, self.padding = (
            token_id(tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]")
        )

    def __call__(self, sentence: str) -> list[int]:
        """Ids of [CLS], the word pieces and [SEP]."""
        ids = self._tokenizer.encode(self._normalizer(sentence), add_special_tokens=False).ids
        return [self._first, *ids[: MAX_LENGTH - 2], self._last]


def read_cola(path: Path) -> tuple[list[str], list[int]]:
    """Sentences of a file of CoLA and their labels, 1 for acceptable and 0 for unacceptable.

    Raises:
        ValueError: no such file, an empty file, or an invalid line (with its number).
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; CoLA is at https://nyu-mll.github.io/CoLA")
    sentences, labels = [], []
    for number, line in read_lines(path):
        row = line.split("\t")
        if len(row) != 4 or row[1] not in {"0", "1"} or not row[3].strip():
            raise ValueError(
                f"{path}, line {number}: expected source, 0 or 1, mark and sentence, got {line[:60]!r}"
            )
        sentences.append(row[3])
        labels.append(int(row[1]))
    if not sentences:
        raise ValueError(f"{path}: expected CoLA's sentences, got an empty file")
    return sentences, labels


def human_stories(data: Path) -> dict[str, list[str]]:
    """Corpus to some of its held-out stories, evenly spaced, in the form that AUTOS uses (WP as passages).

    A corpus is skipped if `data` has no file of it, or lacks a file of the judged stories that must be excluded.

    Raises:
        ValueError: a damaged file.
    """
    stories = {}
    for name, corpus in read_configs(CorpusConfig, CONFIGS / "autos.yaml").items():
        available = any((data / file).is_file() for file in corpus.validation or corpus.train)
        if available and all((data / file).is_file() for file in corpus.exclude):
            rows = held_out_rows(corpus, data, NAMES_FILE, passages=corpus.block_words is not None)
            stories[name] = [row["story"] for row in evenly_spaced(rows, HUMAN_STORIES[name])]
    return stories
