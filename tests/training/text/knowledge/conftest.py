"""Fixtures of the tests of lexical knowledge."""

import pytest

from openmeva.training.text.knowledge import resources
from tests.facts import forget_facts


@pytest.fixture
def wordnet_alone(tmp_path, monkeypatch):
    """Only the ConceptNet that a test stores in this folder."""
    monkeypatch.setattr(resources, "conceptnet_folder", lambda: tmp_path)
    forget_facts()
    yield tmp_path
    forget_facts()
