"""Scores of stories by a story classifier, and the gain of leaving out each sentence.

UNION and the classifiers of `classifier_scorer.py` differ in the model and in what `explain` adds
(`StoryScorer._extra_explanations`). SENTAVG has its own `score`.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from openmeva.metrics.core.batching import Progress, length_batches, sentence_windows
from openmeva.metrics.core.checkpoint import Checkpoint, load_normalizer
from openmeva.metrics.core.contexts import CONTEXT_RULES, join_contexts
from openmeva.metrics.core.inputs import no_words
from openmeva.metrics.core.repetition import RepetitionCost, lowered, repeated_share
from openmeva.metrics.core.runtime import (
    PrecisionCache,
    SpecialTokens,
    build_model,
    choose_device,
    choose_dtype,
    inference,
    pad,
)


class SequenceScore(NamedTuple):
    """A sequence's score, 0 to 1, and the probability of each error type that the model predicts."""

    score: float
    error_types: Sequence[float] = ()


@dataclass(frozen=True)
class PreparedStory:
    """A story ready for the encoder.

    Attributes:
        words: normalised words, by sentence; empty for the further parts of a split sentence.
        tokens: token ids, by sentence or part.
        windows: spans of sentences, end exclusive, each scored as one sequence.
        short_windows: the spans by the shorter window; empty if the checkpoint has none or the story is not longer.
    """

    words: list[list[str]]
    tokens: list[list[int]]
    windows: list[tuple[int, int]]
    short_windows: list[tuple[int, int]] = field(default_factory=list)

    def ids(self, window: tuple[int, int], without: Container[int] = ()) -> list[int]:
        """Token ids of the sentences and parts in `window`, except those in `without`."""
        return [t for i in range(*window) if i not in without for t in self.tokens[i]]

    def sentence_parts(self) -> list[range]:
        """The parts of each sentence, one for most."""
        starts = [i for i, words in enumerate(self.words) if words]
        return [range(start, end) for start, end in pairwise([*starts, len(self.words)])]


def _window_preference(parts: range, window: tuple[int, int]) -> tuple[int, int]:
    """A sort key of windows: lower if more of a sentence's `parts` are in it, then if they are nearer to its middle."""
    outside = sum(not window[0] <= part < window[1] for part in parts)
    return outside, abs(sum(window) - (parts.start + parts.stop))


