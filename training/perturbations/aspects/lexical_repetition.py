"""Lexical repetition: a 4-gram or a sentence is repeated."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.negatives.repetition import ngram_starts
from openmeva.training.negatives.sentence import EditedSentence
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

SIZE = 4
# Words that a repeated n-gram must not start with (after "and"), and words that it must not end with.
_BAD_START = word_set("and or but , who which that than because so if when as n't not of until")
_BAD_END = word_set(
    """
    a an the to of in on at for with from by into and or but my your his her its our their this that
    these those was were is are be been had has have did do does would could should will can i he she we
    they it's as than very so too not no if when because who which what where how about some any every
    each
    """
)
_PAUSES = word_set("and but because so when after before until while")
_MODIFIERS = word_set("DT PRP$ JJ JJR JJS CD NN NNS NNP POS RB")
_OBJECTS = word_set("him her me us them it")


def repeat_ngram(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Repeats a 4-gram right after itself, joined by "and"; it has no punctuation and splits no word.

    Most 4-grams are not phrases. Only those are used that start a phrase and end at a pause, before a punctuation
    mark or a conjunction.
    """
    starts: list[tuple[Sentence, int]] = []
    for sentence in story.sentences[material.keep :]:
        words = sentence.lowered
        size = len(words)
        plain = EditedSentence(words, words, range(size), ("",) * size)  # only its words are read
        for start in ngram_starts(plain, SIZE).get(SIZE, ()):
            end = start + SIZE
            if words[start] in _BAD_START or words[end - 1] in _BAD_END:
                continue
            at_pause = end == size or not words[end][0].isalnum() or words[end] in _PAUSES
            if at_pause and _starts_phrase(sentence, start):
                starts.append((sentence, start))
    if not starts:
        return None
    sentence, start = rng.choice(starts)
    end = start + SIZE
    index = sentence.spans[end - 1][1]
    joint = " AND " if sentence.in_capitals else " and "
    return [Edit(index, index, joint + sentence.mid_sentence_text(start, end))]


def _starts_phrase(sentence: Sentence, at: int) -> bool:
    """Whether a phrase starts at `at`: no noun split from its article or preposition, no object from its verb."""
    tag, before = sentence.tags[at], sentence.tags[at - 1] if at else ""
    if tag == "RP" or (at and tag in {"VB", "VBN"}):
        return False
    if before in _MODIFIERS and tag.startswith(("NN", "JJ", "CD", "VBG")):
        return False
    if before.startswith("VB") or sentence.lowered[at] in _OBJECTS:
        return False
    if before in {"DT", "PRP"} and tag in {"IN", "RB"}:
        return False
    return before not in {"IN", "TO", "MD", "RP"}


def repeat_sentence(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Repeats a sentence right after itself."""
    if len(story) <= material.keep:
        return None
    sentence = rng.choice(story.sentences[material.keep :])
    return [Edit(sentence.end, sentence.end, _blank(story) + sentence.text)]


def _blank(story: Story) -> str:
    """The separator between sentences; a space in place of a paragraph break."""
    return story.separator if story.separator.strip("\n ") == "" and "\n" not in story.separator else " "


ASPECT = Aspect(
    name="lexical_repetition",
    kind=DISCRIMINATION,
    title="Lexical repetition",
    meaning="Words or a whole sentence are repeated.",
    techniques={"ngram_repetition": repeat_ngram, "sentence_repetition": repeat_sentence},
)
