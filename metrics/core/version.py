"""The project's version, read by signatures, cards, tags and pyproject.toml."""

__version__ = "0.1.0"
