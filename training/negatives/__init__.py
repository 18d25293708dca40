"""Negative samples: human-written stories with the errors that story generators make.

`UnionSampler` makes UNION's negative samples (section 3.2 of the paper). Each operation is in its own module and
registered by name in `OPERATIONS`. An operation takes and returns an `EditedStory`, which records the origin of each
token and the operation that last touched it. `tag_corpus` tags a corpus once and caches the tags.
"""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.edited import EditedStory
from openmeva.training.negatives.material import NegativeMaterial, language_of
from openmeva.training.negatives.registry import OPERATIONS
from openmeva.training.negatives.sampling import UnionSampling
from openmeva.training.negatives.union import UnionSampler
from openmeva.training.text.tagged_corpus import tag_corpus
from openmeva.training.text.tagged_story import TaggedStory

__all__ = [
    "OPERATIONS",
    "BufferedRandom",
    "EditedStory",
    "NegativeMaterial",
    "TaggedStory",
    "UnionSampler",
    "UnionSampling",
    "language_of",
    "tag_corpus",
]
