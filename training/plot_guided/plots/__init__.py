"""Plots: the key phrases of a story, sentence by sentence.

`storyline` extracts ROC's plots (keywords by RAKE), `verb_plot` WritingPrompts' (verbs and their arguments);
`EXTRACTORS` has both by name. `python -m training.plot_guided.plots` compares them with published plots.
"""

from openmeva.training.plot_guided.plots.extractors import EXTRACTORS, check_extractor, extract_plots
from openmeva.training.plot_guided.plots.keywords import storyline
from openmeva.training.plot_guided.plots.plot import Plot, plot_text

__all__ = ["EXTRACTORS", "Plot", "check_extractor", "extract_plots", "plot_text", "storyline"]
