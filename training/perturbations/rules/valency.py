"""Whether a verb can replace another, by its complement and WordNet's sentence frames."""

from collections.abc import Set
from functools import lru_cache

from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.inflection import FINITE_TAGS
from openmeva.training.text.knowledge.lexicon import wordnet
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

# Numbers of WordNet's frames ("8 Somebody ----s something").
_WITH_OBJECT = frozenset({8, 9, 10, 11})
_WITH_PREPOSITION = frozenset({4, 13, 22})
_INTRANSITIVE, _PLACE, _TOWARDS = 2, 22, 27
_FRAMES = {
    "": frozenset[int](),
    "alone": frozenset({1, 2}),
    "object": _WITH_OBJECT,
    "passive": _WITH_OBJECT,
    "gap": _WITH_OBJECT,
    "two objects": frozenset({14}),
    "object to": frozenset({15}),
    "object infinitive": frozenset({24}),
    "clause": frozenset({26}),
    "to": frozenset({12, 27}),
    "infinitive": frozenset({28}),
    "gerund": frozenset({33}),
}
# Frames that WordNet assigns to too many or too few verbs, with the everyday verbs that have them.
_TAKEN_BY = {
    14: word_set("bring buy cook hand lend offer order owe pass pay promise read sell send show teach throw write"),
    24: word_set(
        """
        advise allow beg challenge convince encourage expect force invite order permit persuade push
        remind teach train urge warn
        """
    ),
    26: word_set(
        """
        admit agree announce answer argue assume believe claim complain confess confirm decide declare
        deny discover doubt dream expect explain fear figure find forget guess hear hope imagine insist
        know learn mention notice observe predict pray promise prove realize recall remember repeat
        reply report reveal see show suggest suppose suspect swear think understand whisper wish worry
        yell shout
        """
    ),
    28: word_set(
        """
        afford agree attempt choose decide demand deserve expect fail forget hate hesitate hope intend
        learn like long love manage offer plan prefer prepare pretend promise refuse remember struggle
        swear threaten wait wish
        """
    ),
    33: word_set(
        """
        avoid consider dislike enjoy finish hate imagine like love mind miss practice quit regret resist
        suggest
        """
    ),
}  # fmt: skip
_MOTION = word_set(
    """
    walk run drive travel return hurry rush move fly ride sail swim climb march race jog crawl wander
    """
)
_SELDOM_WITH_OBJECT = word_set(
    """
    decide hope agree think complain dream pray insist reply wish worry pretend fail intend wait swear succeed
    """
)
_OBJECT_STARTS = frozenset({"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "NNPS", "CD", "JJ", "JJS", "PDT", "EX"})
_DETERMINERS = frozenset({"DT", "PDT", "PRP$"})
_SUBJECTS = frozenset({"i", "he", "she", "we", "they"})
_PARTICLES = frozenset({"up", "out", "off", "down", "away", "back", "over", "apart", "together", "around"})
_CONJUNCTIONS = word_set("because when while until since as though although before after once during where")
# Prepositions that belong to the verb: "laugh at", "think of".
_GOVERNED = frozenset({"at", "of", "about"})
BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "am"})
_AUXILIARIES = BE | {"got", "get"}
# Verbs whose meaning depends on what follows; they are never replaced.
LIGHT_VERBS = word_set(
    """
    be have do get go come take make let keep put give set turn become seem try use need want start
    begin stop happen run hold bring help look feel say tell ask
    """
)


def complement(sentence: Sentence, at: int) -> str:
    """The type of complement of the verb at `at`; "" for types that few verbs allow.

    One of "alone", "object", "passive", "two objects", "object to", "object infinitive", "clause", "to",
    "infinitive", "gerund", or a preposition; "gap" if its object comes before it ("all he saw").
    """
    kind = _following(sentence, at)
    if kind in _FRAMES and kind not in {"alone", "to"}:
        return kind
    if _object_before(sentence, at):
        return "gap"
    return "clause" if _clause_later(sentence, at) else kind


def _following(sentence: Sentence, at: int) -> str:
    words, tags = sentence.lowered, sentence.tags
    after = at + 1
    while after < len(tags) and tags[after].startswith("RB") and words[after] not in _PARTICLES:
        after += 1
    if after == len(tags):
        return "passive" if is_passive(sentence, at) else "alone"
    tag, word = tags[after], words[after]
    is_infinitive = word == "to" and tags[after + 1 : after + 2] == ["VB"]
    if tag == "RP" or word in _PARTICLES or word in _GOVERNED:
        return ""
    if is_passive(sentence, at):
        bound = is_infinitive or tag in _OBJECT_STARTS | {"VBN", "VBG"} or word in _SUBJECTS | {"that"}
        return "" if bound else "passive"
    if word == "to":
        return "infinitive" if is_infinitive else "to"
    if (word == "that" and tag != "DT") or word in _SUBJECTS | {"how", "why", "whether", "if"} or tag == "WP":
        return "clause"
    if word in _CONJUNCTIONS:
        return "alone"
    if tag == "VBG":
        return "gerund"
    if tag in {"IN", "WRB"}:
        return word
    if tag in {"JJR", "VB", "VBN"} or (tag == "JJ" and _ends_phrase(tags, after + 1)):
        return ""
    return _with_object(sentence, at, after) if tag in _OBJECT_STARTS else "alone"


