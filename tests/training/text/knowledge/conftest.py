"""Fixtures of the tests of lexical knowledge."""

import pytest

from openmeva.training.text.knowledge import resources
from tests.facts import clear_fact_caches


@pytest.fixture
def wordnet_alone(tmp_path, monkeypatch):
    """Only the ConceptNet that a test stores in this folder."""
    monkeypatch.setattr(resources, "conceptnet_folder", lambda: tmp_path)
    clear_fact_caches()
    yield tmp_path
    clear_fact_caches()
