"""Where a negation may come or go: the sentence stays English, and what is told later no longer agrees with it."""

from functools import lru_cache
from itertools import pairwise

from openmeva.training.perturbations.rules.causal_words import is_causal_since, is_causal_so
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge.lexicon import is_keyword
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

# Words that want a negation, or say another thing without it: "scored at all", "could help laughing".
_WITH_NEGATION = word_set(
    """
    any anymore anyone anybody anything anywhere ever yet either neither nor until till even much many long single
    slightest budge help wait believe stand mind bother care least quite
    """
)
# Words that a negation does not reach, or that it makes another claim with: "did not already eat", "not very tall".
_WITHOUT_NEGATION = word_set(
    """
    some someone somebody something somewhere somehow already also too still just only even finally always almost
    nearly suddenly immediately instantly soon quickly eventually very really extremely such well lot lots plenty every
    everyone everybody everything everywhere all both each enough least luckily fortunately unfortunately sadly
    instead hardly barely rather quite once again many several few most
    """
)
_OPEN = word_set(
    "if unless whether or nor though although wish wished hoped"
)  # what is said holds either way
_SUBORDINATE = word_set(
    "when whenever after before because if that who which while as until till since what where how"
)
_FINITE = frozenset({"VBD", "VBN", "VBZ", "VBP"})
_NEAR = 6  # tokens into the next sentence
_ASIDE = word_set("said asked told replied thought knew see know say tell ask think")


def may_be_negated(sentence: Sentence, at: int) -> bool:
    """Whether the verb at `at` is that of a main clause which a negation turns into its opposite."""
    words, tags = sentence.lowered, sentence.tags
    if {'"', "?"} & {*words} or {*words} & (_OPEN | _WITHOUT_NEGATION) or words[at] in _ASIDE:
        return False
    start = max((place + 1 for place in range(at) if words[place] in {",", ";", ":"}), default=0)
    if {*words[start:at]} & _SUBORDINATE:
        return False
    return not any(
        (tags[place] == "CC" or words[place] == ",") and {*tags[place + 1 : place + 3]} & _FINITE
        for place in range(at + 1, len(tags))
        if tags[place + 1 : place + 2] != ["PRP"]
    )


def may_be_affirmed(sentence: Sentence, at: int) -> bool:
    """Whether the sentence says the opposite without the negation at `at`."""
    words = sentence.lowered
    following = words[at:]
    if {'"', "?"} & {*words} or {*words} & _OPEN or {*following} & _WITH_NEGATION:
        return False
    return ("at", "all") not in pairwise(following)


def bears_on_story(sentence: Sentence, at: int) -> bool:
    """Whether what follows rests on the clause of the verb at `at`.

    So it does where a later sentence takes up a noun, verb or adjective of its predicate, or the next one begins with
    "it" for a thing that the predicate brings in, or where the sentence itself draws a consequence.
    """
    end = _clause_end(sentence, at)
    later = sentence.story.sentences[sentence.index + 1 :]
    last = _last_told(sentence.story)
    if any(last.get(word, -1) > sentence.index for word in _lemmas(sentence, at, end)):
        return True
    if any(is_causal_so(sentence, place) for place in range(end, len(sentence) - 1)):
        return True
    brings_in = any(
        sentence.lowered[place] in {"a", "an"} and sentence.tags[place] == "DT"
        for place in range(at + 1, end)
    )
    return bool(later) and brings_in and bool({"it", "its"} & {*later[0].lowered[:_NEAR]})


def _clause_end(sentence: Sentence, at: int) -> int:
    words = sentence.lowered
    for place in range(at + 1, len(words)):
        if words[place] in {",", ";", ".", "!", "because", "when", "while", "but"} or is_causal_since(
            sentence, place
        ):
            return place
    return len(words)


@lru_cache(maxsize=4)
def _last_told(story: Story) -> dict[str, int]:
    """Each lemma of a story, and the last sentence that has it: found once, for stories of very many sentences."""
    return {word: other.index for other in story.sentences for word in _lemmas(other, 0, len(other))}


def _lemmas(sentence: Sentence, start: int, end: int) -> set[str]:
    """The lemmas of nouns, verbs and adjectives among tokens `start` to `end`, names and function words aside."""
    return {
        lemma(word, tag)
        for word, tag, surface in zip(
            sentence.lowered[start:end], sentence.tags[start:end], sentence.words[start:end], strict=True
        )
        if tag[:2] in {"NN", "VB", "JJ"} and is_keyword(word, tag) and not sentence.story.is_name(surface)
    }
