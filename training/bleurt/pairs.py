"""Synthetic pairs for BLEURT (Sellam et al. 2020, section 4): a story, a changed copy of it, and signals of both.

The ways to change a story: words resampled by the encoder's masked-language-model head (`masks`), dropped words
(`drops`), shuffled sentences (`shuffles`), UNION's negative samples, which replace back-translation (`negatives`),
sentences of another story (`others`), and no change (`same`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openmeva.metrics.bleurt.modeling import ENTAILMENT, SIGNALS
from openmeva.metrics.core.text import join_words
from openmeva.metrics.embedding_similarity.embedding import TextEncoder
from openmeva.metrics.embedding_similarity.scoring import SCORES as SIMILARITIES
from openmeva.metrics.embedding_similarity.scoring import SimilarityScorer
from openmeva.metrics.overlap.scoring import SCORES as OVERLAPS
from openmeva.metrics.overlap.scoring import OverlapScorer
from openmeva.training.negatives import TaggedStory, UnionSampler
from openmeva.training.negatives.infill import Infiller
from openmeva.training.paths import ROOT

UNKNOWN = -1
WAYS = ("masks", "drops", "shuffles", "negatives", "others", "same")
Sentences = list[list[str]]


@dataclass(frozen=True)
class Pair:
    """A normalised reference and text, and their labels.

    Attributes:
        reference, text: words joined by spaces.
        way: the way in which the text was made, one of `WAYS`.
        entailment: index in `ENTAILMENT`, or `UNKNOWN`; it follows from the way, not from a model.
    """

    reference: str
    text: str
    way: str
    entailment: int = UNKNOWN


def make_pairs(
    stories: Sequence[TaggedStory],
    sampler: UnionSampler,
    infill: Infiller,
    shares: dict[str, float],
    count: int,
    rng: np.random.Generator,
) -> list[Pair]:
    """`count` pairs from the stories in turn, with ways sampled by weight; `drops` replaces a way that fails.

    Raises:
        ValueError: no stories, or an unknown way.
    """
    if unknown := sorted(set(shares) - set(WAYS)):
        raise ValueError(f"ways: expected some of {', '.join(WAYS)}, got {', '.join(unknown)}")
    if not stories:
        raise ValueError("expected stories to make pairs of, got none")
    if not count:
        return []
    names = list(shares)
    weights = np.array([shares[name] for name in names], float)
    sampled = rng.choice(len(names), size=count, p=weights / weights.sum())
    order = np.concatenate([rng.permutation(len(stories)) for _ in range(-(-count // len(stories)))])[:count]
    makers: dict[str, Callable[[int], Pair | None]] = {
        "drops": lambda index: _drop_words(_words(stories[index]), rng),
        "shuffles": lambda index: _shuffle_sentences(_words(stories[index]), rng),
        "negatives": lambda index: _negative_pair(stories[index], sampler, index, rng),
        "others": lambda index: _replace_end(stories, index, rng),
        "same": lambda index: Pair(
            join_words(_words(stories[index])), join_words(_words(stories[index])), "same", 0
        ),
    }
    pairs: list[Pair | None] = []
    masked: list[int] = []
    for index, choice in zip(order.tolist(), sampled.tolist(), strict=True):
        if names[choice] == "masks":
            masked.append(len(pairs))
            pairs.append(None)
            continue
        pairs.append(makers[names[choice]](index) or makers["drops"](index))
    for position, pair in zip(
        masked, _resample_words([_words(stories[order[i]]) for i in masked], infill, rng), strict=True
    ):
        pairs[position] = pair
    return [pair for pair in pairs if pair is not None]


def signals(pairs: Sequence[Pair]) -> np.ndarray:
    """`SIGNALS` of each pair, (pairs, signals), by this project's metrics."""
    texts, references = [p.text for p in pairs], [[p.reference] for p in pairs]
    settings = ROOT / "metrics" / "embedding_similarity" / "weights" / "encoder"
    scores: dict[str, list[float]] = OverlapScorer().scores(
        texts, references, [name for name in SIGNALS if name in OVERLAPS]
    )
    scores |= SimilarityScorer(TextEncoder(settings)).scores(
        texts, references, [name for name in SIGNALS if name in SIMILARITIES]
    )
    return np.stack([scores[name] for name in SIGNALS], axis=1)


