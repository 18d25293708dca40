"""Implausible stories written from broken plots (MANPLTS, section 3.2), and plain samples from unbroken ones."""

from openmeva.training.plot_guided.negatives.stage import make_negatives, make_plain, settings
from openmeva.training.plot_guided.negatives.writer import SCHEMA, NegativeWriter, row

__all__ = ["SCHEMA", "NegativeWriter", "make_negatives", "make_plain", "row", "settings"]
