"""Contextual embeddings of a text's tokens and words, by the shared encoder or any other that transformers loads."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModel

from openmeva.metrics.core.batching import Progress, length_batches, sentence_windows
from openmeva.metrics.core.checkpoint import (
    load_checkpoint,
    read_model_config,
    read_tokenizer,
    weights_checksum,
)
from openmeva.metrics.core.classifier import max_positions, new_encoder
from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.runtime import (
    PrecisionCache,
    build_model,
    choose_device,
    choose_dtype,
    float32_initialization,
    inference,
    load_pretrained,
    pad,
)
from openmeva.metrics.core.text import Normalizer

_WORD = re.compile(r"\w+|[^\w\s]")
_CHUNK = 64  # tokens: a text beyond the limit without sentence ends may be cut at multiples of it


@dataclass(frozen=True)
class EmbeddedText:
    """The embeddings of a text.

    Attributes:
        ids: token ids, special tokens included, (t,).
        special: which of them are special tokens, (t,).
        tokens: hidden states of the tokens, float32, (t, width).
        words: the words that are scored: those with a letter or digit, or all where none has.
        vectors: mean hidden state of each word's tokens, float32, (words, width).
    """

    ids: np.ndarray
    special: np.ndarray
    tokens: np.ndarray
    words: tuple[str, ...]
    vectors: np.ndarray


@dataclass(frozen=True)
class _Pieces:
    """Token ids of a text without special tokens, the index of each token's word in `words` (-1: not scored), and the
    windows of tokens that are encoded."""

    ids: list[int]
    word_ids: np.ndarray
    words: tuple[str, ...]
    windows: list[tuple[int, int]]


class TextEncoder:
    """Embeds texts with one encoder, loaded once; a copy of the model is kept for each dtype.

    For the shared encoder a text is normalised like the encoder's training texts, and words are those of
    `Normalizer`. For another encoder its own tokenizer reads the text unchanged, and words are sequences of letters
    and digits. A text beyond `max_length` tokens is read in overlapping windows. The hidden state of a token in several
    windows is the mean over them.

    Attributes:
        settings: the metric's settings in the checkpoint, empty for other encoders.
        revision: the first 12 digits of the SHA-256 of the weights.
        layers: number of layers of the encoder.
    """

    def __init__(self, folder: Path) -> None:
        """Loads a checkpoint of this metric, or an encoder in transformers' own format.

        Raises:
            ValueError: files are missing or damaged (they are named).
        """
        self.normalizer: Normalizer | None = None
        if "embedding_similarity" in read_model_config(folder):
            checkpoint = load_checkpoint(folder, "embedding_similarity")
            self.settings = checkpoint.settings
            self.revision = checkpoint.revision
            self.normalizer = Normalizer()
            self.tokenizer = checkpoint.tokenizer
            state = {name.removeprefix("bert."): tensor for name, tensor in checkpoint.state.items()}
            self.model: Any = build_model(lambda: new_encoder(checkpoint.model_config), state, folder)
            self.max_length: int = checkpoint.settings["max_length"]
        else:
            self.settings = {}
            self.revision = weights_checksum(folder / FULL_MODEL)[:12]
            with float32_initialization():
                kind = type(AutoModel.from_config(AutoConfig.from_pretrained(folder)))
                self.model = load_pretrained(
                    kind, folder, allowed="pooler.", dtype=torch.float32, use_safetensors=True
                )
            self.tokenizer = read_tokenizer(folder)
            self.max_length = min(512, max_positions(self.model.config) or 512)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.model.eval()
        self._precisions = PrecisionCache(self.model)
        self.layers: int = self.model.config.num_hidden_layers
        self.padding = self.model.config.pad_token_id or 0
        example = self.tokenizer.encode("a")
        begin = example.special_tokens_mask.index(0)
        end = len(example.ids) - example.special_tokens_mask[::-1].index(0)
        self.prefix, self.suffix = example.ids[:begin], example.ids[end:]

    def embed(
        self,
        texts: Sequence[str],
        batch_size: int = 64,
        device: str | torch.device | None = None,
        dtype: str = "auto",
        layer: int | None = None,
        progress: Progress | None = None,
    ) -> list[EmbeddedText]:
        """Embeddings of texts, in order, from one forward pass over each.

        Args:
            texts: each with at least one word.
            batch_size: windows per batch.
            device: default: chosen automatically.
            dtype: `auto`, `float32` or `bfloat16`, of the encoder; embeddings are float32.
            layer: the layer whose output is used, 1 to `layers`; default: the last.
            progress: wraps the batches.

        Raises:
            ValueError: a text without words (its beginning is given), or no such layer.
        """
        self.check_layer(layer)
        target_device = choose_device(device)
        self.model = self._precisions.get(target_device, choose_dtype(dtype, target_device))
        prepared = self._prepare(texts)
        jobs = [(row, window) for row, pieces in enumerate(prepared) for window in pieces.windows]
        embedded: dict[int, EmbeddedText] = {}
        sums: dict[int, np.ndarray] = {}  # of the hidden states of texts of several windows, and of how many
        counts: dict[int, np.ndarray] = {}
        unread = [len(pieces.windows) for pieces in prepared]
        for batch in length_batches([end - start for _, (start, end) in jobs], batch_size, progress):
            rows = [
                [*self.prefix, *prepared[jobs[job][0]].ids[slice(*jobs[job][1])], *self.suffix]
                for job in batch
            ]
            for job, states in zip(batch, self._forward(rows, target_device, layer), strict=True):
                row, window = jobs[job]
                pieces = prepared[row]
                unread[row] -= 1
                if len(pieces.windows) == 1:
                    length = len(self.prefix) + len(pieces.ids) + len(self.suffix)
                    embedded[row] = self._finish(pieces, states[:length])
                    continue
                self._add(sums, counts, row, pieces, window, states)
                if not unread[row]:
                    embedded[row] = self._finish(pieces, sums.pop(row) / counts.pop(row)[:, None])
        return [embedded[row] for row in range(len(texts))]

    def has_words(self, text: str) -> bool:
        """Whether a text has at least one word and one token; tokenizers drop some rare characters."""
        if any(c.isascii() and c.isalnum() for c in text):
            return True
        line, spans, _ = self._words(text)
        return bool(spans and self.tokenizer.encode(line, add_special_tokens=False).ids)

    def pieces(self, text: str) -> tuple[list[int], tuple[str, ...]]:
        """Token ids of a text, without special tokens, and the words that are scored."""
        (prepared,) = self._prepare([text])
        return prepared.ids, prepared.words

    def _words(self, text: str) -> tuple[str, list[tuple[int, int]], list[int]]:
        """The text for the tokenizer, the span of each word in it, and the number of words per sentence."""
        if self.normalizer is None:
            return text.strip(), [match.span() for match in _WORD.finditer(text.strip())], []
        sentences = self.normalizer.sentences(text)
        words = [word for sentence in sentences for word in sentence]
        ends = list(accumulate((len(word) + 1 for word in words), initial=0))
        spans = [(start, start + len(word)) for start, word in zip(ends, words, strict=False)]
        return " ".join(words), spans, [len(sentence) for sentence in sentences]

    def _prepare(self, texts: Sequence[str]) -> list[_Pieces]:
        split_texts = [self._words(text) for text in texts]
        encodings = self.tokenizer.encode_batch(
            [line for line, _, _ in split_texts], add_special_tokens=False
        )
        for text, (_, spans, _), encoding in zip(texts, split_texts, encodings, strict=True):
            if not spans or not encoding.ids:
                raise ValueError(f"expected a text with words, got {text[:60]!r}")
        limit = self.max_length - len(self.prefix) - len(self.suffix)
        prepared = []
        for (line, spans, sizes), encoding in zip(split_texts, encodings, strict=True):
            starts = np.array([start for start, _ in spans])
            ends = np.array([end for _, end in encoding.offsets])
            word_ids = np.maximum(np.searchsorted(starts, ends - 1, side="right") - 1, 0)
            words = [line[start:end] for start, end in spans]
            counted = np.array([any(map(str.isalnum, word)) for word in words])
            if not counted[word_ids].any():
                counted[:] = True
            kept_words = [index for index in dict.fromkeys(word_ids.tolist()) if counted[index]]
            number = np.full(len(words), -1)
            number[kept_words] = np.arange(len(kept_words))
            windows = _windows(word_ids, sizes, limit)
            prepared.append(
                _Pieces(encoding.ids, number[word_ids], tuple(words[i] for i in kept_words), windows)
            )
        return prepared

    def check_layer(self, layer: int | None) -> None:
        """Raises a ValueError for a layer that the encoder does not have; None, its last, is allowed."""
        if layer is not None and not 1 <= layer <= self.layers:
            raise ValueError(f"layer: expected 1 to {self.layers}, got {layer}")

    def _forward(self, rows: list[list[int]], device: torch.device, layer: int | None) -> np.ndarray:
        ids, mask = pad(rows, self.padding)
        inner = layer is not None and layer < self.layers
        with inference(device):
            output = self.model(ids.to(device), attention_mask=mask.to(device), output_hidden_states=inner)
        states: Tensor = output.hidden_states[layer] if inner else output.last_hidden_state
        return states.float().cpu().numpy()

    def _add(
        self,
        sums: dict[int, np.ndarray],
        counts: dict[int, np.ndarray],
        row: int,
        pieces: _Pieces,
        window: tuple[int, int],
        states: np.ndarray,
    ) -> None:
        """Adds a window's hidden states to the sums of its text; [CLS] and [SEP] are in every window."""
        before, after = len(self.prefix), len(self.suffix)
        total = len(pieces.ids) + before + after
        if row not in sums:
            sums[row], counts[row] = (
                np.zeros((total, states.shape[1]), np.float32),
                np.zeros(total, np.float32),
            )
        start, end = window
        inside = before + end - start
        for target, part in (
            (slice(0, before), states[:before]),
            (slice(before + start, before + end), states[before:inside]),
            (slice(total - after, total), states[inside : inside + after]),
        ):
            sums[row][target] += part
            counts[row][target] += 1

    def _finish(self, pieces: _Pieces, states: np.ndarray) -> EmbeddedText:
        before, after = len(self.prefix), len(self.suffix)
        special = np.zeros(len(states), bool)
        special[:before] = True
        special[len(states) - after :] = True
        used = pieces.word_ids >= 0
        inner = states[before : len(states) - after][used]
        word_ids = pieces.word_ids[used]
        vectors = np.zeros((len(pieces.words), states.shape[1]), np.float32)
        np.add.at(vectors, word_ids, inner)
        vectors /= np.bincount(word_ids, minlength=len(pieces.words))[:, None].astype(np.float32)
        ids = np.array([*self.prefix, *pieces.ids, *self.suffix])
        # a copy: a view would keep the states of its whole batch
        return EmbeddedText(ids, special, np.array(states), pieces.words, vectors)


def _windows(word_ids: np.ndarray, sizes: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Windows of at most `limit` tokens, cut between sentences, or within a sentence that is too long."""
    total = len(word_ids)
    if total <= limit:
        return [(0, total)]
    ends = np.searchsorted(word_ids, np.cumsum(sizes)) if len(sizes) else np.array([total])
    cuts = [0]
    for end in ends.tolist():
        while end - cuts[-1] > min(_CHUNK, limit) and (not len(sizes) or end - cuts[-1] > limit):
            cuts.append(cuts[-1] + min(_CHUNK, limit))
        if end > cuts[-1]:
            cuts.append(end)
    lengths = [after - before for before, after in pairwise(cuts)]
    return [(cuts[first], cuts[last]) for first, last in sentence_windows(lengths, limit)]
