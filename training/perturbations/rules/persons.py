"""Whether a story becomes confused if another person takes the place of one of its persons."""

from collections.abc import Set
from functools import lru_cache

from openmeva.training.perturbations.rules.nominals import lexicographer_file
from openmeva.training.perturbations.rules.pronouns import person_of
from openmeva.training.text.inflection import lemma
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

# Pairs that often refer to the same person in a story: "we thought" for "I thought" hardly changes the meaning.
_ALIKE = (frozenset({"i", "we"}), frozenset({"it", "they"}))
_THIRD = frozenset({"he", "she", "it"})
_NARRATORS = frozenset({"i", "we"})
_CHILDREN = word_set("baby infant child kid toddler newborn")
_PEOPLE = {
    "he": word_set(
        "man men boy guy brother father dad husband son uncle grandfather grandpa boyfriend king nephew sir mr son-in-law"
    ),
    "she": word_set(
        "woman women girl lady sister mother mom wife daughter aunt grandmother grandma girlfriend queen niece mrs ms daughter-in-law"
    ),
}
_SPEECH = word_set(
    "said told asked says tells asks replied answered thought explained informed warned say tell ask"
)
# Verbs that suit things as well as persons: "it had no food".
_OF_ALL = word_set(
    """
    have get be need take make look go come start work turn stop cause let keep move hit open close break help give run
    stay fall stand begin end continue
    """
)


def confuses(sentence: Sentence, at: int, column: str, new: str, persons: Set[str | None]) -> bool:
    """Whether the story becomes confused if the person `new` takes the place of that of the pronoun at `at`.

    It may not if somebody or something of the story could have done the same: a narrator, another man or woman, an animal.
    """
    old = person_of(sentence.lowered[at])
    if new in _NARRATORS | {"they"} or _are_alike(new, old) or column == "possessive_noun":
        return False
    if new == "you" and (column == "possessive" or _may_be_addressed(sentence, at)):
        return False
    if "it" in {new, old} and (
        column == "possessive" or (column == "subject" and _suits_things(sentence, at))
    ):
        return False
    if old in _NARRATORS and new == "you":
        return any(person_of(word) == old for word in sentence.lowered[at + 1 :])
    if old in _THIRD and new in _THIRD and _has_animal_or_child(sentence.story):
        return False
    if new not in _PEOPLE:
        return True
    if _has_other_person(sentence.story, "she" if new == "he" else "he"):
        return False
    by_the_other = column == "object" and new in sentence.lowered[:at]  # "she decided to dump her"
    is_present = new in persons or not _PEOPLE[new].isdisjoint(_words(sentence.story))
    return by_the_other or not is_present or (old == "it" and column == "object")


def _may_be_addressed(sentence: Sentence, at: int) -> bool:
    """Whether "you" at `at` may be whom somebody speaks to, or anybody: "he said you", "any way you want"."""
    before = {*sentence.lowered[:at]}
    following = sentence.tags[at + 1 : at + 2]
    if following == ["MD"] or {"if", "when", "whenever", "means", "meant"} & before:
        return True
    return bool(_SPEECH & before) or (at > 0 and sentence.tags[at - 1].startswith(("NN", "W")))


def _suits_things(sentence: Sentence, at: int) -> bool:
    """Whether the verb after the subject at `at` often has things as subject: "it had no food"."""
    after = at + 1
    while after < len(sentence) and not sentence.tags[after].startswith("V"):
        after += 1
    return after == len(sentence) or lemma(sentence.lowered[after], sentence.tags[after]) in _OF_ALL


@lru_cache(maxsize=4)
def _words(story: Story) -> frozenset[str]:
    """All words of a story; cached, for stories of very many sentences."""
    return frozenset(word for sentence in story.sentences for word in sentence.lowered)


@lru_cache(maxsize=4)
def _has_animal_or_child(story: Story) -> bool:
    """Whether a story mentions an animal or a small child, for which "he", "she" and "it" are all usual."""
    return any(
        tag in {"NN", "NNS"} and _is_animal_or_child(lemma(word, tag))
        for sentence in story.sentences
        for word, tag in zip(sentence.lowered, sentence.tags, strict=True)
    )


@lru_cache(maxsize=4)
def _has_other_person(story: Story, gender: str) -> bool:
    """Whether a story mentions a person, by a noun, who is not of `gender` for certain: a doctor, a friend."""
    return any(
        tag == "NN" and word not in _PEOPLE[gender] and lexicographer_file(lemma(word, tag)) == "noun.person"
        for sentence in story.sentences
        for word, tag in zip(sentence.lowered, sentence.tags, strict=True)
    )


def _is_animal_or_child(noun: str) -> bool:
    return noun in _CHILDREN or lexicographer_file(noun) == "noun.animal"


def _are_alike(person: str, other: str | None) -> bool:
    return person == other or frozenset((person, other)) in _ALIKE
