"""Synonyms of a word that fit its sentence."""

from functools import lru_cache

from openmeva.training.perturbations.rules.nominals import lexicographer_file
from openmeva.training.perturbations.rules.set_phrases import is_replaceable
from openmeva.training.perturbations.rules.valency import LIGHT_VERBS, verb_fits
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge.lexicon import CONTENT_CLASSES, STOP_WORDS, known_lemma, synonyms
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_MENTIONS = 4  # minimum in SemCor: rare synonyms read as mistakes
# Words whose first sense is not the usual one in stories, or that need other words around them.
_NEVER = word_set(
    """
    ass hr sis min job occupation presently mamma pound lb year yr kind challenge curious shot case
    adult floor food class help career total important group plan furious plant quit
    live bunch wave pretty
    babe before little advocate promote proprietor director fall play alone harm advertising fault vote
    voting publish print province reckon cite perfectly load publicity scope meter recruit thicket deficiency
    dictate incline assurance beckon after mill style blackness headache commission mode inhibit
    suppress tilt zero plain sanction menace instal engineering religion foliage earnings engagement result
    war cloth embrace effect recover answer study place react frightening badly middle spiritual mean wing view conquer
    globe earth brow forehead desert forsake vacation holiday narrative altogether forestall pupil kid
    characteristic feature proclamation announcement thought savor savour detect concur
    lately recently barely scarcely hardly perspiration finally tune melody vicinity neighborhood vast furnish
    commonly regain authority workout precisely inescapable soil dirty soiled construct
    accomplish amazing bulk chiefly clump companion cross crossed crossing curtain damp defy despair determine
    disrupt employ fairly fake fashion frustrate fumble gasp incorporate integrate intention involvement minimum
    mix mostly motivate panic profit project task purpose quickly rapidly red retreat reveal responsibility
    round scream yell simply slim snake speed strategy strengthen strictly therefore tumble writhe spectacular tv television race
    """
)
# Replacements that are rare, dated or narrower, for words that may otherwise be replaced.
_NEVER_NEW = word_set(
    """
    beast creature youngster individual metropolis merchandise nation telephone specter frightful immense implore
    perish wholly ordinarily evidently plainly recollect necessitate dreadful instruct subsequently gag theme
    ascertain textile wood counsel mend process minister nightfall older instructor woods
    """
)
# The only word that may follow: "the rest of", "a chance to" (there is "a chance of rain").
_ONLY_BEFORE = {"rest": "of", "chance": "to", "opportunity": "to"}
# Words after which a word has another meaning or is part of a set phrase: "went to the doctor", "missed her plane", "by mistake".
_NOT_AFTER = {
    "doctor": frozenset({"the"}),
    "store": frozenset({"the"}),
    "plane": frozenset({"his", "her", "my", "their", "our", "a", "catch", "the"}),
    "mistake": frozenset({"by"}),
    "story": frozenset({"the", "news"}),
    "movies": frozenset({"the"}),
    "immediately": frozenset({"quite", "very", "so", "more"}),
    "opportunity": frozenset({"more", "much", "little", "no"}),
}
# "nearly never" is not English.
_NOT_BEFORE = {
    "almost": frozenset({"never", "no", "nothing", "nobody", "none", "always"}),
    "immediately": frozenset({"after", "before", "when"}),
}
_THINGS = frozenset({"noun.artifact", "noun.animal", "noun.object", "noun.plant", "noun.food", "noun.body"})
# Nouns for which a size says how important something is.
_IMPORTANT = word_set("match game games date test break fan gift present surprise problem deal mistake")
_SIZES = word_set(
    "big bigger biggest large larger largest huge enormous immense vast small smaller smallest tiny"
)


@lru_cache(maxsize=1 << 16)
def is_close(word: str, new: str, tag: str) -> bool:
    """Whether two words have the same first sense, in which both are mostly used.

    WordNet orders senses by frequency. A synonym in a rarer sense of either word has another meaning: "end" and
    "goal", "miss" and "lose".
    """
    part = CONTENT_CLASSES[tag]
    base = known_lemma(new, tag)
    first = lemma(word, tag)
    if base is None or new in STOP_WORDS or len(new) < 2:
        return False
    own, others = senses(first, part), senses(base, part)
    if (
        not own
        or not others
        or own[0].synset != others[0].synset
        or {base, first} & _NEVER
        or base in _NEVER_NEW
    ):
        return False
    return _share_of_first_sense(first, part) >= 0.5 and _share_of_first_sense(base, part) >= 0.5


@lru_cache(maxsize=1 << 15)
def _share_of_first_sense(base: str, part: str) -> float:
    """Share of a lemma's mentions in SemCor that have its first sense; 0 for a lemma with few mentions."""
    counts = [sense.mentions for sense in senses(base, part)]
    return counts[0] / sum(counts) if counts and counts[0] >= _MENTIONS else 0.0


def fitting_synonyms(sentence: Sentence, at: int) -> list[str]:
    """Synonyms of the word at `at` that fit its sentence."""
    word, tag = sentence.lowered[at], sentence.tags[at]
    base = lemma(word, tag)
    if (
        base in LIGHT_VERBS
        or base == "film"
        or not is_replaceable(sentence, at)
        or (tag == "NN" and word.endswith("ing"))
    ):
        return []
    following = sentence.lowered[at + 1] if at + 1 < len(sentence) else ""
    if following in _NOT_BEFORE.get(base, ()) or following != _ONLY_BEFORE.get(base, following):
        return []
    if sentence.lowered[at - 1 : at] and sentence.lowered[at - 1] in (
        *_NOT_AFTER.get(base, ()),
        *_NOT_AFTER.get(word, ()),
    ):
        return []
    if known_lemma(word, tag) != base or not is_size_of_thing(sentence, at):
        return []
    candidates = [new for new in synonyms(word, tag) if is_close(word, new, tag)]
    if candidates and tag.startswith("V"):
        sense = senses(base, "v")[0].synset
        candidates = [
            new
            for new in candidates
            if lemma(new, tag) not in LIGHT_VERBS and verb_fits(sentence, at, lemma(new, tag), sense)
        ]
    return candidates


def is_size_of_thing(sentence: Sentence, at: int) -> bool:
    """Whether the word at `at` is not a size, or is that of a physical thing: a big brother is not a large one."""
    if sentence.lowered[at] not in _SIZES:
        return True
    following = sentence.tags[at + 1] if at + 1 < len(sentence) else "."
    return (
        following in {"NN", "NNS"}
        and sentence.lowered[at + 1] not in _IMPORTANT
        and lexicographer_file(lemma(sentence.lowered[at + 1], following)) in _THINGS
    )
