"""Neighbours and links in a small ConceptNet for tests."""

import pytest

from openmeva.training.text.knowledge import conceptnet_files, resources
from openmeva.training.text.knowledge.commonsense import are_linked, neighbours

ASSERTIONS = [
    ("AtLocation", "dog", "kennel"),
    ("AtLocation", "kennel", "yard"),
    ("IsA", "puppy", "dog"),
    ("CapableOf", "dog", "bark"),
    ("HasProperty", "dog", "loyal"),
    ("UsedFor", "kennel", "keep dogs"),
    ("Antonym", "dog", "cat"),
    ("HasSubevent", "run", "sweat"),  # mostly a noun
    ("HasSubevent", "run", "breathe"),
    ("IsA", "dog", "qwrt"),
]


@pytest.fixture
def conceptnet(wordnet_alone):
    conceptnet_files.store(ASSERTIONS, wordnet_alone)


@pytest.mark.usefixtures("conceptnet")
@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        # Both directions, in the plural, but no kinds of dogs; what is a noun mostly, no opposite, nothing unknown.
        ("dogs", "NNS", ("barks", "kennels")),
        ("Yard", "NN", ("Kennel",)),
        ("ran", "VBD", ("breathed",)),
        ("loyal", "JJ", ()),
        ("dog", "DT", ()),
        ("table", "NN", ()),
    ],
)
def test_neighbours(word, tag, expected):
    assert neighbours(word, tag) == expected


@pytest.mark.usefixtures("conceptnet")
def test_are_linked():
    assert are_linked("Dogs", "NNS", "barked", "VBD")
    assert are_linked("barked", "VBD", "dogs", "NNS")
    assert are_linked("kennel", "NN", "yard", "NN")
    assert not are_linked("dog", "NN", "yard", "NN")
    assert not are_linked("dog", "NN", "cat", "NN")
    assert not are_linked("dog", "NN", "dog", "NN")
    assert not are_linked("dog", "DT", "kennel", "NN")


@pytest.mark.usefixtures("wordnet_alone")
def test_missing_conceptnet_error_names_the_command():
    for call in (lambda: neighbours("dog", "NN"), lambda: are_linked("dog", "NN", "cat", "NN")):
        with pytest.raises(resources.MissingResourceError, match="--conceptnet FILE"):
            call()
