"""Whether scores depend on length alone: `python -m training.benchmark.probes.length --data DIR [--metrics NAME …]`.

Held-out human-written stories of WritingPrompts that are long enough are truncated at the sentence ends nearest to 50,
100, 200 and 400 words, so that every length has the same stories. Prints the mean score at each length, and Spearman's
correlation of score and length over all truncated stories (`cut`) and over the whole stories (`whole`); near 0 is good.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import spearmanr

from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.probes.human_stories import (
    MIN_STORY_WORDS,
    run_probe,
    score_texts,
    truncate_near,
)

LENGTHS = (50, 100, 200, MIN_STORY_WORDS)  # words


def length_effect(entry: MetricEntry, stories: Sequence[str]) -> dict[str, dict[str, float]]:
    """Row title to its mean score at each length, and its rank correlations `cut` and `whole` with length in words.

    Raises:
        ValueError: as `score_texts`.
    """
    parts = [truncate_near(story, words) for words in LENGTHS for story in stories]
    texts = [*parts, *stories]
    lengths = np.array([len(text.split()) for text in texts])
    result = {}
    for title, scores in score_texts(entry, texts).items():
        by_length = scores[: len(parts)].reshape(len(LENGTHS), -1).mean(1)
        result[title] = {
            **{f"{words} words": float(mean) for words, mean in zip(LENGTHS, by_length, strict=True)},
            "cut": float(spearmanr(scores[: len(parts)], lengths[: len(parts)])[0]),
            "whole": float(spearmanr(scores[len(parts) :], lengths[len(parts) :])[0]),
        }
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    title = "Mean score, and Spearman with length, of {} human stories"
    run_probe(length_effect, title, 100, "python -m training.benchmark.probes.length", __doc__, arguments)


if __name__ == "__main__":
    main()
