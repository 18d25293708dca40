"""Repeated tokens: perplexity rewards them (OpenMEVA section 4.4), so they can be scored separately."""

from collections.abc import Sequence


def repeated_ngram_mask(ids: Sequence[int], n: int) -> list[bool]:
    """Whether each token ends an n-gram that occurred earlier in the sequence.

    >>> repeated_ngram_mask([1, 2, 3, 1, 2, 3], 2)
    [False, False, False, False, True, True]

    Raises:
        ValueError: n below 1.
    """
    if n < 1:
        raise ValueError(f"expected n-grams of 1 token or more, got {n}")
    seen: set[tuple[int, ...]] = set()
    repeated = []
    for end in range(1, len(ids) + 1):
        ngram = tuple(ids[end - n : end]) if end >= n else None
        repeated.append(ngram in seen if ngram else False)
        if ngram:
            seen.add(ngram)
    return repeated
