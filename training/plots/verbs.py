"""WritingPrompts' plots: verbs with the phrases beside them, by part-of-speech tags (section 5.1).

The paper takes verbs and arguments from a semantic-role labeller (Fan et al. 2019); chunks of tags come near it.
`semantic_roles` uses a labeller where there is one.
"""

from collections.abc import Sequence

import numpy as np

from training.plots.plot import Plot

_PLACE = "TODO"


def verb_plot(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], rng: np.random.Generator
) -> Plot:
    raise NotImplementedError
