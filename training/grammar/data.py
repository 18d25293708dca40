"""CoLA's sentences, and sentences as token ids."""

from pathlib import Path

from tokenizers import Tokenizer

from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.core.text import Normalizer
from openmeva.training.files import read_lines

FILES = {
    "train": "in_domain_train.tsv",
    "in_domain": "in_domain_dev.tsv",
    "out_of_domain": "out_of_domain_dev.tsv",
}
MAX_LENGTH = 128


class Pieces:
    """Token ids of a sentence, normalised as the encoder's training text was, cut at `MAX_LENGTH`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._normalizer = Normalizer()
        self._first, self._last, self.padding = (
            token_id(tokenizer, token) for token in ("[CLS]", "[SEP]", "[PAD]")
        )

    def __call__(self, sentence: str) -> list[int]:
        """[CLS], the pieces, [SEP]."""
        ids = self._tokenizer.encode(self._normalizer(sentence), add_special_tokens=False).ids
        return [self._first, *ids[: MAX_LENGTH - 2], self._last]


def read_cola(path: Path) -> tuple[list[str], list[int]]:
    """Sentences of a file of CoLA and their labels, 1 for acceptable.

    Raises:
        ValueError: no such file, or a line of another form (with its number).
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
