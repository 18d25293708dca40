"""Edits of long stories that span many sentences: repetition loops, passages of other stories, order, contradiction.

Machine-generated stories of a few hundred words seldom fail in one sentence only. They repeat a few statements with
small variations, switch to another story, or contradict themselves. Each edit takes a story and the indices of the
sentences that it may change. It returns the corrupted story, or None if it does not apply.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from openmeva.training.negatives.corrupted_story import CorruptedStory
from openmeva.training.text.inflection import inflect, lemma
from openmeva.training.text.negation.verbs import CUT_MODALS

Words = Sequence[str]
SpanEdit = Callable[[CorruptedStory, list[int], np.random.Generator], CorruptedStory | None]

BE_AND_MODALS = frozenset("is are was were could would can will should might must".split())
HAVE = frozenset(("have", "has", "had"))
SUBJECTS = frozenset("i you he she it we they this that there".split())
NEGATIONS = frozenset(("not", "n't", "never"))


def sample_run(free: list[int], low: int, high: int, rng: np.random.Generator) -> list[int]:
    """A random run of `low` to `high` consecutive sentences of `free`; empty if there is none.

    >>> sample_run([2, 3, 4], 3, 8, np.random.default_rng(0))
    [2, 3, 4]
    """
    runs: list[list[int]] = []
    for index in free:
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    long_enough = [run for run in runs if len(run) >= low]
    if not long_enough:
        return []
    run = long_enough[int(rng.integers(len(long_enough)))]
    length = int(rng.integers(low, min(high, len(run)) + 1))
    start = int(rng.integers(len(run) - length + 1))
    return run[start : start + length]


def repeat_block(draft: CorruptedStory, free: list[int], rng: np.random.Generator) -> CorruptedStory | None:
    """Replaces three to ten sentences with one to three earlier ones in a loop, with small variations."""
    places = sample_run([i for i in free if i > 0], 3, 10, rng)
    if not places:
        return None
    size = int(rng.integers(1, min(3, places[0]) + 1))
    start = int(rng.integers(max(0, places[0] - size - 3), places[0] - size + 1))
    block = draft.words[start : start + size]
    exact = rng.random() * 0.8  # the share of exact copies in this loop
    for number, index in enumerate(places):
        words = list(block[number % size])
        if rng.random() > exact:
            words = vary_sentence(words, draft, rng)
        draft = draft.with_sentence(index, words, "repetition", "block_repetition")
    return draft


def vary_sentence(words: list[str], draft: CorruptedStory, rng: np.random.Generator) -> list[str]:
    """A small variation of a sentence: shortened, partly repeated, or with one word replaced by another of the story.

    >>> draft = CorruptedStory.start([["he", "ran", "home", "."]], 0)
    >>> len(vary_sentence(["he", "ran", "home", "."], draft, np.random.default_rng(0))) > 0
    True
    """
    if len(words) < 4:
        return words
    kind = int(rng.integers(3))
    middle = int(rng.integers(2, len(words) - 1))
    if kind == 0:
        return [*words[:middle], words[-1]]
    if kind == 1:  # the middle part is repeated
        end = min(len(words) - 1, middle + int(rng.integers(1, 5)))
        joint = [","] if rng.random() < 0.5 else []
        return [*words[:end], *joint, *words[middle:]]
    lent = [w for s in draft.words for w in s if w.isalpha() and len(w) > 3]
    if not lent:
        return words
    return [*words[: middle - 1], lent[int(rng.integers(len(lent)))], *words[middle:]]


def insert_ngram_loop(
    draft: CorruptedStory, free: list[int], rng: np.random.Generator
) -> CorruptedStory | None:
    """Replaces two to eight sentences with samples of an n-gram model of the story's last 60 words before them.

    The model has orders 1 and 2, so phrases recur as in text by a small language model.
    """
    places = sample_run([i for i in free if i > 1], 2, 8, rng)
    if not places:
        return None
    earlier_words = [word for sentence in draft.words[: places[0]] for word in sentence]
    recent_words = earlier_words[-60:]
    after: dict[tuple[str, ...], list[str]] = {}
    for size in (1, 2):
        for start in range(len(recent_words) - size):
            after.setdefault(tuple(recent_words[start : start + size]), []).append(recent_words[start + size])
    beginnings = [sentence[0] for sentence in draft.words[: places[0]] if sentence]
    for index in places:
        words = [beginnings[int(rng.integers(len(beginnings)))]]
        for _ in range(int(rng.integers(6, 26))):
            options = after.get(tuple(words[-2:])) or after.get((words[-1],)) or recent_words
            words.append(options[int(rng.integers(len(options)))])
            if words[-1] in {".", "!", "?"}:
                break
        if words[-1] not in {".", "!", "?"}:
            words.append(".")
        draft = draft.with_sentence(index, words, "repetition", "ngram_loop")
    return draft


def shuffle_sentences(
    draft: CorruptedStory, free: list[int], rng: np.random.Generator
) -> CorruptedStory | None:
    """Shuffles three to six consecutive sentences."""
    places = sample_run(free, 3, 6, rng)
    if not places:
        return None
    order = rng.permutation(len(places))
    if (order == np.arange(len(places))).all():
        order = np.roll(order, 1)
    lines = [list(draft.words[places[i]]) for i in order]
    for index, number, words in zip(places, order, lines, strict=True):
        if index != places[number]:
            draft = draft.with_sentence(index, words, "wrong_order", "block_reordering")
    return draft


def insert_other_story(
    draft: CorruptedStory, free: list[int], other_story: Sequence[Words], rng: np.random.Generator
) -> CorruptedStory | None:
    """Replaces two to eight sentences with as many of another story, from about the same position."""
    places = sample_run(free, 2, 8, rng)
    if not places or len(other_story) < 2:
        return None
    start = min(int(len(other_story) * places[0] / len(draft.words)), max(0, len(other_story) - len(places)))
    for index, words in zip(places, other_story[start : start + len(places)], strict=False):
        draft = draft.with_sentence(index, list(words), "off_topic", "block_substitution")
    return draft


def contradict_earlier_sentence(
    draft: CorruptedStory, free: list[int], rng: np.random.Generator
) -> CorruptedStory | None:
    """Replaces a sentence with the negation of one at least two sentences before it."""
    for index in rng.permutation([i for i in free if i > 1]).tolist():
        for earlier in rng.permutation(index - 1).tolist():
            words = toggle_negation(draft.words[earlier])
            if words:
                return draft.with_sentence(index, words, "contradiction", "distant_contradiction")
    return None


def toggle_negation(words: Words) -> list[str] | None:
    """The sentence with its negation removed, or with one inserted after an auxiliary; None if neither is possible.

    >>> toggle_negation(["she", "was", "happy", "."])
    ['she', 'was', 'not', 'happy', '.']
    >>> toggle_negation(["he", "ca", "n't", "swim", "."])
    ['he', 'can', 'swim', '.']
    """
    for index, word in enumerate(words):
        if word in NEGATIONS:
            before = list(words[:index])
            if before[-1:] == ["ai"]:
                return None
            if word == "n't" and before:
                before[-1] = CUT_MODALS.get(before[-1], before[-1])
            return [*before, *words[index + 1 :]]
    for index, (word, after) in enumerate(pairwise(words)):
        if after not in SUBJECTS and (word in BE_AND_MODALS or (word in HAVE and _is_participle(after))):
            return [*words[: index + 1], "not", *words[index + 1 :]]
    return None


def _is_participle(word: str) -> bool:
    return inflect(lemma(word, "VBN"), "VBN") == word


SPAN_EDITS: dict[str, SpanEdit] = {
    "block_repetition": repeat_block,
    "ngram_loop": insert_ngram_loop,
    "block_reordering": shuffle_sentences,
    "distant_contradiction": contradict_earlier_sentence,
}
