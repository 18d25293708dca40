"""Adversarial filtering (Zellers et al. 2018; plot-guided paper, section 3.2.2): it keeps the negatives that fool a committee.

| module | what it does |
|---|---|
| `filtering` | the rounds: train on one half of the stories, replace easy negatives of the other half |
| `committee` | an ensemble of classifiers; `MEMBERS` has them by name |
| `ngrams`, `probe`, `lstm` | the members |
| `stage` | filtering as a resumable stage: `python -m training.plot_guided.adversarial_filtering --config … --data DIR` |
| `curve` | the figure of accuracy by round |
"""

from openmeva.training.plot_guided.adversarial_filtering.committee import Committee
from openmeva.training.plot_guided.adversarial_filtering.filtering import AdversarialFilter, CandidatePool

__all__ = ["AdversarialFilter", "CandidatePool", "Committee"]
