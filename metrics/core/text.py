"""Text normalisation for the models: one form for raw and tokenised stories, split into sentences.

No files are read at import.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from nltk.tokenize import NLTKWordTokenizer

from openmeva.metrics.core.files import read_json

PLACEHOLDERS = ("[MALE]", "[FEMALE]", "[NEUTRAL]")

# Private-use characters replace the placeholders during word tokenisation, which would split off their brackets.
_SHIELD = dict(zip(PLACEHOLDERS, "\ue000\ue001\ue002", strict=True))
_UNSHIELD = {character: name for name, character in _SHIELD.items()}
UNSHIELD_PLACEHOLDERS = str.maketrans(_UNSHIELD)
_NO_SHIELDS = str.maketrans(dict.fromkeys(_UNSHIELD, " "))  # for those in the text itself
_PLACEHOLDER = re.compile(r"\[\s?(MALE|FEMALE|NEUTRAL)\s?\]", re.IGNORECASE)
_CHARACTERS = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "–": "-", "—": " -- ", "…": " ... ", "\u00a0": " ", "`": "'",
    }
)  # fmt: skip
# The same for characters with a replacement of one character, so that positions in the text do not change.
_IN_PLACE = {code: mark for code, mark in _CHARACTERS.items() if len(mark) == 1} | {ord("…"): "."}
_DOUBLE_QUOTE = re.compile(r"``|''")
_SPLIT_CLITIC = re.compile(
    r"(?:(?<=[^\W\d_])|(?<=[\ue000-\ue002])) ' (?=(?:s|m|d|t|re|ve|ll)\b)", re.IGNORECASE
)
# Characters next to a placeholder that the word tokenizer would not split from it ("ex-[MALE]", "[MALE]s"); "'s" stays.
_GLUED = re.compile(
    r"""(?<=[\ue000-\ue002])(?=[^\s.,:;!?"')\]]|\.\w)|(?:(?<=[^\s.,:;!?"(\[])|(?<=(?<!\.)\.))(?=[\ue000-\ue002])"""
)
# a run of marks is matched from its first one only; otherwise a long run would be scanned again from each of them
_END = re.compile(r"""(?<![.!?])(?P<marks>[.!?]+)(?P<closing>["')\]]*)$""")
_CLOSING = re.compile(r"""^["')\]]+$""")
_LAST = frozenset(".!?\"')]")  # last characters of the chunks that `_END` can match
_TITLES = frozenset("mr mrs ms dr prof st sr jr gen col sgt lt capt rev hon vs mt ft".split())
_NUMBERED = frozenset("no fig".split())  # followed by a number; "No. He ran." has two sentences
_ABBREVIATIONS = frozenset("a.m p.m u.s u.k e.g i.e etc inc ltd co corp dept approx ave blvd ph.d".split())
_REPORTING = frozenset(
    "said says asked asks cried shouted yelled replied answered whispered exclaimed called screamed".split()
)
_TOKENIZER = NLTKWordTokenizer()
_MAX_CACHED_CHARACTERS = 400  # characters of a sentence whose words are cached
_GLUED_STOP = re.compile(r"^[^\W\d_]{3,}\.$")
_INITIALS = re.compile(r"^(?:[a-z]\.)*[a-z]$")


def clean(text: str) -> str:
    """Plain characters only: quotes and dashes are made ASCII; control, format and unassigned characters and
    lone surrogates become spaces.

    Each placeholder becomes its character of `_SHIELD`, separated by spaces from adjacent letters and signs.
    """
    text, names = _PLACEHOLDER.subn(lambda match: _SHIELD[f"[{match.group(1).upper()}]"], text)
    text = _DOUBLE_QUOTE.sub('"', text).translate(_CHARACTERS)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        text = "".join(" " if unicodedata.category(c) in {"Cc", "Cs", "Cf", "Cn"} else c for c in text)
    elif not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    text = _SPLIT_CLITIC.sub("'", text)
    return _GLUED.sub(" ", text) if names else text


def split_sentences(text: str) -> list[str]:
    """The sentences of a raw or tokenised ("ran .") text.

    A chunk that ends in `.`, `!` or `?` closes a sentence, with the closing quotes and brackets after it.
    Exceptions are titles and initials, "no." before a number, abbreviations, quotations and "..." that
    continue in lower case, and quoted questions or exclamations followed by their speaker ('"Where?" Noor
    asked.'). Placeholders of names are kept, in capitals.

    >>> split_sentences("Mr. Hill ran home. He fell ! ' ' Ow , '' he said.")[0]
    'Mr. Hill ran home.'
    """
    shielded = clean(text if text.isascii() else text.translate(_NO_SHIELDS))
    return [" ".join(chunks).translate(UNSHIELD_PLACEHOLDERS) for chunks in _sentence_chunks(shielded)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Character offsets (start, end) of each sentence in `text`, end exclusive.

    >>> sentence_spans("He ran.  She ate.")
    [(0, 7), (9, 17)]
    >>> sentence_spans("“Run!” she said.")
    [(0, 16)]
    """
    text = text.translate(_IN_PLACE)
    spans = []
    end = 0
    for chunks in _sentence_chunks(text):
        first = text.index(chunks[0], end)
        end = first
        for chunk in chunks:
            end = text.index(chunk, end) + len(chunk)
        spans.append((first, end))
    return spans


def _sentence_chunks(text: str) -> list[list[str]]:
    chunks = text.split()
    cased = any(map(str.isupper, text))
    sentences: list[list[str]] = []
    current: list[str] = []
    quotes = 0
    for index, chunk in enumerate(chunks):
        if not current and sentences and _CLOSING.match(chunk) and (chunk != '"' or quotes % 2):
            sentences[-1].append(chunk)
            quotes += chunk.count('"')
            continue
        current.append(chunk)
        quotes += chunk.count('"')
        if chunk[-1] in _LAST and _closes_sentence(chunk, chunks[index + 1 : index + 4], cased):
            sentences.append(current)
            current = []
    if current:
        sentences.append(current)
    return sentences


def _closes_sentence(chunk: str, rest: Sequence[str], cased: bool) -> bool:
    match = _END.search(chunk)
    if not match or not rest:
        return bool(match)
    following = rest[0]
    marks, word = match["marks"], chunk[: match.start()].lower().lstrip("\"'([")
    if _END.fullmatch(following):
        return False  # a run of separate marks closes the sentence once, at its end
    asks = match["marks"][-1] in "?!" and bool({'"', "'"} & set(match["closing"]))
    goes_on = cased and (following[0].islower() or (asks and _names_speaker(rest)))
    if not word:
        return not (goes_on and match["closing"])
    if marks == "." and (word in _TITLES or (word in _NUMBERED and following[0].isdigit())):
        return False
    if marks == "." and (word in _ABBREVIATIONS or (_INITIALS.match(word) and word != "i")):
        return following[0].isupper() and word in _ABBREVIATIONS
    return not (goes_on and (match["closing"] or len(marks) > 1))


def _names_speaker(rest: Sequence[str]) -> bool:
    """Whether a quotation is followed by its speaker, in one word or two: `Noor asked`, `The man cried`."""
    return any(chunk.rstrip(".,:;!?").lower() in _REPORTING for chunk in rest[1:3])


def _words(sentence: str) -> tuple[str, ...]:
    """Words of a clean sentence, cased."""
    words = _TOKENIZER.tokenize(sentence)
    last = len(words) - 1
    while last > 0 and words[last] in {"``", "''", '"', "'", ")"}:
        last -= 1
    if words and _GLUED_STOP.match(words[last]):  # `up. "`: the tokenizer splits off only a final full stop
        words[last : last + 1] = [words[last][:-1], "."]
    return tuple(_UNSHIELD.get(w, '"' if w in ("``", "''") else w) for w in words)


@lru_cache(maxsize=20_000)
def _kept_words(sentence: str) -> tuple[str, ...]:
    """`_words`, cached: perturbed stories, and one story for several metrics, share most of their sentences."""
    return _words(sentence)


def _cased_sentences(text: str) -> list[tuple[str, ...]]:
    """Words of each sentence of a text, cased."""
    cleaned = clean(text if text.isascii() else text.translate(_NO_SHIELDS))
    sentences = (" ".join(chunks) for chunks in _sentence_chunks(cleaned))
    cased = [(_kept_words if len(s) <= _MAX_CACHED_CHARACTERS else _words)(s) for s in sentences]
    return [words for words in cased if words]


def join_words(sentences: Iterable[Iterable[str]]) -> str:
    """The words of sentences, joined by spaces.

    >>> join_words([["he", "ran", "."], ["he", "fell", "."]])
    'he ran . he fell .'
    """
    return " ".join(word for sentence in sentences for word in sentence)


@dataclass(frozen=True)
class Normalizer:
    """Normalises a story, raw or tokenised, cased or not, to the form that the models were trained on.

    The form is lower case, Penn-Treebank-tokenised ("did n't"), with names as `[MALE]`, `[FEMALE]`,
    `[NEUTRAL]` if `names` (lower-case name to placeholder) is not empty. Names in `capitalized_only`
    are also common words ("will"): they count as names only if a capital inside a sentence shows it.
    """

    names: dict[str, str] = field(default_factory=dict)
    capitalized_only: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: str | Path) -> "Normalizer":
        """Reads `names.json`: `{"male": [...], "female": [...], "neutral": [...], "capitalized_only": [...]}`.

        Raises:
            OSError: no such file.
            ValueError: a file with other contents.
        """
        lists = read_json(path)
        kinds = ("male", "female", "neutral", "capitalized_only")
        name_lists = [lists.get(kind) if isinstance(lists, dict) else None for kind in kinds]
        if not all(
            isinstance(names, list) and all(isinstance(n, str) for n in names) for names in name_lists
        ):
            raise ValueError(f"{path}: expected lists of names: {', '.join(kinds)}")
        names = {name: f"[{kind.upper()}]" for kind in kinds[:3] for name in lists[kind]}
        return cls(names, frozenset(lists["capitalized_only"]))

    def sentences(self, text: str) -> list[list[str]]:
        """The normalised words of each sentence; an empty list for a text without words.

        >>> Normalizer({"ann": "[FEMALE]"}).sentences("Ann can't swim. She's sad!")
        [['[FEMALE]', 'ca', "n't", 'swim', '.'], ['she', "'s", 'sad', '!']]
        """
        return self.joint_sentences([text])[0]

    def joint_sentences(self, texts: Iterable[str]) -> list[list[list[str]]]:
        """As `sentences`, for texts that belong together (context and story): a word is a name in all or in none.

        >>> Normalizer({"will": "[MALE]"}, frozenset({"will"})).joint_sentences(["Then Will ran.", "Will fell."])[1]
        [['[MALE]', 'fell', '.']]
        """
        cased = [_cased_sentences(text) for text in texts]
        inside = {word.lower() for text in cased for words in text for word in words[1:] if word[0].isupper()}
        return [self._delexicalize(text, inside) for text in cased]

    def __call__(self, text: str) -> str:
        """The normalised text, words joined by single spaces."""
        return join_words(self.sentences(text))

    def _delexicalize(self, sentences: Sequence[Sequence[str]], inside: Set[str]) -> list[list[str]]:
        normal = []
        for words in sentences:
            line = []
            for word in words:
                if word in PLACEHOLDERS:
                    line.append(word)
                    continue
                low = word.lower()
                placeholder = self.names.get(low)
                if placeholder and low in self.capitalized_only:
                    placeholder = placeholder if word[0].isupper() and low in inside else None
                line.append(placeholder or low)
            normal.append(line)
        return normal
