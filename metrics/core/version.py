"""The project's version: signatures, cards, tags and pyproject.toml all read it here."""

__version__ = "0.1.0"
