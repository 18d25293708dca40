"""Negative samples: human-written stories with the errors that story generators make.

`UnionSampler` makes UNION's (section 3.2 of the paper). Each operation stands in its own module and is
registered by name in `OPERATIONS`; all take and return an `EditedStory`, which remembers where each
token came from and which operation touched it. `tag_corpus` tags a corpus once and caches the tags.
"""

from openmeva.training.common.draws import Draws
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial, language_of
from openmeva.training.negatives.registry import OPERATIONS, TECHNIQUE_OPERATIONS
from openmeva.training.negatives.sampling import UnionSampling
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.tagged_corpus import tag_corpus
from openmeva.training.text.tagged_story import TaggedStory

__all__ = [
    "OPERATIONS",
    "TECHNIQUE_OPERATIONS",
    "Draws",
    "EditedSentence",
    "EditedStory",
    "KeywordTable",
    "NegativeMaterial",
    "TaggedStory",
    "UnionSampler",
    "UnionSampling",
    "language_of",
    "tag_corpus",
]
