"""Pairs of a story and its negative sample as token ids with reconstruction targets (equations 4 and 5)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad
from openmeva.metrics.union.modeling import IGNORE_INDEX
from openmeva.training.classifier.data import WordTokenizer, teacher_states_batch
from openmeva.training.corpora.notices import MAX_CHECKED_STORIES, warn_about_truncated_stories
from openmeva.training.negatives import TaggedStory, UnionSampler

UNLABELLED = -1


@dataclass(frozen=True)
class Example:
    """A story, ready for the model.

    Attributes:
        ids: token ids, including [CLS] and [SEP].
        targets: reconstruction target of each token, or `IGNORE_INDEX`.
        label: 1 for a human-written story, 0 for a negative sample, `UNLABELLED` for distillation only.
        text: the story's words, joined by spaces.
        teacher_logit: the teacher's standardised logit, or NaN.
        words: for each token, 0 for [CLS], the number of its word from 1 on, or -1 for none.
        teacher_states: the teacher's hidden states (1 + words, width), or None.
    """

    ids: list[int]
    targets: list[int]
    label: int
    text: str = ""
    teacher_logit: float = math.nan
    words: list[int] = field(default_factory=list)
    teacher_states: np.ndarray | None = field(default=None, compare=False, repr=False)


class UnionPairs(torch.utils.data.Dataset[tuple[Example, Example]]):
    """`count` pairs of a story and a negative sample; the corpus is repeated as needed, with new samples.

    Targets are aligned by the origin of every word. A word from the original has its original word as target, so a moved
    sentence has itself. A word that the original lacks (a repeated copy, an inserted word, a sentence from another story)
    has [PAD] as target, which means deletion. If two words have different numbers of wordpieces, their first ones are
    aligned; surplus pieces of the sample have [PAD] as target, surplus pieces of the original are ignored.

    With `by_position`, as in equation 5, a token's target is the original's token at the same position; tokens past the
    end of the original have none.
    """

    def __init__(
        self,
        stories: Sequence[TaggedStory],
        sampler: UnionSampler,
        tokenizer: Tokenizer,
        limit: int,
        count: int,
        by_position: bool = False,
    ) -> None:
        self.stories, self.sampler, self.count = stories, sampler, count
        self.limit, self.by_position = limit, by_position
        special_tokens = SpecialTokens.from_tokenizer(tokenizer)
        self.cls, self.sep, self.pad = special_tokens.start, special_tokens.end, special_tokens.padding
        self.pieces = WordTokenizer(tokenizer)

    def __len__(self) -> int:
        return self.count

    @property
    def epoch_length(self) -> int:
        """The number of rows in one pass."""
        return len(self.stories)

    def lengths(self) -> list[int]:
        """Words of the story at each index, for batches of similar length."""
        words = [sum(map(len, story.words)) for story in self.stories]
        return [words[i % len(words)] for i in range(self.count)]

    def warn_about_truncated_stories(self) -> None:
        """Reports how many of the first stories are longer than the limit, if any."""
        checked = self.stories[:MAX_CHECKED_STORIES]
        tokens = (sum(len(self.pieces(word)) for word in story.flat_words()) for story in checked)
        warn_about_truncated_stories(sum(count > self.limit - 2 for count in tokens), len(checked))

    def __getitem__(self, index: int) -> tuple[Example, Example]:
        """The story and its negative sample; of the next story if no technique applies within the maximum length."""
        if index >= self.count:
            raise IndexError(f"expected a number below {self.count}, got {index}")
        epoch, first = divmod(index, len(self.stories))
        for step in range(len(self.stories)):
            story_number = (first + step) % len(self.stories)
            negative = self.sampler.sample(story_number, epoch)
            if negative is not None:
                original = self.stories[story_number].flat_words()
                words = [word for sentence in negative.words for word in sentence]
                origins = [origin for sentence in negative.origins for origin in sentence]
                human = self._example(original, list(range(len(original))), original, 1)
                damaged = self._example(words, origins, original, 0)
                if damaged.ids != human.ids:
                    return human, damaged
        raise ValueError(
            f"no technique applies to any story of the corpus within the first {self.limit} tokens (max_length)"
        )

    def _example(self, words: list[str], origins: list[int], original: list[str], label: int) -> Example:
        ids, targets = [self.cls], [IGNORE_INDEX]
        for word, origin in zip(words, origins, strict=True):
            pieces = self.pieces(word)
            source = self.pieces(original[origin]) if origin >= 0 else ()
            ids.extend(pieces)
            targets.extend(source[: len(pieces)])
            targets.extend([self.pad] * (len(pieces) - len(source)))
        if self.by_position:
            original_pieces = [piece for word in original for piece in self.pieces(word)]
            targets = [
                IGNORE_INDEX,
                *original_pieces[: len(ids) - 1],
                *[IGNORE_INDEX] * (len(ids) - 1 - len(original_pieces)),
            ]
        return Example(
            [*ids[: self.limit - 1], self.sep],
            [*targets[: self.limit - 1], IGNORE_INDEX],
            label,
            " ".join(words),
        )


@dataclass(frozen=True)
class UnionCollator:
    """Pads pairs to a batch; only a sampled share of the targets that equal their token is used, with a higher weight.

    Copying is learned quickly, and a softmax over the vocabulary at every position would take longer than the encoder.
    The weights keep the expected loss equal to that over all positions: a mean over the tokens of the batch or, with
    `per_story`, over each story's tokens and then over the stories (equation 5).
    """

    padding: int
    copied_share: float
    seed: int
    per_story: bool = False

    def __call__(self, pairs: list[tuple[Example, Example]]) -> dict[str, Tensor]:
        examples = [example for pair in pairs for example in pair]
        ids, mask = pad([e.ids for e in examples], self.padding)
        targets = torch.full_like(ids, IGNORE_INDEX)
        for row, example in enumerate(examples):
            targets[row, : len(example.targets)] = torch.tensor(example.targets)
        weights = torch.ones(ids.shape)
        if self.per_story:
            weights = weights / (targets != IGNORE_INDEX).sum(1, keepdim=True).clamp_min(1)
        if self.copied_share < 1:
            copied = targets == ids
            # seeded by the batch: the same batch gives the same sample, also after a resume
            rng = np.random.default_rng([self.seed, int(ids.sum()), ids.shape[1]])
            sampled = torch.from_numpy(rng.random(tuple(ids.shape)) < self.copied_share)
            targets[copied & ~sampled] = IGNORE_INDEX
            if self.copied_share:
                weights[copied] *= 1 / self.copied_share
        labels = torch.tensor([e.label for e in examples])
        distilled = any(e.teacher_states is not None for e in examples)
        return {
            **(teacher_states_batch(examples, ids.shape) if distilled else {}),
            "input_ids": ids,
            "attention_mask": mask,
            "labels": labels,
            "targets": targets,
            "weights": weights,
            "teacher_logit": torch.tensor([e.teacher_logit for e in examples]),
        }
