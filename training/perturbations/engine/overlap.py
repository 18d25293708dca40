"""Word overlap of two sentences."""

from collections import Counter
from collections.abc import Sequence
from math import exp


def bleu_1(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU-1 of a sentence with one reference: clipped unigram precision times the brevity penalty.

    Args:
        candidate: words, in lower case.
        reference: words, in lower case.

    Returns:
        0 (no word in common) to 1; 0 for an empty candidate.

    >>> bleu_1("he employed a lawyer .".split(), "he hired an attorney .".split())
    0.4
    """
    if not candidate:
        return 0.0
    common = sum((Counter(candidate) & Counter(reference)).values())
    penalty = 1.0 if len(candidate) >= len(reference) else exp(1 - len(reference) / len(candidate))
    return penalty * common / len(candidate)
