"""The corpus statistics, the lexicon and the settings that operations draw on."""

from collections.abc import Sequence
from dataclasses import dataclass

from openmeva.training.negatives.sampling import UnionSampling
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.knowledge.conceptnet_english import ConceptNetEnglish
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.knowledge.resources import tell_without_conceptnet
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory


@dataclass(frozen=True, slots=True)
class NegativeMaterial:
    """The corpus and the knowledge that operations draw on, and their settings.

    Attributes:
        language: Lexicon and inflection.
        keywords: Keywords of the corpus by tag, with mention frequencies.
        stories: The corpus; sentences for sentence substitution come from here.
        keep: How many leading sentences no operation may touch.
        keyword_share: Which part of the keywords lexical substitution replaces, in (0, 1].
        ngram_max: The longest n-gram that lexical repetition repeats.
        contraction: How often a negation is written "n't" where English allows it, in [0, 1].
    """

    language: Language
    keywords: KeywordTable
    stories: Sequence[TaggedStory]
    keep: int = 1
    keyword_share: float = 0.15
    ngram_max: int = 4
    contraction: float = 0.5


def language_of(sampling: UnionSampling) -> Language:
    """The lexicon that a sampling names; that ConceptNet is missing where it would be used is told on standard error.

    Raises:
        MissingResourceError: the sampling wants ConceptNet alone, and it has not been fetched.
    """
    if sampling.lexicon == "conceptnet":
        return ConceptNetEnglish()
    tell_without_conceptnet()
    return English()
