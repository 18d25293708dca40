"""Groups of stories as token ids, and as padded batches."""

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np
import torch
from rich.progress import track
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad
from openmeva.metrics.core.text import Normalizer
from openmeva.training.corpora.stories import is_held_out
from openmeva.training.negatives.corrupted_story import ERROR_TYPES
from openmeva.training.negatives.groups import GroupRow

UNKNOWN = -1.0  # a target that every loss ignores


class DistillationExample(Protocol):
    """A story with optional teacher outputs: see `Example`."""

    @property
    def words(self) -> list[int]: ...
    @property
    def teacher_states(self) -> np.ndarray | None: ...


@dataclass(frozen=True)
class Example:
    """A story of a group, ready for the model.

    Attributes:
        ids: token ids, including the start and end tokens.
        label: 1 for the human-written story, 0 for a negative sample.
        level: see `GroupRow.level`.
        error_types: for each of `ERROR_TYPES`, 1 if the story has this error type, else 0, or `UNKNOWN`.
        token_labels: for each token, 1 if it is original, 0 if it is corrupted, or `UNKNOWN`.
        source: how the story was made.
        teacher_logit: the teacher's standardised logit, or NaN.
        words: for each token, 0 for the start token, the number of its word from 1 on, or -1 for none.
        teacher_states: the teacher's hidden states (1 + words, width), or None.
        for_teacher: the story tokenised for a live teacher, or None.
    """

    ids: list[int]
    label: int
    level: int
    error_types: list[float]
    token_labels: list[float]
    source: str
    teacher_logit: float = math.nan
    words: list[int] = field(default_factory=list)
    teacher_states: np.ndarray | None = field(default=None, compare=False, repr=False)
    for_teacher: "Example | None" = field(default=None, compare=False, repr=False)


class WordTokenizer:
    """Token ids of single words, cached because words recur. It can be pickled for data loading processes."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._cached = lru_cache(maxsize=200_000)(self._encode)

    def __call__(self, word: str) -> tuple[int, ...]:
        return self._cached(word)

    def __reduce__(self) -> tuple[type["WordTokenizer"], tuple[Tokenizer]]:
        return WordTokenizer, (self.tokenizer,)  # without the cache, which cannot be pickled

    def _encode(self, word: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(word, add_special_tokens=False).ids)


class ExampleMaker:
    """Makes examples from rows: normalises, tokenises and truncates to `limit` tokens; with `teacher`, also for a teacher."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        normalizer: Normalizer,
        limit: int,
        teacher: "ExampleMaker | None" = None,
    ) -> None:
        self.normalizer, self.limit, self.teacher = normalizer, limit, teacher
        self.special_tokens = SpecialTokens.from_tokenizer(tokenizer)
        self.pieces = WordTokenizer(tokenizer)

    def __call__(self, row: GroupRow) -> Example:
        """The example of a row.

        Raises:
            ValueError: the story has no words (the row's group is named).
        """
        corruption_known = row.corrupted_words is not None
        corrupted = set(row.corrupted_words or [])
        words = row.story.split() if corruption_known else self.normalizer(row.story).split()
        if not words:
            raise ValueError(f"group {row.group}: expected a story with words, got {row.story[:60]!r}")
        ids, token_labels, numbers = [self.special_tokens.start], [UNKNOWN], [0]
        for index, word in enumerate(words):
            pieces = self.pieces(word)
            ids.extend(pieces)
            numbers.extend([index + 1] * len(pieces))
            token_labels.extend(
                [float(index not in corrupted) if corruption_known else UNKNOWN] * len(pieces)
            )
        types_known = row.error_types is not None and (corruption_known or bool(row.error_types))
        error_types = [
            float(kind in (row.error_types or ())) if types_known else UNKNOWN for kind in ERROR_TYPES
        ]
        return Example(
            [*ids[: self.limit - 1], self.special_tokens.end],
            row.label,
            row.level,
            error_types,
            [*token_labels[: self.limit - 1], UNKNOWN],
            row.source,
            math.nan if row.teacher_logit is None else row.teacher_logit,
            [*numbers[: self.limit - 1], -1],
            row.teacher_states,
            self.teacher(row) if self.teacher else None,
        )


