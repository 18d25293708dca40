"""Graded negatives: each level applies one or more further edits to the level before it.

A classifier that ranks a story above its corrupted versions, and these by the amount of corruption, learns degrees of
quality, as in human ratings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from openmeva.training.common.bounds import Count, Positive, Share, Weight
from openmeva.training.graded.spans import SPAN_EDITS, insert_other_story
from openmeva.training.negatives.corrupted_story import CorruptedStory
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.infill import Infiller
from openmeva.training.negatives.nearest import Neighbours

DEFAULT_EDIT_WEIGHTS: dict[str, float] = {
    "nearest_sentence": 0.4,
    "near_paraphrase": 0.12,
    "infill": 0.25,
    "sentence_swap": 0.08,
    "rule": 0.15,
}


@dataclass(frozen=True)
class GradedSampling:
    """How stories are corrupted.

    Attributes:
        levels: number of corrupted versions of a story, each worse than the one before.
        edits: weight of each edit in sampling. `nearest_sentence`: replace a sentence with the one at the same
            position, counted from the end, in a story with a similar opening; `near_paraphrase`: replace a sentence
            with a near-paraphrase of another sentence of the story; `infill`: resample words of a sentence with a
            masked language model; `sentence_swap`: swap two sentences; `rule`: UNION's sampler, only at the first
            level. Edits that span sentences (see `spans.py`): `block_repetition`, `ngram_loop`, `block_reordering`,
            `distant_contradiction`, and `block_substitution`, which takes sentences of another story: one with a
            similar opening or a random one, with equal probability (always a random one without `nearest_sentence` and
            `near_paraphrase`, for which similar stories are found).
        keep: number of leading sentences that never change.
        sentences_per_level: a story gets one edit per level for every `sentences_per_level` sentences, at least one.
        infill_share: minimum and maximum share of a sentence's words that `infill` resamples.

    Raises:
        ValueError: an unknown edit.
    """

    levels: Positive = 3
    edits: Mapping[str, Weight] = field(default_factory=lambda: dict(DEFAULT_EDIT_WEIGHTS))
    keep: Count = 1
    sentences_per_level: Positive = 5
    infill_share: tuple[Share, Share] = (0.3, 0.8)

    def __post_init__(self) -> None:
        edit_names = [*DEFAULT_EDIT_WEIGHTS, *SPAN_EDITS, "block_substitution"]
        unknown = sorted(set(self.edits) - set(edit_names))
        if unknown:
            raise ValueError(f"edits: expected any of {', '.join(edit_names)}, got {', '.join(unknown)}")


class GradedSampler:
    """Corrupts stories of a corpus level by level.

    Args:
        stories: the corpus: words by sentence.
        rule: returns UNION's negative sample of the story at an index, or None if there is none.
        neighbours: nearest stories and sentences; None if no edit needs them.
        infiller: the masked language model; None if no edit needs it.
        sampling: the distributions of the edits.
        seed: seed of all random choices.

    Raises:
        ValueError: an edit needs `neighbours` or `infiller`, which is None.
    """

    def __init__(
        self,
        stories: Sequence[list[list[str]]],
        rule: Callable[[int], EditedStory | None],
        neighbours: Neighbours | None,
        infiller: Infiller | None,
        sampling: GradedSampling,
        seed: int,
    ) -> None:
        self.stories, self.rule, self.neighbours = stories, rule, neighbours
        self.infiller, self.sampling, self.seed = infiller, sampling, seed
        if neighbours is None and {"nearest_sentence", "near_paraphrase"} & set(sampling.edits):
            raise ValueError(
                "neighbours: expected for the edits nearest_sentence and near_paraphrase, got none"
            )
        if infiller is None and "infill" in sampling.edits:
            raise ValueError("infiller: expected for the edit infill, got none")
        edits = {name: weight for name, weight in sampling.edits.items() if weight > 0}
        self._names = list(edits)
        weights = np.array(list(edits.values()))
        self._weights = weights / weights.sum()
        self._immediate_edits = {
            "nearest_sentence": self._replace_with_nearest,
            "sentence_swap": self._swap_sentences,
            "block_substitution": self._insert_other_story,
            **SPAN_EDITS,
        }

    def chains(self, chosen: Sequence[int]) -> list[list[CorruptedStory]]:
        """For each story of `chosen`, the story and its versions by level; fewer versions where no edit applies."""
        rng = np.random.default_rng((self.seed, len(chosen)))
        chains = [[CorruptedStory.start(self.stories[i], i)] for i in chosen]
        for level in range(1, self.sampling.levels + 1):
            current = [chain[-1] if len(chain) == level else None for chain in chains]
            count = max((len(d.words) for d in current if d), default=0) // self.sampling.sentences_per_level
            for turn in range(max(1, count)):
                current = self._step(current, level, turn, rng)
            for chain, draft in zip(chains, current, strict=True):
                if draft is not None and draft.words != chain[-1].words:
                    chain.append(draft)
        return chains

    def _step(
        self, drafts: list[CorruptedStory | None], level: int, turn: int, rng: np.random.Generator
    ) -> list[CorruptedStory | None]:
        """Applies one more edit to each draft that is long enough for edit number `turn` of this level."""
        after = list(drafts)
        waiting: dict[str, list[tuple[int, int]]] = {"infill": [], "near_paraphrase": []}
        for row, draft in enumerate(drafts):
            if draft is None or turn >= max(1, len(draft.words) // self.sampling.sentences_per_level):
                continue
            for name in rng.choice(self._names, size=len(self._names), replace=False, p=self._weights):
                free = draft.untouched(self.sampling.keep)
                if name in waiting and free:
                    waiting[name].append((row, int(rng.choice(free))))
                    break
                edited: CorruptedStory | None = None
                if name == "rule" and level == 1 and turn == 0:
                    sample = self.rule(draft.index)
                    edited = CorruptedStory.from_edited(sample, draft.index) if sample else None
                elif name in self._immediate_edits:
                    edited = self._immediate_edits[name](draft, free, rng)
                if edited is not None:
                    after[row] = edited
                    break
        self._infill(after, waiting["infill"], rng)
        self._paraphrase_another(after, waiting["near_paraphrase"], rng)
        return after

    def _replace_with_nearest(
        self, draft: CorruptedStory, free: list[int], rng: np.random.Generator
    ) -> CorruptedStory | None:
        near = self.neighbours.similar_stories.get(draft.index, []) if self.neighbours else []
        if not free or not near:
            return None
        at = int(rng.choice(free))
        neighbour = self.stories[int(rng.choice(near))]
        # the same position counted from the end, so that an ending replaces an ending
        words = neighbour[max(0, len(neighbour) - (len(draft.words) - at))]
        return draft.with_sentence(at, words, "off_topic", "nearest_sentence")

    def _insert_other_story(
        self, draft: CorruptedStory, free: list[int], rng: np.random.Generator
    ) -> CorruptedStory | None:
        near = (
            self.neighbours.similar_stories.get(draft.index, [])
            if self.neighbours and rng.random() < 0.5
            else []
        )
        number = int(rng.choice(near)) if near else int(rng.integers(len(self.stories)))
        return insert_other_story(draft, free, self.stories[number], rng) if number != draft.index else None

    def _swap_sentences(
        self, draft: CorruptedStory, free: list[int], rng: np.random.Generator
    ) -> CorruptedStory | None:
        if len(free) < 2:
            return None
        first, second = rng.choice(free, size=2, replace=False)
        return draft.with_swapped_sentences(int(first), int(second))

    def _infill(
        self, drafts: list[CorruptedStory | None], rows: list[tuple[int, int]], rng: np.random.Generator
    ) -> None:
        chosen = [(row, at, draft) for row, at in rows if (draft := drafts[row]) is not None]
        if not chosen or self.infiller is None:
            return
        shares = rng.uniform(*self.sampling.infill_share, size=len(chosen))
        infilled = self.infiller(
            [d.words for _, _, d in chosen], [at for _, at, _ in chosen], list(shares), rng
        )
        for (row, at, draft), words in zip(chosen, infilled, strict=True):
            corrupted = [new != old for new, old in zip(words, draft.words[at], strict=True)]
            if any(corrupted):
                drafts[row] = draft.with_sentence(at, words, "off_topic", "infill", corrupted)

    def _paraphrase_another(
        self, drafts: list[CorruptedStory | None], rows: list[tuple[int, int]], rng: np.random.Generator
    ) -> None:
        chosen = [(row, at, draft) for row, at in rows if (draft := drafts[row]) and len(draft.words) > 1]
        if not chosen or self.neighbours is None:
            return
        others = [
            list(draft.words[int(rng.choice([i for i in range(len(draft.words)) if i != at]))])
            for _, at, draft in chosen
        ]
        similar = self.neighbours.similar_sentences(others)
        for (row, at, draft), candidates in zip(chosen, similar, strict=True):
            candidates = [words for words in candidates if tuple(words) not in draft.words]
            if not candidates:
                continue
            words = candidates[int(rng.integers(len(candidates)))]
            drafts[row] = draft.with_sentence(at, words, "repetition", "near_paraphrase")
