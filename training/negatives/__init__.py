"""Negative samples: human-written stories with the errors that story generators make.

`UnionSampler` makes UNION's (section 3.2 of the paper). Each operation stands in its own module and is
registered by name in `OPERATIONS`; all take and return an `EditedStory`, which remembers where each
token came from and which operation touched it. `tag_corpus` tags a corpus once and caches the tags.
"""

from .draws import Draws
from .edit import Edit
from .edited import EditedStory
from .keywords import KeywordTable
from .language import Language
from .material import Material
from .registry import OPERATIONS, TECHNIQUE_OPERATIONS
from .sampling import UnionSampling
from .sentence import EditedSentence
from .story import TaggedStory
from .tagged_corpus import tag_corpus
from .union import UnionSampler

__all__ = [
    "OPERATIONS",
    "TECHNIQUE_OPERATIONS",
    "Draws",
    "Edit",
    "EditedSentence",
    "EditedStory",
    "KeywordTable",
    "Language",
    "Material",
    "TaggedStory",
    "UnionSampler",
    "UnionSampling",
    "tag_corpus",
]
