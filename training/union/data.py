"""Pairs of a story and its negative sample as token ids with reconstruction targets (equations 4 and 5)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.runtime import SpecialTokens, pad
from openmeva.metrics.union.modeling import IGNORED
from openmeva.training.classifier.data import WordPieces, states_of_batch
from openmeva.training.corpora.told import SAMPLE, tell_cut
from openmeva.training.negatives import TaggedStory, UnionSampler

UNLABELLED = -1


@dataclass(frozen=True)
class Example:
    """A story, ready for the model.

    Attributes:
        ids: with [CLS] and [SEP].
        targets: of their reconstruction.
        label: 1 for a human story, 0 for a negative sample, `UNLABELLED` where only a teacher judges.
        text: the story's words.
        teacher_logit: a teacher's judgment, or not a number.
        words: for each token, 0 for the first, the number of its word from 1 on, or -1 for none.
        teacher_states: a teacher's (1 + words, width), or None.
    """

    ids: list[int]
    targets: list[int]
    label: int
    text: str = ""
    teacher_logit: float = math.nan
    words: list[int] = field(default_factory=list)
    teacher_states: np.ndarray | None = field(default=None, compare=False, repr=False)


class UnionPairs(torch.utils.data.Dataset[tuple[Example, Example]]):
    """A story and a negative sample of it, `count` times over the corpus, a new sample each time.

    Targets are aligned to the original through the origin of every word: a word of the original has the
    word it comes from as its target, so a moved sentence has itself; a word that the original lacks (a
    repeated copy, an inserted word, a sentence from elsewhere) has [PAD], that is, to be deleted. Where
    two words have different numbers of wordpieces, their first ones are aligned, surplus pieces of the
    sample are to be deleted, and surplus ones of the original have no place.

    With `by_position`, as in equation 5, a token's target is the one at the same place of the original; tokens past the
    original's end have none.
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
        marks = SpecialTokens.of(tokenizer)
        self.cls, self.sep, self.pad = marks.start, marks.end, marks.padding
        self.pieces = WordPieces(tokenizer)

    def __len__(self) -> int:
        return self.count

    def lengths(self) -> list[int]:
        """Words of the story at each index, for batches of similar length."""
        words = [sum(map(len, story.words)) for story in self.stories]
        return [words[i % len(words)] for i in range(self.count)]

    def tell_cut(self) -> None:
        """Says how many of the first stories are longer than the limit, if any."""
        looked_at = self.stories[:SAMPLE]
        tokens = (sum(len(self.pieces(word)) for word in story.flat_words()) for story in looked_at)
        tell_cut(sum(count > self.limit - 2 for count in tokens), len(looked_at))

    def __getitem__(self, index: int) -> tuple[Example, Example]:
        """The story and its negative sample; the next story's where no technique applies, or none before the cut."""
        if index >= self.count:
            raise IndexError(f"expected a number below {self.count}, got {index}")
        epoch, place = divmod(index, len(self.stories))
        for step in range(len(self.stories)):
            at = (place + step) % len(self.stories)
            negative = self.sampler.sample(at, epoch)
            if negative is not None:
                original = self.stories[at].flat_words()
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
        ids, targets = [self.cls], [IGNORED]
        for word, origin in zip(words, origins, strict=True):
            pieces = self.pieces(word)
            source = self.pieces(original[origin]) if origin >= 0 else ()
            ids.extend(pieces)
            targets.extend(source[: len(pieces)])
            targets.extend([self.pad] * (len(pieces) - len(source)))
        if self.by_position:
            whole = [piece for word in original for piece in self.pieces(word)]
            targets = [IGNORED, *whole[: len(ids) - 1], *[IGNORED] * (len(ids) - 1 - len(whole))]
        return Example(
            [*ids[: self.limit - 1], self.sep],
            [*targets[: self.limit - 1], IGNORED],
            label,
            " ".join(words),
        )


@dataclass(frozen=True)
class UnionCollator:
    """Pads pairs to a batch; of the targets that equal their token, only a share is used, with more weight.

    Copying is learnt quickly, and the vocabulary's softmax over every position would take longer than the
    encoder. The weights keep the expected loss that of all positions: a mean over the tokens of the batch or, with
    `per_story`, over each story's own and then over the stories (equation 5).
    """

    padding: int
    copied_share: float
    seed: int
    per_story: bool = False

    def __call__(self, pairs: list[tuple[Example, Example]]) -> dict[str, Tensor]:
        examples = [example for pair in pairs for example in pair]
        ids, mask = pad([e.ids for e in examples], self.padding)
        targets = torch.full_like(ids, IGNORED)
        for row, example in enumerate(examples):
            targets[row, : len(example.targets)] = torch.tensor(example.targets)
        weights = torch.ones(ids.shape)
        if self.per_story:
            weights = weights / (targets != IGNORED).sum(1, keepdim=True).clamp_min(1)
        if self.copied_share < 1:
            copied = targets == ids
            # drawn from the batch itself: the same batch has the same draws, also after a resume
            rng = np.random.default_rng([self.seed, int(ids.sum()), ids.shape[1]])
            kept = torch.from_numpy(rng.random(tuple(ids.shape)) < self.copied_share)
            targets[copied & ~kept] = IGNORED
            weights[copied] *= 1 / self.copied_share
        labels = torch.tensor([e.label for e in examples])
        taught = any(e.teacher_states is not None for e in examples)
        return {
            **(states_of_batch(examples, ids.shape) if taught else {}),
            "input_ids": ids,
            "attention_mask": mask,
            "labels": labels,
            "targets": targets,
            "weights": weights,
            "teacher_logit": torch.tensor([e.teacher_logit for e in examples]),
        }
