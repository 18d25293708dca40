"""Plots: the phrases that carry a story, sentence by sentence.

`storyline` takes ROC's (keywords by RAKE), `verb_plot` WritingPrompts' (verbs and their arguments);
`EXTRACTORS` has both by name. `python -m training.plot_guided.plots` measures them against published plots.
"""

from openmeva.training.plot_guided.plots.extractors import EXTRACTORS, extract_plots
from openmeva.training.plot_guided.plots.keywords import storyline
from openmeva.training.plot_guided.plots.plot import Plot, plot_text

__all__ = ["EXTRACTORS", "Plot", "extract_plots", "plot_text", "storyline"]
