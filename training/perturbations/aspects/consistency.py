"""Consistency: words are replaced by antonyms, or sentences are negated."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.aspects.common_sense import is_replaceable
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.nominals import lexicographer_file
from openmeva.training.perturbations.rules.opposites import has_negating_prefix, negated_by_prefix, opposites
from openmeva.training.perturbations.rules.polarity import may_be_affirmed, may_be_negated, story_depends_on
from openmeva.training.perturbations.rules.replacing import keyword_places, replace_word
from openmeva.training.perturbations.rules.valency import LIGHT_VERBS, verb_fits
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.negation.adding import addition_sites, negate
from openmeva.training.text.negation.removal import removal_sites, rewrite_without_negation
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

SHARE_OF_SENTENCES = 0.2
SHARE_OF_WORDS = 0.1
NEGATED_WORDS = word_set(
    """
    no not n't never neither nor none nobody nothing nowhere hardly scarcely barely rarely seldom
    without cannot unlikely
    """
)
_OF_BEINGS = frozenset({"young", "rich", "poor"})
_BEINGS = frozenset({"noun.person", "noun.animal", "noun.group", "noun.location"})
_LANGUAGE = English()
_NEGATABLE = ("be", "modal", "auxiliary", "base", "third_person", "past")


def is_example(story: Story, material: PerturbationMaterial) -> bool:
    """Stories with negated words (Table 12): "not", "hardly", "unhappy"."""
    return any(
        word in NEGATED_WORDS or has_negating_prefix(word, tag)
        for sentence in story.sentences
        for word, tag in zip(sentence.lowered, sentence.tags, strict=True)
    )


def substitute_antonyms(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces a tenth of the keywords, at least one, by WordNet's antonyms in the same form."""
    candidates = keyword_places(story, material.keep)
    wanted = max(1, round(SHARE_OF_WORDS * len(candidates)))
    edits: list[Edit] = []
    num_replaced = 0
    for sentence, at in rng.shuffled(candidates):
        antonyms = fitting_opposites(sentence, at)
        if not antonyms:
            continue
        edits += replace_word(sentence, at, rng.choice(antonyms))
        num_replaced += 1
        if num_replaced == wanted:
            break
    return edits or None


def fitting_opposites(sentence: Sentence, at: int) -> list[str]:
    """Antonyms of the word at `at` that fit its sentence."""
    word, tag = sentence.lowered[at], sentence.tags[at]
    if not is_replaceable(sentence, at):
        return []
    antonyms = [new for new in opposites(word, tag) if _fits_noun(sentence, at, new)]
    if tag.startswith("V"):
        if lemma(word, tag) in LIGHT_VERBS:
            return []
        antonyms = [new for new in antonyms if verb_fits(sentence, at, lemma(new, tag))]
    return antonyms


def _fits_noun(sentence: Sentence, at: int, new: str) -> bool:
    """Whether an adjective said of people and animals ("young", "rich") does not come before another noun ("wallet")."""
    tag = sentence.tags[at + 1] if at + 1 < len(sentence) else "."
    if new not in _OF_BEINGS or tag not in {"NN", "NNS"}:
        return True
    return lexicographer_file(lemma(sentence.lowered[at + 1], tag)) in _BEINGS


def alter_negation(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Adds a negation to, or removes one from, a fifth of the sentences, at least one.

    In a sentence where both are possible, each has probability .5. A negation is a word ("not", by UNION's rules) or
    a prefix ("agree", "disagree"). Only clauses on which the later story depends are changed.
    """
    pool = story.sentences[material.keep :]
    wanted = max(1, round(SHARE_OF_SENTENCES * len(story)))
    edits: list[Edit] = []
    num_altered = 0
    for sentence in rng.shuffled(pool):
        order = (remove_negation, add_negation) if rng.chance(0.5) else (add_negation, remove_negation)
        for change in order:
            new = change(sentence, rng)
            if new:
                edits += new
                num_altered += 1
                break
        if num_altered == wanted:
            break
    return edits or None


def add_negation(sentence: Sentence, rng: BufferedRandom) -> list[Edit] | None:
    """The edits that negate a finite verb or add a negating prefix to a word; None where neither fits."""
    words, tags = sentence.lowered, sentence.tags
    if (NEGATED_WORDS | {"n"}) & set(words):  # "n" of an "n't" split by a tokenizer
        return None  # a second negation often does not change the meaning
    verbs = [
        (at, rule)
        for at, rule in addition_sites(words, tags)
        if rule in _NEGATABLE and may_be_negated(sentence, at) and story_depends_on(sentence, at)
    ]
    prefixed = _prefixed(sentence, adding=True)
    if prefixed and (not verbs or rng.chance(0.5)):
        at, new = rng.choice(prefixed)
        return replace_word(sentence, at, new)
    if not verbs:
        return None
    at, rule = rng.choice(verbs)
    return sentence.rewrite_edits(negate(words, tags, at, rule, rng.chance(0.5), _LANGUAGE))


def remove_negation(sentence: Sentence, rng: BufferedRandom) -> list[Edit] | None:
    """The edits that remove "not" or a negating prefix; None where there is none."""
    words, tags = sentence.lowered, sentence.tags
    sites = [
        at
        for at in removal_sites(words, tags)
        if may_be_affirmed(sentence, at) and story_depends_on(sentence, at)
    ]
    prefixed = _prefixed(sentence, adding=False)
    if prefixed and (not sites or rng.chance(0.5)):
        at, new = rng.choice(prefixed)
        return replace_word(sentence, at, new)
    if not sites:
        return None
    return sentence.rewrite_edits(rewrite_without_negation(words, tags, rng.choice(sites), _LANGUAGE))


def _prefixed(sentence: Sentence, adding: bool) -> list[tuple[int, str]]:
    prefixed = []
    for at, (word, tag) in enumerate(zip(sentence.lowered, sentence.tags, strict=True)):
        if sentence.story.is_name(sentence.words[at]) or not story_depends_on(sentence, at):
            continue
        for new in negated_by_prefix(word, tag):
            if (len(new) > len(word)) == adding and not (
                tag[0] == "V" and not verb_fits(sentence, at, lemma(new, tag))
            ):
                prefixed.append((at, new))
    return prefixed


ASPECT = Aspect(
    name="consistency",
    kind=DISCRIMINATION,
    title="Consistency",
    meaning="A word is replaced by its antonym, or a negation is added or removed.",
    techniques={"antonym_substitution": substitute_antonyms, "negation_alteration": alter_negation},
    needs=("wordnet",),
    selects=is_example,
    selection_needs=("wordnet",),
)
