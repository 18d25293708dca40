"""Punctuation: inessential punctuation marks are deleted."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import INVARIANCE, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.clause_order import body_end
from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import FINITE_TAGS
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story

_COORDINATORS = frozenset({"and", "but", "so", "or", "yet"})
_LONGEST_OPENER = 6
_COMMA = ","
_SUBJECTS = frozenset({"i", "he", "she", "we", "they"})  # never objects


def delete_marks(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Deletes all inessential punctuation marks.

    In a sentence with one comma and no quotes, these are the comma after an introductory phrase and the one before
    "and", "but", "so", "or" or "yet"; also, in any sentence
    without quotes, all but one of several final marks ("!!!"). Commas of lists, appositions, forms of address and
    quotations are kept, and those between two nouns.
    """
    edits = [edit for sentence in story.sentences[material.keep :] for edit in deletable_marks(sentence)]
    return edits or None


def deletable_marks(sentence: Sentence) -> list[Edit]:
    """The possible deletions in a sentence."""
    words = sentence.words
    edits: list[Edit] = []
    commas = [at for at, word in enumerate(words) if word == _COMMA]
    if '"' not in words and len(commas) == 1 and _is_deletable(sentence, commas[0]):
        edits.append(_deletion(sentence, commas[0]))
    if '"' not in words:
        final = [at for at in range(body_end(sentence), len(sentence)) if words[at] in {"!", "?"}]
        if len(final) > 1:
            edits += [_deletion(sentence, at) for at in final[1:]]
    return edits


def _is_deletable(sentence: Sentence, at: int) -> bool:
    words, tags = sentence.lowered, sentence.tags
    if at == 0 or at + 1 >= len(words):
        return False
    if words[at + 1] in _COORDINATORS:
        nouns = words[at + 1] in {"and", "or"} and _are_nouns(tags[at - 1], *tags[at + 2 : at + 3])
        return not nouns and bool(FINITE_TAGS & {*tags[at + 1 :]})  # "he ate fish, and chips were cold"
    opener_is_name = sentence.story.is_name(sentence.words[at - 1]) and at == 1
    if (
        at > _LONGEST_OPENER
        or opener_is_name
        or tags[0] in {"UH", "NNP", "VB"}
        or words[0] in {"yes", "no", "oh"}
        or not (FINITE_TAGS | {"VBN"}) & {*tags[at + 1 :]}  # "not now, Tom."
    ):
        return False
    starts_phrase = tags[0] in {"RB", "IN", "TO", "WRB", "RBR"} or words[0] in {
        "one",
        "that",
        "this",
        "the",
        "last",
    }
    return (
        starts_phrase
        and tags[at + 1] in {"PRP", "NNP", "DT", "PRP$", "NN", "NNS", "EX"}
        and not _would_join(sentence, at)
    )


def _are_nouns(*tags: str) -> bool:
    return all(tag.startswith("NN") for tag in tags)


def _would_join(sentence: Sentence, at: int) -> bool:
    """Whether the text after the comma could attach to the text before it: "when she returned the dress"."""
    before, after = sentence.tags[at - 1], sentence.tags[at + 1]
    if before.startswith(("V", "RP", "IN", "TO")) or sentence.lowered[at - 1] in {"inside", "outside"}:
        return sentence.lowered[at + 1] not in _SUBJECTS
    has_verb = any(tag.startswith("V") for tag in sentence.tags[:at])
    if after == "NNP" and (sentence.lowered[at - 1] in TIME_NOUNS or not (has_verb or before == "NNP")):
        return False  # "on Monday Tom left", "after dinner Tom left"
    return before.startswith(("NN", "JJ")) and after in {"NN", "NNS", "NNP"}  # "after dinner guests"


def _deletion(sentence: Sentence, at: int) -> Edit:
    start, end = sentence.spans[at]
    text = sentence.story.text
    while start and text[start - 1] in " \t":  # tokenised text: also delete the space before
        start -= 1
    return Edit(start, end, "")


ASPECT = Aspect(
    name="punctuation",
    kind=INVARIANCE,
    title="Punctuation",
    meaning="Punctuation marks are deleted: the story's quality does not change.",
    techniques={"deletion": delete_marks},
)
