"""Agreement of raters in blocks of different sizes, and with too few stories."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.agreement import _variances, icc, icc_two_way, kendall_w


def test_two_way_icc_weights_blocks_by_their_stories():
    rng = np.random.default_rng(0)
    large = rng.normal(0, 3, (40, 1)) + rng.normal(size=(40, 2))
    small = rng.normal(size=(5, 2))
    raters = [["a", "b"]] * 40 + [["c", "d"]] * 5
    stories, judges, error = (40 * np.array(_variances(large)) + 5 * np.array(_variances(small))) / 45
    single = icc_two_way(np.concatenate([large, small]), raters)["single"]
    assert single == pytest.approx(stories / (stories + judges + error))


def test_agreement_of_too_few_stories_is_refused():
    with pytest.raises(ValueError, match="no three stories"):
        kendall_w(np.array([[1.0, 2], [2, 1]]), [["a", "b"]] * 2)
    with pytest.raises(ValueError, match="five stories, got 4"):
        icc(np.array([[1.0, 2], [2, 3], [5, 5], [4, 3]]))
