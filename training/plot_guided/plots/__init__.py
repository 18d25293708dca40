"""Plots: the phrases that carry a story, sentence by sentence.

`storyline` takes ROC's (keywords by RAKE), `verb_plot` WritingPrompts' (verbs and their arguments);
`EXTRACTORS` has both by name. `python -m training.plot_guided.plots` measures them against published plots.
"""

from openmeva.training.plot_guided.plots.extractors import EXTRACTORS, Extractor, extract_plots
from openmeva.training.plot_guided.plots.keywords import storyline
from openmeva.training.plot_guided.plots.plot import Plot, plot_text
from openmeva.training.plot_guided.plots.verbs import verb_plot

__all__ = ["EXTRACTORS", "Extractor", "Plot", "extract_plots", "plot_text", "storyline", "verb_plot"]
