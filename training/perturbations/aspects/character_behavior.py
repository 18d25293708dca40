"""Character behavior: who does what to whom is confused."""

from collections import defaultdict
from collections.abc import Iterator, Set

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.agreement import agree_with_subject
from openmeva.training.perturbations.rules.nominals import lexicographer_file
from openmeva.training.perturbations.rules.noun_phrases import Clause, NounPhrase, clauses
from openmeva.training.perturbations.rules.persons import confuses
from openmeva.training.perturbations.rules.pronouns import (
    COLUMNS,
    PERSONS,
    column_of,
    fitting_subjects,
    object_form,
    person_of,
    subject_form,
)
from openmeva.training.perturbations.rules.valency import BE, is_passive
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import lemma
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

_WITH_IT = word_set(
    "'s 'd rained rains kept keeps started began snowed snows seemed seems took takes turned turns happened appeared appears"
)
_SPEAKING = frozenset({"i", "we", "you"})
_PREPOSITIONS = frozenset({"at"})
# Verbs of which a thing may be the subject: "the idea that he had", "the news reached her".
_OF_THINGS = word_set(
    "hit hurt meet touch reach follow face catch hold pass beat cover fill join match block have has had"
)
# What can act on nobody; persons, animals and groups can, and ideas, feelings or events may in a figure of speech.
_LIFELESS = frozenset(
    f"noun.{name}"
    for name in ("artifact", "object", "plant", "food", "substance", "communication", "possession")
)


def is_example(story: Story, material: PerturbationMaterial) -> bool:
    """Stories in the passive voice, or with pronouns of at least three persons (Table 1, appendix B.1)."""
    persons = {person_of(word) for sentence in story.sentences for word in sentence.lowered}
    return len(persons - {None}) >= 3 or any(map(has_passive, story.sentences))


def has_passive(sentence: Sentence) -> bool:
    """Whether a form of "be" comes before a past participle, ignoring adverbs between them."""
    return any(is_passive(sentence, at, BE) for at in range(len(sentence)))


