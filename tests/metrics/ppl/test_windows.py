"""Documented properties of windows and repetition masks, for every small size."""

import pytest

from openmeva.metrics.ppl.repetition import repeated_ngram_mask
from openmeva.metrics.ppl.windows import causal_windows, centred_windows


def test_causal_windows_score_each_token_once_after_half_a_window() -> None:
    for limit in range(1, 12):
        for length in range(1, 40):
            for context_length in range(length):
                windows = causal_windows(length, context_length, limit)
                scored = [i for w in windows for i in range(w.first, w.last)]
                assert scored == list(range(context_length, length))
                for w in windows:
                    assert 0 <= w.begin <= w.first < w.last <= w.end <= length
                    assert w.end - w.begin <= limit
                    assert w.begin == 0 or w.first - w.begin >= limit // 2


def test_centred_windows_score_each_token_once_with_a_quarter_on_both_sides() -> None:
    for limit in range(1, 12):
        for length in range(1, 40):
            for context_length in range(length):
                windows = centred_windows(length, context_length, limit)
                scored = [i for w in windows for i in range(w.first, w.last)]
                assert scored == list(range(context_length, length))
                for w in windows:
                    assert 0 <= w.begin <= w.first < w.last <= w.end <= length
                    assert w.end - w.begin <= limit
                    assert w.begin == 0 or w.first - w.begin >= limit // 4
                    assert w.end == length or w.end - w.last >= limit // 4


def test_repeated_ngram_mask_equals_exhaustive_search() -> None:
    ids = [1, 2, 3, 1, 2, 3, 3, 3, 1, 2, 2, 3, 1, 2, 3, 4]
    for n in (1, 2, 3, 4):
        expected = []
        for i in range(len(ids)):
            ngram = ids[i - n + 1 : i + 1] if i >= n - 1 else None
            earlier = any(ids[j - n + 1 : j + 1] == ngram for j in range(n - 1, i))
            expected.append(ngram is not None and earlier)
        assert repeated_ngram_mask(ids, n) == expected
    with pytest.raises(ValueError, match="expected n-grams of 1 token or more, got 0"):
        repeated_ngram_mask(ids, 0)
