"""From affirmative to negative: the rules of Table 8.

Choices where the table is ambiguous: "been" after a form of have follows the row of participles ("had not
been"), like any other participle; an auxiliary do is negated like be ("did not really go"); a question
takes "n't", since its subject follows the verb. Infinitives have no row and do not change.
"""

from collections.abc import Callable, Sequence

from openmeva.training.text.inflection import FINITE_TAGS
from openmeva.training.text.language import Language
from openmeva.training.text.negation.verbs import (
    BE,
    BE_BEFORE_CONTRACTION,
    BE_FINITE,
    DO_TAGS,
    HAVE,
    HAVE_BEFORE_CONTRACTION,
    MODALS,
    NEGATIONS,
    NEGATIVE_ADVERBS,
    after_adverbs,
    governor,
    is_question,
)
from openmeva.training.text.rewrite import Rewrite, Token
from openmeva.training.text.word_set import word_set

Words = Sequence[str]
# before a gerund that modifies a noun or is a noun ("a running race", "his singing")
# verbs whose gerund takes no "not": "stopped laughing", "went shopping"
BEFORE_GERUND = word_set(
    """
    start starts started begin begins began stop stops stopped keep keeps kept continue continues continued
    finish finishes finished quit quits go goes went come comes came resume resumed
    """
)
MODIFIER_TAGS = frozenset({"DT", "PRP$", "POS", "JJ", "JJR", "JJS", "CD"})


def addition_sites(words: Words, tags: Words) -> list[tuple[int, str]]:
    """The verbs of a sentence that can be negated, each with the name of its rule.

    One verb group counts once: "would have gone" is negated at the modal only. Verbs already negated,
    infinitives after "to", and bare forms inside the sentence ("let him go") have no rule in Table 8.

    >>> addition_sites(["he", "was", "happy", "and", "sang"], ["PRP", "VBD", "JJ", "CC", "VBD"])
    [(1, 'be'), (4, 'past')]
    """
    sites = []
    for at, tag in enumerate(tags):
        if tag[0] == "V" or tag == "MD":
            rule = rule_for(words, tags, at)
            if rule:
                sites.append((at, rule))
    return sites


def rule_for(words: Words, tags: Words, at: int) -> str | None:
    """The name of the rule for the verb at `at`; None if there is none."""
    word, tag = words[at], tags[at]
    following = words[at + 1] if at + 1 < len(words) else ""
    before = governor(words, tags, at)
    if is_had_better(words, at) or (before >= 0 and is_had_better(words, before)):
        return None
    if following in NEGATIONS or following in NEGATIVE_ADVERBS:
        return None
    if any(earlier in NEGATIVE_ADVERBS for earlier in words[before + 1 : at]):
        return None
    head, head_tag = (words[before], tags[before]) if before >= 0 else ("", "")
    governed_by_have = head in HAVE and (head_tag.startswith("VB") or is_contracted_had(words, tags, before))
    if (
        head in NEGATIONS
        or (head_tag in {"MD", "TO"} and not governed_by_have)
        or (head in DO_TAGS and tag in {"VB", "VBP"})
    ):
        return None  # that verb is negated, or can be negated
    if tag == "MD":
        if is_contracted_had(words, tags, at):
            return None  # negated at its participle
        return "modal" if word in MODALS and not inverted_without_contraction(words, tags, at) else None
    if governed_by_have and tag in {"VBN", "VBD"}:  # taggers confuse these tags after "had"
        return None if under_modal(words, tags, before) else "participle"
    if word in BE_FINITE:
        return "be" if not inverted_without_contraction(words, tags, at) else None
    if head in BE and head_tag.startswith("VB"):
        return None  # progressive or passive: negated at the form of be
    if word in DO_TAGS and is_auxiliary_do(words, tags, at):
        return "auxiliary"
    if word in HAVE and is_auxiliary_have(words, tags, at):
        return None  # negated at its participle
    if word.startswith("'"):
        return None
    return form_rule(words, tags, at)


def is_had_better(words: Words, at: int) -> bool:
    """Whether "had better" is at `at`, which takes "not" after it."""
    return words[at] in {"had", "'d"} and list(words[at + 1 : at + 2]) == ["better"]


def is_contracted_had(words: Words, tags: Words, at: int) -> bool:
    """Whether "'d" at `at`, often tagged as a modal, is "had": a participle follows ("he 'd been")."""
    verb = after_adverbs(words, tags, at + 1)
    return words[at] == "'d" and list(tags[verb : verb + 1]) == ["VBN"]


def under_modal(words: Words, tags: Words, at: int) -> bool:
    """Whether the form of have at `at` follows a modal or a negation: "would have gone"."""
    before = governor(words, tags, at)
    return before >= 0 and (tags[before] == "MD" or words[before] in NEGATIONS)


def form_rule(words: Words, tags: Words, at: int) -> str | None:
    """The rule for a full verb by its form."""
    tag = tags[at]
    previous = tags[at - 1] if at else ""
    if tag == "VBG":
        after_phase = at > 0 and words[at - 1] in BEFORE_GERUND
        return None if previous in MODIFIER_TAGS or after_phase else "gerund"
    if tag == "VBN":
        # without "have": after a noun ("a man named Bob"), once the sentence has had its main verb
        return "participle" if previous.startswith("NN") and FINITE_TAGS & set(tags[:at]) else None
    if tag == "VB":
        # an imperative; with another finite verb in the sentence, it is a tagging error
        starts = at == 0 or words[at - 1] == '"'
        return "base" if starts and not FINITE_TAGS & set(tags) else None
    return {"VBP": "base", "VBZ": "third_person", "VBD": "past"}.get(tag)


