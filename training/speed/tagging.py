"""How fast stories are tagged, beside NLTK's tagger with the same weights."""

import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from nltk.tokenize import NLTKWordTokenizer

from openmeva.training.files import read_rows
from openmeva.training.paths import STORIES
from openmeva.training.text.tagger.tagging import load_tagger, tag

Story = Sequence[Sequence[str]]


def mini_stories() -> list[list[list[str]]]:
    """The five-sentence stories that come with the project, lower-cased, as tokens by sentence.

    Raises:
        FileNotFoundError: `datasets/stories/mini.jsonl` is missing.
    """
    tokenize = NLTKWordTokenizer().tokenize
    rows = [row.values for row in read_rows(STORIES)]
    return [[tokenize(s.lower()) for s in row["sentences"]] for row in rows if row["kind"] == "roc"]


def tagging_speed(n_stories: int = 2000, stories: Sequence[Story] | None = None) -> dict[str, float]:
    """Stories tagged a second by one process, higher is better, by `tag` and by NLTK's `PerceptronTagger`.

    Both are warm: weights are loaded before the clock starts. NLTK's runs on an eighth of the stories.

    Args:
        n_stories: how many stories to tag; fewer given ones are repeated.
        stories: tokens by sentence by story; by default the stories that come with the project.

    Returns:
        `{"batched": stories a second, "nltk": stories a second}`.

    Raises:
        ValueError: no stories, or fewer than one asked for.
    """
    if n_stories < 1:
        raise ValueError(f"n_stories: expected 1 or more, got {n_stories}")
    source = mini_stories() if stories is None else stories
    if not source:
        raise ValueError("stories: expected at least one, got none")
    chosen = list(islice(cycle(source), n_stories))
    some = chosen[: max(1, n_stories // 8)]
    one_by_one = load_tagger().tag
    tag([["warm"]])
    return {
        "batched": _rate(lambda: tag([words for story in chosen for words in story]), len(chosen)),
        "nltk": _rate(lambda: [one_by_one(words) for story in some for words in story], len(some)),
    }


def _rate(work: Callable[[], object], amount: int) -> float:
    start = time.perf_counter()
    work()
    return amount / (time.perf_counter() - start)