def exchange_roles(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Exchanges subject and object of a clause; the verb agrees with its new subject, pronouns change case."""
    exchangeable = [
        (sentence, clause)
        for sentence in story.sentences[material.keep :]
        for clause in clauses(sentence, _PREPOSITIONS)
        if is_exchangeable(sentence, clause)
    ]
    if not exchangeable:
        return None
    sentence, clause = rng.choice(exchangeable)
    edits = [
        _phrase_at(sentence, clause.subject, clause.object, subject=True),
        _phrase_at(sentence, clause.object, clause.subject, subject=False),
    ]
    verb = next(at for at in range(clause.verb_start, clause.verb_end) if sentence.tags[at][0] in "VM")
    old = sentence.lowered[verb]
    new = agree_with_subject(old, sentence.tags[verb], subject_form(clause.object.subject))
    if new != old:
        edits.append(sentence.replacement_edit(verb, new))
    return edits


def is_exchangeable(sentence: Sentence, clause: Clause) -> bool:
    """Whether a person acts on a lifeless thing, which cannot act on a person, and no other verb has the same subject."""
    subject, thing = clause.subject, clause.object
    words = sentence.lowered
    if not _is_person(sentence, subject) or words[clause.verb_start].startswith("'"):  # "he 's had it"
        return False
    head = thing.end - 1
    if thing.pronoun or (sentence.story.is_name(sentence.words[head]) and not sentence.in_capitals):
        return False
    if lexicographer_file(lemma(words[head], sentence.tags[head])) not in _LIFELESS:
        return False
    if lemma(words[clause.main_verb], sentence.tags[clause.main_verb]) in _OF_THINGS:
        return False
    return not any(tag in {"VBZ", "VBP"} or word in BE for word, tag in _rest(sentence, thing.end))


def _is_person(sentence: Sentence, phrase: NounPhrase) -> bool:
    if phrase.pronoun:
        return phrase.pronoun != "it"
    head = phrase.end - 1
    if sentence.story.is_name(sentence.words[head]):
        return phrase.end - phrase.start == 1
    return lexicographer_file(lemma(sentence.lowered[head], sentence.tags[head])) == "noun.person"


def _rest(sentence: Sentence, start: int) -> Iterator[tuple[str, str]]:
    """Words and tags from `start` on."""
    return zip(sentence.lowered[start:], sentence.tags[start:], strict=True)


def _phrase_at(sentence: Sentence, old: NounPhrase, new: NounPhrase, subject: bool) -> Edit:
    if new.pronoun:
        text = subject_form(new.pronoun) if subject else object_form(new.pronoun)
        if text == "i" and story_writes_capital_i(sentence.story):
            text = "I"
    else:
        text = sentence.mid_sentence_text(new.start, new.end)
    if sentence.in_capitals:
        text = text.upper()
    elif sentence.is_capital_position(old.start) and sentence.words[old.start][:1].isupper():
        text = text[:1].upper() + text[1:]
    return Edit(sentence.spans[old.start][0], sentence.spans[old.end - 1][1], text)


def story_writes_capital_i(story: Story) -> bool:
    """Whether the story capitalizes the first-person pronoun."""
    return story.cased


def substitute_pronoun(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces a pronoun by another person's pronoun of the same column of Table 13.

    The other person is of the same number, if possible, since "they" often includes "she", and among these one who has a
    pronoun in the story, as in Table 1; if there is none, any other person. Subjects and objects are preferred to possessives, since
    "his arm" for "my arm" often makes sense, too. Reflexives are last, since their antecedent is in the same clause. A
    subject is replaced only by one that agrees with its verb, and is kept if a reflexive refers to it.
    """
    persons = _persons_meant(story)
    ranked: defaultdict[int, list[tuple[Sentence, int, list[str]]]] = defaultdict(list)
    for sentence in story.sentences[material.keep :]:
        for at, word in enumerate(sentence.lowered):
            column = column_of(sentence, at) if person_of(word) else None
            if column is None or _is_expletive(sentence, at, column) or _has_reflexive(sentence, at, column):
                continue
            others = _others(sentence, at, column, persons)
            bound = _SPEAKING & {person_of(other) for other in sentence.lowered}  # no "did you see you"
            alike = [
                other
                for other in others
                if _is_plural(other) == _is_plural(word) and person_of(other) not in bound
            ]
            if "you" not in persons:  # as in most stories, in which it would mark perturbed ones
                alike = [other for other in alike if person_of(other) != "you"] or alike
            present = [other for other in alike if person_of(other) in persons]
            if column == "reflexive":
                rank = 5
            elif not alike or {person_of(other) for other in alike} == {"you"} - persons:
                rank = 4
            else:
                rank = 2 * (column not in ("subject", "object")) + (not present)
            if others:
                ranked[rank].append((sentence, at, present or alike or others))
    if not ranked:
        return None
    sentence, at, others = rng.choice(ranked[min(ranked)])
    new = rng.choice(others)
    if new == "i" and story_writes_capital_i(story):
        new = "I"
    return [sentence.replacement_edit(at, new)]


def _persons_meant(story: Story) -> set[str | None]:
    """The persons of the story's pronouns, except an expletive "it"."""
    return {
        person_of(word)
        for sentence in story.sentences
        for at, word in enumerate(sentence.lowered)
        if not _is_expletive(sentence, at, column_of(sentence, at))
    }


def _is_expletive(sentence: Sentence, at: int, column: str | None) -> bool:
    """Whether "it" at `at` is expletive: the subject of a form of "be", of weather or the like."""
    if sentence.lowered[at] != "it" or column != "subject":
        return False
    following = sentence.lowered[at + 1 : at + 2]
    return bool(following) and following[0] in BE | _WITH_IT


def _has_reflexive(sentence: Sentence, at: int, column: str) -> bool:
    """Whether a reflexive of the same person follows the subject at `at`, before another subject."""
    person = person_of(sentence.lowered[at])
    for index in range(at + 1, len(sentence) if column == "subject" else 0):
        word = sentence.lowered[index]
        if word.endswith(("self", "selves")) and person_of(word) == person:
            return True
        if column_of(sentence, index) == "subject":
            return False
    return False


def _others(sentence: Sentence, at: int, column: str, persons: Set[str | None]) -> list[str]:
    """Forms of other persons that may take the place of the pronoun at `at`, in its column."""
    word = sentence.lowered[at]
    index = COLUMNS.index(column)
    fitting = fitting_subjects(sentence, at) if column == "subject" else None
    forms = {
        row[index]
        for row in PERSONS
        if (fitting is None or row[0] in fitting) and confuses(sentence, at, column, row[0], persons)
    }
    return sorted(forms - {word})


def _is_plural(word: str) -> bool:
    return person_of(word) in {"we", "they"}


ASPECT = Aspect(
    name="character_behavior",
    kind=DISCRIMINATION,
    title="Character behavior",
    meaning="Roles or pronouns change, so that another person does something.",
    techniques={"role_exchange": exchange_roles, "pronoun_substitution": substitute_pronoun},
    needs=("wordnet",),
    selects=is_example,
)
