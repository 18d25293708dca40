"""Reads GloVe's word vectors (Pennington et al. 2014), which SENTAVG's paper uses, from their text file."""

import math
from collections.abc import Collection, Iterator
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor

from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.common.backbone import init_placeholder_embeddings

_SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")


def read_glove(path: Path, words: Collection[str]) -> tuple[Tensor, Tokenizer]:
    """Vectors (words, width) of the words that the file contains, and a tokenizer that maps words to rows.

    Unknown words get the mean of these vectors. Placeholders for names get the mean of the names that they replace.

    Args:
        path: one word per line: the word and its numbers, separated by spaces, as in `glove.6B.300d.txt`.
        words: to read, in lower case.

    Raises:
        ValueError: a malformed line (the message names the line), or none of the words is in the file.
        OSError: no such file.
    """
    vectors_by_word = dict(_lines(path, frozenset(words)))
    if not vectors_by_word:
        raise ValueError(f"{path}: expected vectors of the stories' words, got none of {len(set(words)):,}")
    known_vectors = torch.tensor(list(vectors_by_word.values()))
    mean = known_vectors.mean(0, keepdim=True)
    tokens = [*_SPECIAL, *PLACEHOLDERS, *vectors_by_word]
    vectors = torch.cat([mean.repeat(len(tokens) - len(vectors_by_word), 1), known_vectors])
    tokenizer = Tokenizer(
        models.WordLevel({token: index for index, token in enumerate(tokens)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens([*_SPECIAL, *PLACEHOLDERS])
    init_placeholder_embeddings(vectors, tokenizer)
    return vectors, tokenizer


def _lines(path: Path, words: Collection[str]) -> Iterator[tuple[str, list[float]]]:
    width = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip(b"\n").split(b" ")
            width = width or len(values)
            if not width or len(values) != width:
                raise ValueError(
                    f"{path}, line {number}: expected a word and {width or 'its'} numbers, got {len(values)} after "
                    f"{word[:40].decode('utf-8', 'replace')!r}"
                )
            text = word.decode("utf-8", "replace")
            if text in words:
                yield text, _numbers(values, f"{path}, line {number}")


def _numbers(values: list[bytes], source: str) -> list[float]:
    try:
        numbers = [float(value) for value in values]
    except ValueError as error:
        raise ValueError(f"{source}: expected numbers, got {error}") from error
    if not all(map(math.isfinite, numbers)):
        raise ValueError(
            f"{source}: expected finite numbers, got {next(v for v in numbers if not math.isfinite(v))}"
        )
    return numbers
