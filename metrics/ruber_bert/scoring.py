"""RUBER's unreferenced and referenced parts from contexts, stories and references."""

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from openmeva.metrics.core.batching import Progress, length_batches
from openmeva.metrics.core.checkpoint import WORD_EMBEDDING_SUFFIXES, Checkpoint, load_normalizer
from openmeva.metrics.core.contexts import without_context
from openmeva.metrics.core.inputs import no_words
from openmeva.metrics.core.runtime import (
    PrecisionCache,
    SpecialTokens,
    build_model,
    choose_device,
    choose_dtype,
    inference,
    pad,
)
from openmeva.metrics.ruber_bert.modeling import RuberModel

_TAGS = re.compile(r"^\s*(?:\[\s*[A-Za-z]{2}\s*\]\s*)+(?=\S)")


def plain_context(context: str) -> str:
    """A context without the leading tags of WritingPrompts' prompts.

    >>> plain_context("[ WP ] You wake up .")
    'You wake up .'
    """
    return _TAGS.sub("", context)


class RuberScorer:
    """Scores stories with one checkpoint.

    Raises:
        ValueError: weights or name lists that the model needs are missing (they are named).
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        settings = checkpoint.settings
        self.ranges: dict[str, list[float]] = settings["ranges"]
        self.max_length: int = settings["max_length"]
        self.tokenizer = checkpoint.tokenizer
        self.normalizer = load_normalizer(checkpoint.names_file, settings["delexicalize"])
        state = dict(checkpoint.state)
        if settings["model"]["encoder"] == "rnn":
            words = next(tensor for name, tensor in state.items() if name.endswith(WORD_EMBEDDING_SUFFIXES))
            state.setdefault("words.weight", words)
        self.model = build_model(
            lambda: RuberModel(checkpoint.model_config, **settings["model"]), state, checkpoint.folder
        )
        special_tokens = SpecialTokens.from_tokenizer(self.tokenizer)
        self.cls, self.sep, self.pad = special_tokens.start, special_tokens.end, special_tokens.padding
        self._precisions = PrecisionCache(self.model)

    def score(
        self,
        stories: Sequence[str],
        contexts: Sequence[str],
        references: Sequence[Sequence[str]] | None = None,
        batch_size: int = 64,
        device: str | None = None,
        dtype: str = "auto",
        progress: Progress | None = None,
    ) -> tuple[list[float], list[float] | None]:
        """The unreferenced part of each story, 0 to 1, and the referenced one, -1 to 1, or None without references.

        The referenced part is the highest over the references of a story, of which there is at least one.

        Raises:
            ValueError: a text without words (the row is named).
        """
        target_device = choose_device(device)
        chosen = choose_dtype(dtype, target_device) if self.model.encoder == "bert" else torch.float32
        model = self._precisions.get(target_device, chosen)
        plain = [plain_context(context) for context in contexts]
        stories = [_own_text(*texts) for texts in zip(stories, contexts, plain, strict=True)]
        columns = {"predictions": stories, "contexts": plain}
        rows = {name: self.tokens(texts, name) for name, texts in columns.items()}
        counts = [len(several) for several in references or ()]
        of_rows = [(row, text) for row, several in enumerate(references or ()) for text in several]
        rows["references"] = self.tokens(
            [text for _, text in of_rows], "references", [row for row, _ in of_rows]
        )
        unique = list(dict.fromkeys(tuple(ids) for texts in rows.values() for ids in texts))
        vectors, ends = self.encode(model, unique, batch_size, progress)
        place_of = {ids: index for index, ids in enumerate(unique)}
        indices = {name: [place_of[tuple(ids)] for ids in texts] for name, texts in rows.items()}
        with inference(vectors.device):
            head = self.model.head.to(vectors.device)
            logits = head(vectors[indices["contexts"]], vectors[indices["predictions"]])
            unreferenced = torch.sigmoid(logits.float()).tolist()
            if references is None:
                return unreferenced, None
            flat = ends.flatten(1)
            compared = [
                place
                for place, count in zip(indices["predictions"], counts, strict=True)
                for _ in range(count)
            ]
            alike = torch.cosine_similarity(flat[compared], flat[indices["references"]])
            alike = alike.clamp(-1.0, 1.0)  # rounding
        return unreferenced, [max(of_story.tolist()) for of_story in alike.split(counts)]

    def tokens(self, texts: Sequence[str], column: str, rows: Sequence[int] | None = None) -> list[list[int]]:
        """Token ids of each normalised text, without special tokens.

        Args:
            texts: of a column of `compute`.
            column: its name.
            rows: of the texts; None: one text per row.

        Raises:
            ValueError: a text without words (the row is named).
        """
        encodings = self.tokenizer.encode_batch(
            [self.normalizer(text) for text in texts], add_special_tokens=False
        )
        for index, encoding in enumerate(encodings):
            if not encoding.ids:
                raise no_words(column, rows[index] if rows else index, texts[index])
        return [encoding.ids for encoding in encodings]

    def encode(
        self,
        model: RuberModel,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        progress: Progress | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Vectors (n, width) and extremes (n, 2, width of the hidden states) of token id sequences, float32.

        A sequence beyond the maximum length is encoded in pieces. Their extremes are pooled by maximum and minimum.
        Their vectors are averaged, weighted by length, or with max pooling pooled by maximum.
        """
        limit = self.max_length - 2
        pieces = [
            (number, ids[start : start + limit])
            for number, ids in enumerate(sequences)
            for start in range(0, len(ids), limit)
        ]
        vectors: list[Any] = [None] * len(pieces)
        ends: list[Any] = [None] * len(pieces)
        device = next(model.parameters()).device
        with inference(device):
            for batch in length_batches([len(ids) for _, ids in pieces], batch_size, progress):
                ids, mask = pad([[self.cls, *pieces[i][1], self.sep] for i in batch], self.pad)
                encoded = model.encode(ids.to(device), mask.to(device))
                for i, vector, end in zip(batch, *encoded, strict=True):
                    vectors[i], ends[i] = vector, end
        owners: list[list[int]] = [[] for _ in sequences]
        for piece, (number, _) in enumerate(pieces):
            owners[number].append(piece)
        pooled = [
            self._combine_pieces(
                [vectors[p] for p in piece_numbers], [len(pieces[p][1]) for p in piece_numbers]
            )
            for piece_numbers in owners
        ]
        high = [torch.stack([ends[p][0] for p in piece_numbers]).amax(0) for piece_numbers in owners]
        low = [torch.stack([ends[p][1] for p in piece_numbers]).amin(0) for piece_numbers in owners]
        return torch.stack(pooled), torch.stack([torch.stack(high), torch.stack(low)], dim=1)

    def _combine_pieces(self, vectors: list[Tensor], lengths: list[int]) -> Tensor:
        """The vector of a text from the vectors of its pieces."""
        stacked = torch.stack(vectors)
        if self.model.encoder == "bert" and self.model.pooling == "max":
            return stacked.amax(0)
        weights = torch.tensor(lengths, dtype=stacked.dtype, device=stacked.device)
        return (stacked * (weights / weights.sum())[:, None]).sum(0)


def _own_text(story: str, context: str, plain: str) -> str:
    """The story without its context, which it may repeat as it is, or without the tags that `plain` lacks."""
    rest = without_context(story, context)
    return without_context(story, plain) if rest == story else rest
