"""The vocabulary of the shared encoder: the base's, pruned to the wordpieces of stories, with placeholders for names."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import BertForMaskedLM, BertTokenizer

from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.files import write_text

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Each placeholder is initialised with the mean embedding of these names.
STAND_INS = {
    "[MALE]": ("john", "tom", "james", "david", "michael"),
    "[FEMALE]": ("mary", "anna", "sarah", "lucy", "jane"),
    "[NEUTRAL]": ("alex", "sam", "chris", "taylor", "morgan"),
}


def prune_vocabulary(tokenizer: BertTokenizer, texts: Iterable[str], size: int) -> list[str]:
    """The `size` wordpieces to keep: special tokens, placeholders, ASCII characters, `STAND_INS`; then by frequency.

    Those that do not occur in `texts` come last.

    Raises:
        ValueError: `size` is less than the number of pieces that are always kept.
    """
    vocabulary = tokenizer.get_vocab()
    keep = [*SPECIAL, *PLACEHOLDERS]
    stand_ins = {name for names in STAND_INS.values() for name in names}
    keep += sorted(
        p for p in vocabulary if (len(p.removeprefix("##")) == 1 and p.isascii()) or p in stand_ins
    )
    if size < len(keep):
        raise ValueError(
            f"vocabulary_size: expected at least {len(keep)}, the pieces that are always kept, got {size}"
        )
    counts: Counter[str] = Counter()
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == 1000:
            for encoding in tokenizer.backend_tokenizer.encode_batch(batch, add_special_tokens=False):
                counts.update(encoding.tokens)
            batch = []
    for encoding in tokenizer.backend_tokenizer.encode_batch(batch, add_special_tokens=False):
        counts.update(encoding.tokens)
    kept = set(keep)
    ranked = sorted((p for p in counts if p not in kept), key=lambda p: (-counts[p], p))
    rest = sorted(p for p in vocabulary if p not in kept and p not in counts and not p.startswith("["))
    return [*keep, *ranked, *rest][:size]


def pruned_model(base: str | Path, pieces: Sequence[str], tokenizer: BertTokenizer) -> BertForMaskedLM:
    """The base encoder with the embeddings of `pieces`; placeholders are initialised with the mean of names.

    Raises:
        ValueError: the base's vocabulary lacks a piece.
    """
    model = BertForMaskedLM.from_pretrained(base, dtype=torch.float32)  # in half precision, AdamW diverges
    embeddings: Any = model.get_input_embeddings()
    table, vocabulary = embeddings.weight.data, tokenizer.get_vocab()
    missing = [piece for piece in pieces if piece not in STAND_INS and piece not in vocabulary]
    if missing:
        raise ValueError(
            f"{base}: expected a vocabulary with all {len(pieces)} wordpieces, it lacks {missing[:5]}"
        )
    rows = [
        table[[vocabulary[name] for name in STAND_INS[piece] if name in vocabulary]].mean(0)
        if piece in STAND_INS
        else table[vocabulary[piece]]
        for piece in pieces
    ]
    model.resize_token_embeddings(len(pieces))
    resized: Any = model.get_input_embeddings()
    resized.weight.data.copy_(torch.stack(rows))
    model.cls.predictions.bias.data.zero_()
    torch.nn.init.eye_(model.cls.predictions.transform.dense.weight)  # the base has no pretrained head
    model.tie_weights()
    return model


def new_tokenizer(pieces: Sequence[str]) -> BertTokenizer:
    """A tokenizer over `pieces` that does not split the placeholders."""
    tokenizer = BertTokenizer(
        vocab={piece: i for i, piece in enumerate(pieces)}, do_lower_case=True, model_max_length=512
    )
    tokenizer.add_tokens(list(PLACEHOLDERS), special_tokens=True)
    return tokenizer


def save_tokenizer(tokenizer: BertTokenizer, pieces: Sequence[str], folder: Path) -> None:
    """Saves a tokenizer and its vocabulary."""
    write_text(folder / "vocab.txt", "\n".join(pieces) + "\n")
    tokenizer.save_pretrained(folder)
