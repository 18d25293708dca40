"""Where a negation may be added or removed: the sentence stays grammatical, and contradicts the later story."""

from dataclasses import dataclass
from functools import lru_cache

from openmeva.training.perturbations.rules.causal_words import is_causal_since, is_causal_so
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge.lexicon import is_keyword
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

# Words that have another meaning without a negation: "could help laughing".
_WITH_NEGATION = word_set("even much many long single help wait believe stand mind bother care least quite")
# Words outside the scope of a negation, or with which it changes the claim: "did not already eat", "not very tall".
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
)  # the statement holds with and without a negation
_SUBORDINATE = word_set(
    "when whenever after before because if that who which while as until till since what where how"
)
_FINITE = frozenset({"VBD", "VBN", "VBZ", "VBP"})
_CLAUSE_ENDS = word_set(", ; . ! because when while but")
_NEAR = 6  # tokens into the next sentence
_ASIDE = word_set("said asked told replied thought knew see know say tell ask think")


def may_be_negated(sentence: Sentence, at: int) -> bool:
    """Whether the verb at `at` is that of a main clause that a negation turns into its opposite."""
    words, tags = sentence.lowered, sentence.tags
    if {'"', "?"} & {*words} or {*words} & (_OPEN | _WITHOUT_NEGATION) or words[at] in _ASIDE:
        return False
    start = max((index + 1 for index in range(at) if words[index] in {",", ";", ":"}), default=0)
    if {*words[start:at]} & _SUBORDINATE:
        return False
    return not any(
        (tags[index] == "CC" or words[index] == ",") and {*tags[index + 1 : index + 3]} & _FINITE
        for index in range(at + 1, len(tags))
        if tags[index + 1 : index + 2] != ["PRP"]
    )


def may_be_affirmed(sentence: Sentence, at: int) -> bool:
    """Whether the sentence has the opposite meaning without the negation at `at`, which can be removed."""
    words = sentence.lowered
    return not ({'"', "?"} | _OPEN) & {*words} and not _WITH_NEGATION & {*words[at:]}


def story_depends_on(sentence: Sentence, at: int) -> bool:
    """Whether the later story depends on the clause of the verb at `at`.

    It does if a later sentence repeats a noun, verb or adjective of the predicate, if "it" or "its" is among the
    first six tokens of the next sentence and the predicate introduces a thing ("a dog"), or if the sentence itself
    draws a consequence.
    """
    places = _places(sentence)
    end = places.clause_end[at + 1]
    if places.mentioned_later[at] < end or end <= places.last_so:
        return True
    later = sentence.story.sentences[sentence.index + 1 : sentence.index + 2]
    introduces_thing = places.introduces_thing[at + 1] < end
    return bool(later) and introduces_thing and bool({"it", "its"} & {*later[0].lowered[:_NEAR]})


@dataclass(frozen=True)
class _Places:
    """Index of places in a sentence, so that a clause is not scanned again for each of its words.

    Attributes:
        clause_end, mentioned_later, introduces_thing: for each place, the first one from there on that ends a
            clause, has a lemma of a later sentence, or has an article that introduces a thing; the number of words
            where there is none.
        last_so: index of the last "so" that draws a consequence; -1 where there is none.
    """

    clause_end: list[int]
    mentioned_later: list[int]
    introduces_thing: list[int]
    last_so: int


@lru_cache(maxsize=4)
def _places(sentence: Sentence) -> _Places:
    words, tags = sentence.lowered, sentence.tags
    last = _last_mentions(sentence.story)
    every = range(len(words))
    return _Places(
        _next_true([words[at] in _CLAUSE_ENDS or is_causal_since(sentence, at) for at in every]),
        _next_true([last.get(_lemma(sentence, at), -1) > sentence.index for at in every]),
        _next_true([words[at] in {"a", "an"} and tags[at] == "DT" for at in every]),
        max((at for at in every[:-1] if is_causal_so(sentence, at)), default=-1),
    )


def _next_true(marks: list[bool]) -> list[int]:
    """For each place, and the one after the last, the first True from there on; the length where there is none."""
    next_true = [len(marks)] * (len(marks) + 1)
    for at in reversed(range(len(marks))):
        next_true[at] = at if marks[at] else next_true[at + 1]
    return next_true


@lru_cache(maxsize=4)
def _last_mentions(story: Story) -> dict[str, int]:
    """Each lemma of a story with the last sentence that has it; cached, for stories of very many sentences."""
    return {
        content_word: sentence.index
        for sentence in story.sentences
        for at in range(len(sentence))
        if (content_word := _lemma(sentence, at))
    }


def _lemma(sentence: Sentence, at: int) -> str:
    """The lemma of a noun, verb or adjective; "" for a name or a function word."""
    word, tag = sentence.lowered[at], sentence.tags[at]
    is_content_word = tag[:2] in {"NN", "VB", "JJ"} and is_keyword(word, tag)
    return lemma(word, tag) if is_content_word and not sentence.story.is_name(sentence.words[at]) else ""
