"""Lemma of a word, and a lemma's form for a Penn Treebank tag: lemminflect with corrections."""

from functools import lru_cache

FINITE_TAGS = frozenset({"VBD", "VBZ", "VBP", "MD"})
"""Penn Treebank tags of finite verbs and modals."""

# Tags whose words are their own lemma, regardless of the dictionary ("scared" does not become "scare").
_BASE_TAGS = frozenset({"NN", "VB", "VBP", "JJ", "RB"})
_NUMBER_AND_TENSE = {
    "NNS": "NOUN",
    "VBD": "VERB",
    "VBN": "VERB",
    "VBG": "VERB",
    "VBZ": "VERB",
    "JJR": "ADJ",
    "JJS": "ADJ",
    "RBR": "ADV",
    "RBS": "ADV",
}
_COMPARISON = {"JJR": "more", "RBR": "more", "JJS": "most", "RBS": "most"}

# (word, first letter of its tag) -> lemma, and (lemma, tag) -> form: exceptions that override the dictionary.
_LEMMAS = {
    ("more", "J"): "much",
    ("more", "R"): "much",
    ("most", "J"): "much",
    ("most", "R"): "much",
    ("less", "J"): "little",
    ("less", "R"): "little",
    ("least", "J"): "little",
    ("least", "R"): "little",
    ("n't", "R"): "not",
    ("later", "R"): "late",
    ("worse", "R"): "badly",
    ("worst", "R"): "badly",
    ("am", "V"): "be",
    ("are", "V"): "be",
    ("'m", "V"): "be",
    ("'re", "V"): "be",
    ("'s", "V"): "be",
    ("ai", "V"): "be",
    ("'ve", "V"): "have",
    ("'d", "V"): "have",
    ("'ll", "M"): "will",
    ("wo", "M"): "will",
    ("ca", "M"): "can",
    ("sha", "M"): "shall",
    ("'d", "M"): "would",
}
_FORMS = {
    ("many", "JJR"): "more",
    ("many", "JJS"): "most",
    ("much", "JJR"): "more",
    ("much", "JJS"): "most",
    ("much", "RBR"): "more",
    ("much", "RBS"): "most",
    ("little", "JJR"): "less",
    ("little", "JJS"): "least",
    ("little", "RBR"): "less",
    ("little", "RBS"): "least",
    ("badly", "RBR"): "worse",
    ("badly", "RBS"): "worst",
    ("far", "JJR"): "farther",
    ("far", "RBR"): "farther",
    ("far", "JJS"): "farthest",
    ("far", "RBS"): "farthest",
    ("late", "RBR"): "later",
    ("late", "RBS"): "latest",
    ("soon", "RBR"): "sooner",
    ("unmake", "VBD"): "unmade",
    ("unmake", "VBN"): "unmade",
    ("often", "RBR"): "more often",
    ("often", "RBS"): "most often",
    ("person", "NNS"): "people",
    ("ox", "NNS"): "oxen",
    ("fish", "NNS"): "fish",
    ("aircraft", "NNS"): "aircraft",
    **{(word, tag): word for word in ("more", "less") for tag in ("JJR", "RBR")},
    **{(word, tag): word for word in ("most", "least") for tag in ("JJS", "RBS")},
}
_PLURAL_SUBJECTS = frozenset({"we", "you", "they", "these", "those"})


def lemma(word: str, tag: str) -> str:
    """The dictionary form of a word.

    Args:
        word: one token; clitics as Penn tokenisation has them ("'re", "ca", "wo").
        tag: its Penn Treebank tag. A word without inflection, or a proper noun, is returned unchanged.

    Returns:
        The lemma, with the capitalisation of the word.

    Example:
        >>> lemma("went", "VBD"), lemma("Children", "NNS"), lemma("worse", "JJR"), lemma("wo", "MD")
        ('go', 'Child', 'bad', 'will')
    """
    return with_case_of(word, _lemma(word.lower(), tag))


@lru_cache(maxsize=1 << 15)
def in_dictionary(word: str) -> bool:
    """Whether `word`, in lower case, is a form of a noun, verb, adjective or adverb in the inflection dictionary.

    >>> in_dictionary("clam"), in_dictionary("clma")
    (True, False)
    """
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))


def inflect(base: str, tag: str, subject: str = "") -> str:
    """The form of a lemma for a Penn Treebank tag.

    Args:
        base: a lemma.
        tag: the tag of the form. For tags without a separate form (NN, VB, JJ, RB, IN, …), the lemma is returned.
        subject: the subject in lower case, if known: decides between "am", "are", "was" and "were", for VBP and
            VBD only. Without it, "are" and "was".

    Returns:
        The form, with the capitalisation of the lemma. Adjectives and adverbs that compare with "more"
        and "most" give two words.

    Example:
        >>> inflect("go", "VBD"), inflect("child", "NNS"), inflect("be", "VBP", "i"), inflect("Stop", "VBG")
        ('went', 'children', 'am', 'Stopping')
        >>> inflect("careful", "JJR"), inflect("little", "RBS")
        ('more careful', 'least')
    """
    lowered = base.lower()
    if lowered == "be" and tag in ("VBP", "VBD"):
        return with_case_of(base, _form_of_be(tag, subject))
    return with_case_of(base, _inflect(lowered, tag))


@lru_cache(maxsize=1 << 17)
def _lemma(word: str, tag: str) -> str:
    from lemminflect import getLemma  # imported here, since the import takes a tenth of a second

    irregular = _LEMMAS.get((word, tag[:1]))
    if irregular is not None:
        return irregular
    if not word or tag in _BASE_TAGS or tag not in _NUMBER_AND_TENSE:
        return word
    candidates = getLemma(word, _NUMBER_AND_TENSE[tag])
    # "found" is a form of "find" and of "found", as a past tense only of the first.
    fitting = [candidate for candidate in candidates if word in _inflections(candidate, tag)]
    return (fitting or candidates or (word,))[0]


@lru_cache(maxsize=1 << 17)
def _inflect(base: str, tag: str) -> str:
    irregular = _FORMS.get((base, tag))
    if irregular is not None:
        return irregular
    if not base or tag not in _NUMBER_AND_TENSE:
        return base
    forms = _inflections(base, tag)
    return forms[0] if forms else base


def _inflections(base: str, tag: str) -> tuple[str, ...]:
    """Forms by the dictionary, else by rule; by rule, longer words are compared with "more" and "most"."""
    from lemminflect import getInflection

    forms = getInflection(base, tag, inflect_oov=False)
    if forms:
        return forms
    if tag == "NNS" and base.endswith("s") and not base.endswith("ss"):
        return (base,)  # "thanks", "80s": already a plural
    if tag not in _COMPARISON:
        return getInflection(base, tag)
    if tag.startswith("R") or not _compares_by_suffix(base):
        return (f"{_COMPARISON[tag]} {base}",)
    return getInflection(base, tag)


def _compares_by_suffix(adjective: str) -> bool:
    """Whether an adjective not in the dictionary takes "-er" and "-est": one syllable, or two with "-y"."""
    vowels = "".join(letter if letter in "aeiouy" else " " for letter in adjective.removesuffix("e")).split()
    return len(vowels) <= 1 or (adjective.endswith("y") and not adjective.endswith("ly") and len(vowels) == 2)


def _form_of_be(tag: str, subject: str) -> str:
    if tag == "VBP":
        return "am" if subject == "i" else "are"
    return "were" if subject in _PLURAL_SUBJECTS else "was"


def with_case_of(model: str, word: str) -> str:
    """The lower-case `word` with the capitalisation of `model`."""
    if model.islower():
        return word
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