class GroupDataset(torch.utils.data.Dataset[list[Example]]):
    """Groups of a human-written story and its negative samples, repeated `epochs` times, with at most `size` stories each.

    From a larger group, negative samples are sampled again in each pass. The human-written story is always included,
    once, even if several files contain it.

    Raises:
        ValueError: no rows.
    """

    def __init__(
        self, rows: Iterable[GroupRow], make: ExampleMaker, size: int, epochs: int, seed: int
    ) -> None:
        by_group: dict[str, list[Example]] = {}
        human_groups: set[str] = set()
        for row in track(list(rows), "tokenising"):
            if not row.label or row.group not in human_groups:
                by_group.setdefault(row.group, []).append(make(row))
            if row.label:
                human_groups.add(row.group)
        if not by_group:
            raise ValueError("expected at least one group of stories, got none")
        self.groups = [sorted(group, key=lambda e: -e.label) for group in by_group.values()]
        self.size, self.epochs, self.seed = size, epochs, seed

    def __len__(self) -> int:
        return len(self.groups) * self.epochs

    @property
    def stories(self) -> int:
        """The number of stories in the groups."""
        return sum(map(len, self.groups))

    @property
    def epoch_length(self) -> int:
        """The number of rows in one pass."""
        return len(self.groups)

    def lengths(self) -> list[int]:
        """Tokens of the first story of each group, for batches of similar length."""
        return [len(group[0].ids) for group in self.groups] * self.epochs

    def __getitem__(self, index: int) -> list[Example]:
        if not 0 <= index < len(self):  # this ends a loop over the groups
            raise IndexError(f"expected a number below {len(self)}, got {index}")
        pass_number, group_number = divmod(index, len(self.groups))
        group = self.groups[group_number]
        human = [e for e in group if e.label == 1][:1]
        negatives = [e for e in group if e.label == 0]
        rng = np.random.default_rng((self.seed, pass_number, group_number))
        count = max(1, self.size - len(human))
        chosen = sorted(rng.permutation(len(negatives))[:count].tolist())
        return [*human, *(negatives[i] for i in chosen)]


@dataclass(frozen=True)
class GroupCollator:
    """Pads the stories of several groups to one batch; `pairs` (pairs, 2) lists the better and the worse story of each pair.

    Attributes:
        padding: token id of padding, which the attention mask excludes.
        teacher_padding: the same for a live teacher.
    """

    padding: int
    teacher_padding: int = 0

    def __call__(self, groups: Sequence[Sequence[Example]]) -> dict[str, Tensor]:
        examples = [example for group in groups for example in group]
        ids, mask = pad([e.ids for e in examples], self.padding)
        token_labels = torch.full(ids.shape, UNKNOWN)
        for row, example in enumerate(examples):
            token_labels[row, : len(example.token_labels)] = torch.tensor(example.token_labels)
        pairs, start = [], 0
        for group in groups:
            pairs += [
                (start + i, start + j)
                for i, a in enumerate(group)
                for j, b in enumerate(group)
                if should_rank_above(a, b)
            ]
            start += len(group)
        distilled = any(e.teacher_states is not None for e in examples)
        return {
            **(teacher_states_batch(examples, ids.shape) if distilled else {}),
            **(self._for_teacher(examples, ids.shape) if examples[0].for_teacher else {}),
            "input_ids": ids,
            "attention_mask": mask,
            "labels": torch.tensor([e.label for e in examples]),
            "error_types": torch.tensor([e.error_types for e in examples]),
            "token_labels": token_labels,
            "teacher_logit": torch.tensor([e.teacher_logit for e in examples]),
            "pairs": torch.tensor(pairs, dtype=torch.long).reshape(-1, 2),
        }

    def _for_teacher(self, examples: Sequence[Example], shape: torch.Size) -> dict[str, Tensor]:
        """The batch tokenised for a live teacher, and the word numbers of both models' tokens; `shape` is that of the own ids."""
        read = [e.for_teacher for e in examples if e.for_teacher]
        ids, mask = pad([e.ids for e in read], self.teacher_padding)
        return {
            "words": word_numbers(examples, shape),
            "teacher_input_ids": ids,
            "teacher_attention_mask": mask,
            "teacher_words": word_numbers(read, ids.shape),
        }


def word_numbers(examples: Sequence[DistillationExample], shape: torch.Size) -> Tensor:
    """The word numbers of a padded batch's tokens, with `shape` (n, tokens): see `Example.words`."""
    words = torch.full(shape, -1)
    for row, example in enumerate(examples):
        words[row, : len(example.words)] = torch.tensor(example.words)
    return words


def teacher_states_batch(examples: Sequence[DistillationExample], shape: torch.Size) -> dict[str, Tensor]:
    """The teacher's states (n, 1 + words, width), a mask of known ones (n, 1 + words), and word numbers (n, tokens)."""
    words = word_numbers(examples, shape)
    count = int(words.max()) + 1
    width = next(e.teacher_states.shape[1] for e in examples if e.teacher_states is not None)
    states = torch.zeros(len(examples), count, width)
    known = torch.zeros(len(examples), count, dtype=torch.bool)
    for row, example in enumerate(examples):
        if example.teacher_states is not None:
            rows = min(len(example.teacher_states), max(example.words) + 1)
            states[row, :rows] = torch.from_numpy(example.teacher_states[:rows].astype(np.float32))
            known[row, :rows] = True
    return {"words": words, "teacher_states": states, "states_known": known}


def should_rank_above(a: Example, b: Example) -> bool:
    """Whether story `a` should score above story `b` of the same group."""
    if a.label != b.label:
        return a.label > b.label
    return 0 < a.level < b.level


def in_held_out_share(group: str, share: float) -> bool:
    """Whether a group belongs to the held-out share of a file without a validation split; decided by a hash."""
    return is_held_out(zlib.crc32(group.encode()), share)
