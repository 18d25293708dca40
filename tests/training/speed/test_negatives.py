"""The speed row of negative samples, which `make bench` prints."""

from openmeva.training.speed.sampling import negatives_per_second
from tests.tiny.language import ANN, KEN, TOM, TinyLanguage, tagged


def test_negatives_are_measured(language: TinyLanguage) -> None:
    assert negatives_per_second([tagged(*story) for story in (KEN, ANN, TOM)] * 20, 1, language) > 0