def is_auxiliary_do(words: Words, tags: Words, at: int) -> bool:
    """Whether the form of do at `at` is an auxiliary (question or emphasis)."""
    nxt = after_adverbs(words, tags, at + 1)
    if nxt < len(tags) and tags[nxt] == "PRP" and is_question(words, at):
        nxt = after_adverbs(words, tags, nxt + 1)
    if nxt < len(tags) and tags[nxt] in {"VB", "VBP"}:
        return True
    return is_question(words, at) and opens_question(words, tags, at)


def is_auxiliary_have(words: Words, tags: Words, at: int) -> bool:
    """Whether the form of have at `at` is the auxiliary of a participle."""
    nxt = after_adverbs(words, tags, at + 1)
    return nxt < len(tags) and (tags[nxt] == "VBN" or (tags[nxt] == "VBD" and words[nxt] not in HAVE))


def opens_question(words: Words, tags: Words, at: int) -> bool:
    """Whether the verb at `at` begins the sentence or a quotation, or follows a question word."""
    return at == 0 or words[at - 1] == '"' or tags[at - 1].startswith("W")


def is_inverted(words: Words, tags: Words, at: int) -> bool:
    """Whether the verb at `at` precedes its subject, in a question."""
    return is_question(words, at) and opens_question(words, tags, at) and tags[at + 1 : at + 2] != []


def contraction_host(word: str, tag: str) -> str | None:
    """The form of `word` before "n't"; None if English has no such form.

    >>> contraction_host("will", "MD"), contraction_host("am", "VBP")
    ('wo', None)
    """
    if tag == "MD":
        return MODALS[word][1]
    if word in BE_BEFORE_CONTRACTION or word in HAVE_BEFORE_CONTRACTION or word in DO_TAGS:
        return word
    return None


def inverted_without_contraction(words: Words, tags: Words, at: int) -> bool:
    """Whether neither "not" nor "n't" can follow: "may i ...", "am i ..."."""
    return is_inverted(words, tags, at) and contraction_host(words[at], tags[at]) is None


def negate(words: Words, tags: Words, at: int, rule: str, contracted: bool, language: Language) -> Rewrite:
    """Apply `rule` to the verb at `at`.

    Args:
        words: The sentence.
        tags: Its Penn Treebank tags.
        at: The index of the verb, from `addition_sites`.
        rule: The name of the rule, also from `addition_sites`.
        contracted: Write "n't" instead of "not" where English allows it. In questions, where "not"
            cannot occur between verb and subject, it is always used.
        language: For the base form of the verb.
    """
    return RULES[rule](words, tags, at, contracted, language)


def negate_after(words: Words, tags: Words, at: int, contracted: bool, language: Language) -> Rewrite:
    """be, auxiliary do, modals: ~ + not."""
    word, tag = words[at], tags[at]
    host = contraction_host(word, tag)
    if host is not None and (contracted or is_inverted(words, tags, at)):
        negation = "n't"
    else:
        host, negation = (MODALS[word][0] if tag == "MD" else word), "not"
    return Rewrite(at, at + 1, (Token(host, tag, at, touched=host != word), Token(negation, "RB")))


def negate_with_do(words: Words, tags: Words, at: int, contracted: bool, language: Language) -> Rewrite:
    """Base, third person and past: do, does or did + not + v."""
    word, tag = words[at], tags[at]
    finite = tag if tag in {"VBZ", "VBD"} else "VBP"
    base = language.lemma(word, tag)
    if finite != "VBD" and not word.endswith("s") and is_past(word, tag, language):  # a tagging error
        finite, base = "VBD", language.lemma(word, "VBD")
    auxiliary = next(form for form, form_tag in DO_TAGS.items() if form_tag == finite)
    negation = "n't" if contracted else "not"
    return Rewrite(
        at,
        at + 1,
        (Token(auxiliary, finite), Token(negation, "RB"), Token(base, "VB", at, touched=base != word)),
    )


def is_past(word: str, tag: str, language: Language) -> bool:
    """Whether `word`, tagged as a present tense, is a past tense: "they laughed", "she shut"; not an imperative ("shut it")."""
    if is_past_form(word, language):
        return True
    return tag in {"VBP", "VBZ"} and language.inflect(language.lemma(word, "VBD"), "VBD") == word


def is_past_form(word: str, language: Language) -> bool:
    """Whether `word` is the past tense of another base form."""
    base = language.lemma(word, "VBD")
    return base != word and language.inflect(base, "VBD") == word


def negate_before(words: Words, tags: Words, at: int, contracted: bool, language: Language) -> Rewrite:
    """Participle and gerund: not + ~, and before an adverb after have; "n't" only right after a full form of have."""
    before = governor(words, tags, at)
    after_have = tags[at] in {"VBN", "VBD"} and before >= 0 and words[before] in HAVE
    place = before + 1 if after_have else at
    short = contracted and after_have and words[before] in HAVE_BEFORE_CONTRACTION
    return Rewrite(place, place, (Token("n't" if short else "not", "RB"),))


Rule = Callable[[Words, Words, int, bool, Language], Rewrite]
RULES: dict[str, Rule] = {
    "be": negate_after,
    "modal": negate_after,
    "auxiliary": negate_after,
    "base": negate_with_do,
    "third_person": negate_with_do,
    "past": negate_with_do,
    "participle": negate_before,
    "gerund": negate_before,
}
