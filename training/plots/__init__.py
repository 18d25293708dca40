"""Plots: the phrases that carry a story, sentence by sentence.

`storyline` takes ROC's (keywords by RAKE), `verb_plot` WritingPrompts' (verbs and their arguments);
`EXTRACTORS` has both by name. `python -m training.plots` measures them against published plots.
"""

from training.plots.extractors import EXTRACTORS, Extractor, extract_plots
from training.plots.keywords import storyline
from training.plots.plot import Plot, plot_text
from training.plots.verbs import verb_plot

__all__ = ["EXTRACTORS", "Extractor", "Plot", "extract_plots", "plot_text", "storyline", "verb_plot"]