class StoryScorer:
    """Scores stories with one checkpoint, kept in memory with one copy per dtype (see `PrecisionCache`).

    Args:
        checkpoint: its settings hold `context` (a key of `CONTEXT_RULES`), `max_length` (tokens of a window, special
            ones included), `delexicalize` and, optionally, `shorter_window`, `readings`, `repetition_weight` (see `score`).
        make: makes the untrained model; the checkpoint's weights are loaded into it.

    Raises:
        ValueError: an unknown `context`, or weights or names that the checkpoint lacks (they are named).
    """

    def __init__(self, checkpoint: Checkpoint, make: Callable[[], Any]) -> None:
        settings = checkpoint.settings
        if settings["context"] not in CONTEXT_RULES:
            raise ValueError(
                f"{checkpoint.folder}: context: expected one of {', '.join(CONTEXT_RULES)}, got {settings['context']!r}"
            )
        self.joins_context = CONTEXT_RULES[settings["context"]]
        self.max_length: int = settings["max_length"]
        self.shorter_window: int | None = settings.get("shorter_window")
        self.readings: str = settings.get("readings", "lower")
        self.repetition = RepetitionCost(settings.get("repetition_weight", 0.0))
        self.tokenizer = checkpoint.tokenizer
        self.normalizer = load_normalizer(checkpoint.names_file, settings["delexicalize"])
        self.model = build_model(make, checkpoint.state, checkpoint.folder)
        self._precisions = PrecisionCache(self.model)
        self.special_tokens = SpecialTokens.from_tokenizer(self.tokenizer)

    def prepare(
        self, stories: Sequence[str], contexts: Sequence[str] | None, joins_context: bool | None = None
    ) -> list[PreparedStory]:
        """Normalises and tokenises stories, their contexts joined by `joins_context` (default: the checkpoint's rule).

        A story that already begins with its context is not joined to it again.

        Raises:
            ValueError: a story without a single word (its row is named).
        """
        joins_context = self.joins_context if joins_context is None else joins_context
        if contexts is not None:
            for row, (story, context) in enumerate(zip(stories, contexts, strict=True)):
                if context.strip() and not any(map(str.isalnum, story)) and not self._has_tokens(story):
                    raise no_words("predictions", row, story)  # its context alone would be scored
            stories = join_contexts(stories, contexts, joins_context)
        limit = self.max_length - 2
        shorter = min(limit, (self.shorter_window or self.max_length) - 2)
        prepared = []
        for row, text in enumerate(stories):
            sentences = [list(words) for words in self.normalizer.sentences(text)]
            encodings = self.tokenizer.encode_batch(
                [" ".join(words) for words in sentences], add_special_tokens=False
            )
            words, tokens = [], []
            for sentence, encoding in zip(sentences, encodings, strict=True):
                # a sentence above `shorter` is split
                for start in range(0, len(encoding.ids), shorter):
                    tokens.append(encoding.ids[start : start + shorter])
                    words.append(sentence if start == 0 else [])
            if not tokens:
                raise no_words("predictions", row, text)
            lengths = [len(t) for t in tokens]
            parts = sentence_windows(lengths, shorter) if shorter < limit and sum(lengths) > shorter else []
            prepared.append(PreparedStory(words, tokens, sentence_windows(lengths, limit), parts))
        return prepared

    def _has_tokens(self, story: str) -> bool:
        sentences = [" ".join(words) for words in self.normalizer.sentences(story)]
        return any(e.ids for e in self.tokenizer.encode_batch(sentences, add_special_tokens=False))

    def head_outputs(
        self,
        sequences: Sequence[Sequence[int]],
        read: Callable[[Tensor], Tensor],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None = None,
        keep: Callable[[Any, int], Any] = lambda values, _: values,
    ) -> list[Any]:
        """The output of `read` on each sequence's hidden states, in order; `sequences` are without special tokens.

        `keep` chooses what is kept of it, given the output and the sequence's length: outputs of all tokens of many
        stories would not fit in memory.
        """
        self.model = self._precisions.get(device, dtype)
        outputs: list[Any] = [None] * len(sequences)
        with inference(device):
            for batch in length_batches([len(ids) for ids in sequences], batch_size, progress):
                ids, mask = pad(
                    [[self.special_tokens.start, *sequences[i], self.special_tokens.end] for i in batch],
                    self.special_tokens.padding,
                )
                values = read(self.model.encode(ids.to(device), mask.to(device)))
                for index, value in zip(batch, values.tolist(), strict=True):
                    outputs[index] = keep(value, len(sequences[index]))
        return outputs

    def score_sequences(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None = None,
    ) -> list[SequenceScore]:
        """The model's score of each sequence of token ids (without special tokens), in order."""
        outputs = self.head_outputs(
            sequences,
            lambda hidden: torch.sigmoid(self.model.score(hidden)),
            batch_size,
            device,
            dtype,
            progress,
        )
        return [SequenceScore(value) for value in outputs]

    def score(
        self,
        stories: Sequence[str],
        contexts: Sequence[str] | None = None,
        batch_size: int = 64,
        device: str | torch.device | None = None,
        dtype: str = "auto",
        explain: bool = False,
        progress: Progress | None = None,
        joins_context: bool | None = None,
        costs: bool = True,
    ) -> tuple[list[float], list[dict[str, Any]] | None]:
        """Scores in 0..1, higher is better, in order, and explanations if `explain`, with gains if `costs`.

        A story longer than `max_length` tokens is scored in overlapping windows of whole sentences; its score is their
        mean, weighted by length. If the checkpoint has a `shorter_window`, a story longer than that is also scored in
        windows of that length. The lower score counts or, with `readings` "mean", the mean of both. Errors within a few
        sentences show in the short windows, repetition over hundreds of words in the long ones. If the checkpoint has a
        `repetition_weight`, a story that repeats itself more than people do scores lower (see `repetition.py`).
        """
        chosen = choose_device(device)
        kind = choose_dtype(dtype, chosen)
        prepared = self.prepare(stories, contexts, joins_context)
        # the windows of all stories, then the shorter windows
        passes = [(s, story.windows) for s, story in enumerate(prepared)]
        passes += [(s, story.short_windows) for s, story in enumerate(prepared) if story.short_windows]
        sequences = [prepared[s].ids(window) for s, windows in passes for window in windows]
        sequence_scores = self.score_sequences(sequences, batch_size, chosen, kind, progress)
        remaining_scores = iter(sequence_score.score for sequence_score in sequence_scores)
        lengths = iter(map(len, sequences))
        read: list[list[float]] = [[] for _ in prepared]
        for s, windows in passes:
            weights = [next(lengths) for _ in windows]
            total = sum(next(remaining_scores) * weight for weight in weights)
            read[s].append(total / sum(weights))
        join = fmean if self.readings == "mean" else min
        repetition = [self.repetition.of(story.words) for story in prepared]
        scores = [lowered(join(each), cost) for each, cost in zip(read, repetition, strict=True)]
        if not explain:
            return scores, None
        window_scores = {
            tuple(ids): sequence_score for ids, sequence_score in zip(sequences, sequence_scores, strict=True)
        }
        explained = (
            self._sentence_gains(prepared, window_scores, batch_size, chosen, kind, progress)
            if costs
            else [[{"text": " ".join(words)} for words in story.words if words] for story in prepared]
        )
        details = self._extra_explanations(prepared, window_scores, batch_size, chosen, kind)
        if self.repetition.weight:
            shares = [{"repetition": repeated_share(story.words)} for story in prepared]
            details = [{**detail, **share} for detail, share in zip(details, shares, strict=True)]
        return scores, [
            {"sentences": sentences, **detail} for sentences, detail in zip(explained, details, strict=True)
        ]

    def _sentence_gains(
        self,
        prepared: Sequence[PreparedStory],
        window_scores: Mapping[tuple[int, ...], SequenceScore],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
        progress: Progress | None,
    ) -> list[list[dict[str, Any]]]:
        """The gain of each sentence: the score of its window without it minus the score with it.

        Of a sentence that is longer than a window, the part in one window is left out. Both scores are lowered by the
        repetition in the whole story, without and with the sentence.
        `window_scores` holds the results of the windows from scoring the whole story.
        """
        occurrences: list[tuple[int, tuple[int, int], range]] = []  # story, window, parts of the sentence
        for s, story in enumerate(prepared):
            for parts in story.sentence_parts():
                window = min(story.windows, key=partial(_window_preference, parts))
                occurrences.append((s, window, parts))
        with_sentence = [prepared[s].ids(window) for s, window, _ in occurrences]
        without_sentence = [prepared[s].ids(window, parts) for s, window, parts in occurrences]
        unread = list(
            dict.fromkeys(tuple(ids) for ids in without_sentence if ids and tuple(ids) not in window_scores)
        )
        sequence_scores = self.score_sequences(unread, batch_size, device, dtype, progress)
        scores = {
            ids: sequence_score.score
            for ids, sequence_score in (*window_scores.items(), *zip(unread, sequence_scores, strict=True))
        }
        of_stories = [self.repetition.of(story.words) for story in prepared]
        of_others = [self.repetition.without_each(story.words) for story in prepared]
        gains: list[list[float]] = [[] for _ in prepared]
        for (s, _, parts), full, reduced in zip(occurrences, with_sentence, without_sentence, strict=True):
            without = lowered(scores[tuple(reduced)], of_others[s][parts.start]) if reduced else 0.0
            gains[s].append(without - lowered(scores[tuple(full)], of_stories[s]) if reduced else 0.0)
        return [
            [
                {"text": " ".join(words), "gain": value}
                for words, value in zip(filter(None, story.words), gain, strict=True)
            ]
            for story, gain in zip(prepared, gains, strict=True)
        ]

    def _extra_explanations(
        self,
        prepared: Sequence[PreparedStory],
        window_scores: Mapping[tuple[int, ...], SequenceScore],
        batch_size: int,
        device: torch.device,
        dtype: torch.dtype,
    ) -> list[dict[str, Any]]:
        """Further contents of explanations; none here. `window_scores` holds the results of the windows."""
        return [{} for _ in prepared]