def is_passive(sentence: Sentence, at: int, auxiliaries: Set[str] = _AUXILIARIES) -> bool:
    """Whether the word at `at` is a past participle after one of the auxiliaries, ignoring adverbs between them."""
    words, tags = sentence.lowered, sentence.tags
    before = at - 1
    while before >= 0 and (tags[before].startswith("RB") or words[before] == "n't"):
        before -= 1
    return tags[at] == "VBN" and before >= 0 and words[before] in auxiliaries


def _object_before(sentence: Sentence, at: int) -> bool:
    """Whether the verb is in a relative clause and its object comes before the clause: "the man she met"."""
    words, tags = sentence.lowered, sentence.tags
    before = at - 1
    while before >= 0 and (tags[before].startswith(("RB", "V", "MD")) or words[before] in {"n't", "to"}):
        before -= 1
    if before < 1 or tags[before] not in {"PRP", "NNP", "NN", "NNS"}:
        return False
    opener = before - 1
    if words[opener] in {"which", "what", "whom"}:
        return True
    if words[opener] == "that":
        opener -= 1
    elif tags[before] != "PRP":
        return False
    is_thing = tags[opener].startswith("NN") or words[opener] in {"everyone", "everything", "all"}
    return opener >= 0 and is_thing and words[opener] not in TIME_NOUNS


def _clause_later(sentence: Sentence, at: int) -> bool:
    """Whether a clause with "that" follows, before another verb: "saw after a week that he was wrong"."""
    for word, tag in zip(sentence.lowered[at + 1 :], sentence.tags[at + 1 :], strict=True):
        if word == "that" and tag == "IN":
            return True
        if tag.startswith(("V", "MD", "CC")) or not word[:1].isalnum():
            return False
    return False


def _with_object(sentence: Sentence, at: int, start: int) -> str:
    """As `complement`, for a verb with an object that starts at `start`."""
    words, tags = sentence.lowered, sentence.tags
    end = _phrase_end(tags, start)
    is_pronoun = tags[start] == "PRP"
    if words[start].endswith(("self", "selves")):
        return ""  # "enjoyed himself"
    if not is_pronoun and words[end - 1] in TIME_NOUNS:
        return ""  # "spent the day", "slept the whole day"
    if end >= len(tags):
        return "object"
    tag, word = tags[end], words[end]
    if tag == "RP" or word in _PARTICLES or tag == "VB":
        return ""
    if tag in FINITE_TAGS or (tag == "VBN" and not is_pronoun):
        return "clause"  # a participle may be a mistagged past tense
    if word == "to":
        if tags[end + 1 : end + 2] != ["VB"]:
            return "object to"
        return "object infinitive" if is_pronoun else "object"
    if tag in _DETERMINERS and not TIME_NOUNS.intersection(words[end : _phrase_end(tags, end)]):
        return "two objects"
    if is_pronoun and (tag.startswith("JJ") or tag in {"VBN", "VBG", "NN", "NNS", "CD"}):
        return ""
    return "object"


def _phrase_end(tags: list[str], start: int) -> int:
    end = start + 1
    if tags[start] == "PRP":
        return end
    while end < len(tags) and (tags[end].startswith(("NN", "JJ", "CD")) or tags[end] == "POS"):
        end += 1
    return end


def _ends_phrase(tags: list[str], at: int) -> bool:
    return at >= len(tags) or not tags[at].startswith(("NN", "JJ", "CD"))


@lru_cache(maxsize=1 << 15)
def frames_of(base: str, synset: int | None = None) -> frozenset[int]:
    """The numbers of a verb's sentence frames in WordNet.

    Args:
        base: the verb, a lemma.
        synset: offset of one sense; None: the first sense and all with at least a tenth of the verb's mentions.
    """
    own = senses(base, "v")
    total = sum(sense.mentions for sense in own)
    common = [sense.synset for rank, sense in enumerate(own) if rank == 0 or 10 * sense.mentions >= total > 0]
    frame_ids: set[int] = set()
    for offset in common if synset is None else [synset]:
        for entry in wordnet().synset_from_pos_and_offset("v", offset).lemmas():
            if entry.name().lower() == base:
                frame_ids.update(entry.frame_ids())
    for frame, verbs in _TAKEN_BY.items():
        (frame_ids.add if base in verbs else frame_ids.discard)(frame)
    if base in _SELDOM_WITH_OBJECT:
        frame_ids -= _WITH_OBJECT
    if base in _MOTION:
        frame_ids.add(_TOWARDS)
    if _INTRANSITIVE in frame_ids and not frame_ids & _WITH_OBJECT:
        frame_ids.add(_PLACE)
    return frozenset(frame_ids)


def verb_fits(sentence: Sentence, at: int, base: str, synset: int | None = None) -> bool:
    """Whether the verb `base` (in sense `synset`, if given) can replace the one at `at` grammatically."""
    wanted = _FRAMES.get(complement(sentence, at), _WITH_PREPOSITION)
    return bool(wanted) and bool(wanted & frames_of(base, synset))
