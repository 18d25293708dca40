"""Precision of the error types that explanations name."""

from typing import Any

import pytest

from openmeva.training.benchmark.probes.error_types import (
    ERROR_TYPE_OF_ASPECT,
    Precision,
    error_type_precision,
    precision_table,
    read_stories,
)


class Names:
    """A metric that calls every story off topic, and stories with repeated words repetitive."""

    def compute(self, predictions: list[str], explain: bool) -> dict[str, Any]:
        assert explain
        kinds = [
            {"off_topic": 0.6, "repetition": 0.9 * text.startswith("again again")} for text in predictions
        ]
        return {"explanations": [{"error_types": probabilities} for probabilities in kinds]}


def test_error_type_precision_counts_correct_predictions() -> None:
    stories = [
        ("again again", "repetition"),
        ("again again x", None),
        ("a", "off_topic"),
        ("b", None),
        ("c", None),
    ]
    assert error_type_precision(Names(), stories) == {
        "repetition": Precision(2, 1, 1),
        "off_topic": Precision(3, 1, 1),
    }
    assert Precision(3, 1, 1).share == pytest.approx(1 / 3)
    assert Precision(0, 0, 1).share is None


def test_precise_error_types_are_marked() -> None:
    kinds = {
        "off_topic": Precision(4, 3, 5),
        "repetition": Precision(10, 7, 9),
        "wrong_order": Precision(0, 0, 1),
    }
    *_, precision, worth = precision_table(kinds, 20).columns
    assert list(precision.cells) == ["0.75", "0.70", ""]
    assert list(worth.cells) == ["yes", "", ""]


def test_weights_without_error_types_are_rejected() -> None:
    class Nameless:
        def compute(self, **arguments: Any) -> dict[str, Any]:
            return {"explanations": [{"sentences": []} for _ in arguments["predictions"]]}

    with pytest.raises(ValueError, match="no head for them"):
        error_type_precision(Nameless(), [("a", None)])


def test_stories_for_precision_are_originals_and_perturbed_ones() -> None:
    stories = read_stories(2)
    assert [kind for _, kind in stories] == [None] * 4 + [
        k for k in ERROR_TYPE_OF_ASPECT.values() for _ in range(2)
    ]
