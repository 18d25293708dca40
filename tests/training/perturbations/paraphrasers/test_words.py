"""Words of set phrases are not replaced."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.paraphrasers.words import phrase_table


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He drew a big ladder.", ["large"]),
        ("He closed a big deal.", []),
        ("Many people came.", ["numerous"]),
        ("So many people came.", []),
        ("He made sure that he ate.", ["saw to it that"]),
        ("He made sure to eat.", []),
        ("He was very ill.", ["really"]),
        ("He ate the very next day.", []),
        ("He slept as well.", ["too"]),
        ("He slept as well as Tom.", []),
        ("He slept again.", ["once more"]),
        ("He slept once again.", []),
        ("Nicole could not go.", ["was not able to"]),
        ("He threw the ball.", ["tossed"]),
        ("He threw a fit.", []),
        ("He liked her very much.", []),  # not "was fond of her very much"
        ("He was fast.", ["quick"]),
        ("He was driving too fast.", []),
        ("Sam and Nicole could not go.", []),  # "was" would agree with the last one
        ("Tom could not be happier.", []),
        ("He could not sleep because of a rule.", []),  # he may be able to
        ("He bought two cats.", ["purchased", "a total of two"]),
        ("He slept for two hours.", ["for a period of"]),
        ("He had to leave.", ["was forced to"]),
        ("He had to be careful.", []),
        ("He forgot to eat.", ["failed to remember"]),
        ("He forgot his hat.", []),  # not "failed to remember" it
        ("He went with his mom.", ["together with", "mother"]),
        ("He was angry with his mom.", ["furious", "mother"]),
        ("Most of the guests left.", ["the majority of", "went away"]),
        ("Most of the time he slept.", ["was asleep"]),
        ("He noticed a fish.", ["became aware of"]),
        ("He noticed his fish was sick.", ["ill"]),
        ("He got a letter.", ["received"]),
        ("He got a cold.", []),
        ("He quit his job.", ["gave up"]),
        ("He quit smoking.", []),
        ("He ate it again.", ["once more"]),
        ("He shut the door again.", []),  # "once more" would be another time
        ("He ate the whole cake.", ["entire"]),
        ("A whole new style came.", []),
    ],
)
def test_set_phrases_are_not_replaced(text: str, expected: list[str]) -> None:
    assert [site.new for site in phrase_table().sites(Story(text).sentences[0])] == expected