def _words(story: TaggedStory) -> Sentences:
    return [list(sentence) for sentence in story.words]


def _drop_words(story: Sentences, rng: np.random.Generator) -> Pair:
    """Drops a tenth to a half of the words, or the last sentences; the rest is still entailed."""
    if len(story) > 1 and rng.random() < 0.3:
        rest: Sentences = story[: int(rng.integers(1, len(story)))]
    else:
        share = rng.uniform(0.1, 0.5)
        rest = [[word for word in sentence if rng.random() >= share] for sentence in story]
    text = join_words(rest) or story[0][0]
    return Pair(join_words(story), text, "drops", ENTAILMENT.index("entailed"))


def _shuffle_sentences(story: Sentences, rng: np.random.Generator) -> Pair | None:
    order = rng.permutation(len(story)).tolist()
    if order == sorted(order):
        return None
    return Pair(join_words(story), join_words([story[i] for i in order]), "shuffles")


def _negative_pair(
    story: TaggedStory, sampler: UnionSampler, index: int, rng: np.random.Generator
) -> Pair | None:
    sample = sampler.sample(index, int(rng.integers(2**31)))
    if sample is None:
        return None
    only_negation = set(sampler.sampling.weights()) == {"negation"}
    meaning = ENTAILMENT.index("contradicted") if only_negation else UNKNOWN
    return Pair(join_words(story.words), join_words(sample.words), "negatives", meaning)


def _replace_end(stories: Sequence[TaggedStory], index: int, rng: np.random.Generator) -> Pair | None:
    """Replaces the story's last sentences, or all of them, with those of another story."""
    if len(stories) < 2:
        return None
    story, other = (
        _words(stories[i]) for i in (index, (index + int(rng.integers(1, len(stories)))) % len(stories))
    )
    # From a later start nothing would be added, and the text would be a shortened story.
    start = int(rng.integers(0, min(len(story), len(other))))
    return Pair(
        join_words(story),
        join_words([*story[:start], *other[start:]]),
        "others",
        ENTAILMENT.index("neutral"),
    )


def _resample_words(stories: list[Sentences], infill: Infiller, rng: np.random.Generator) -> list[Pair]:
    """Resamples 15 to 60 % of the words in one to three sentences of each story."""
    changed: list[Sentences] = [[list(sentence) for sentence in story] for story in stories]
    counts = rng.integers(1, 4, size=len(stories))
    orders = [rng.permutation(len(story)) for story in stories]
    for turn in range(3):
        rows = [i for i, count in enumerate(counts) if turn < min(int(count), len(stories[i]))]
        if not rows:
            continue
        positions = [int(orders[i][turn]) for i in rows]
        sampled = infill(
            [changed[i] for i in rows], positions, rng.uniform(0.15, 0.6, size=len(rows)).tolist(), rng
        )
        for i, position, sentence in zip(rows, positions, sampled, strict=True):
            changed[i][position] = sentence
    return [Pair(join_words(a), join_words(b), "masks") for a, b in zip(stories, changed, strict=True)]


def describe(pairs: Sequence[Pair], values: np.ndarray) -> dict[str, Any]:
    """Number of pairs and mean signals by way, for the manifest."""
    provenance: dict[str, Any] = {}
    for way in WAYS:
        rows = [i for i, pair in enumerate(pairs) if pair.way == way]
        if rows:
            means = dict(zip(SIGNALS, (round(float(v), 3) for v in values[rows].mean(axis=0)), strict=True))
            provenance[way] = {"pairs": len(rows), **means}
    return provenance
