"""The corpus statistics, the lexicon and the settings that operations use."""

from collections.abc import Sequence
from dataclasses import dataclass

from openmeva.training.negatives.sampling import UnionSampling
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.knowledge.conceptnet_english import ConceptNetEnglish
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.knowledge.resources import warn_without_conceptnet
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory


@dataclass(frozen=True, slots=True)
class NegativeMaterial:
    """The corpus and the lexical knowledge that operations use, and their settings.

    Attributes:
        language: Lexicon and inflection.
        keywords: Keywords of the corpus by tag, with mention frequencies.
        stories: The corpus; the source of sentences for sentence substitution.
        keep: Number of leading sentences that no operation changes.
        keyword_share: Share of the keywords that lexical substitution replaces, in (0, 1].
        ngram_max: Maximum n of the n-grams that lexical repetition repeats.
        contraction: Probability of "n't" for a negation where English allows it, in [0, 1].
    """

    language: Language
    keywords: KeywordTable
    stories: Sequence[TaggedStory]
    keep: int = 1
    keyword_share: float = 0.15
    ngram_max: int = 4
    contraction: float = 0.5


def language_of(sampling: UnionSampling) -> Language:
    """The lexicon named by `sampling`; prints on standard error if ConceptNet would be used but is missing.

    Raises:
        MissingResourceError: `sampling` needs ConceptNet only, and it has not been downloaded.
    """
    if sampling.lexicon == "conceptnet":
        return ConceptNetEnglish()
    warn_without_conceptnet()
    return English()
