"""Implausible stories generated from manipulated plots (MANPLTS, section 3.2), and plain samples from original ones."""

from openmeva.training.plot_guided.negatives.stage import generated_form, make_negatives, settings
from openmeva.training.plot_guided.negatives.writer import SCHEMA, unmanipulated_row

__all__ = ["SCHEMA", "generated_form", "make_negatives", "settings", "unmanipulated_row"]
