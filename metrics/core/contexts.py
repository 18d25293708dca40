"""The context of a story: the beginning that it continues, or the prompt that it was written to.

Whether a context is part of the story depends on the checkpoint (`CONTEXT_RULES`) and, for `auto`, on the two texts.
"""

import re
import unicodedata
from collections.abc import Sequence

from openmeva.metrics.core.text import split_sentences

# `first_sentence`: a context is the beginning of the story; `prompt`: it is not part of it; `auto`: see `is_beginning`
CONTEXT_RULES: dict[str, bool | None] = {"first_sentence": True, "prompt": False, "auto": None}
MAX_CONTINUED_SENTENCES = 10
_TAG = re.compile(r"\[(?!\s?(?:FE)?MALE\b|\s?NEUTRAL\b)", re.IGNORECASE)  # "[WP]", but not a placeholder
# The beginning of a prompt to a writer; 4 of the 80,000 first sentences of ROCStories begin so, all with "you".
_TO_WRITER = re.compile(
    r"\W*(?:please\W+)?(?:write|describe|tell|imagine|make (?:me|us)|your?)\b", re.IGNORECASE
)
_WORD_GOES_ON = re.compile(r"[^\W_]|['’][^\W\d_]|\.\d")  # as in "can't" after "can", and "5.5" after "5"
_WITHIN_SENTENCE = re.compile(r"[^\w.!?…\n\[]*")  # what may stand between two words of one
_PLACEHOLDER = re.compile(r"\[\s?(?:(?:FE)?MALE|NEUTRAL)\b")  # its capitals are also in lower-cased text
_REST_OF_SENTENCE = re.compile(r"""^(?:\s*[.!?…,;:)\]}’”'"]+)?\s*""")  # after its last word


def is_beginning(context: str, story: str) -> bool:
    """Whether a context is the first sentence of a story rather than a prompt for it.

    True if the context is one sentence that ends in `.` or `!`, has no bracketed tag and does not begin by telling
    the writer what to write ("Write about") or with "you", and the story has at most ten sentences.

    >>> is_beginning("Ann was hungry.", "She ate. She slept.")
    True
    >>> is_beginning("Write about a hungry girl.", "Ann ate. She slept.")
    False
    >>> is_beginning("[WP] You wake up. Nobody is there.", "I rubbed my eyes.")
    False
    """
    sentences = split_sentences(context)
    declarative = len(sentences) == 1 and sentences[0].rstrip("\"') ").endswith((".", "!"))
    is_prompt = _TAG.search(context) or _TO_WRITER.match(context)
    return declarative and not is_prompt and len(split_sentences(story)) <= MAX_CONTINUED_SENTENCES


def join_contexts(stories: Sequence[str], contexts: Sequence[str], joins: bool | None) -> list[str]:
    """The texts that are scored: stories with their contexts before them, where the context is part of the story.

    A story that already begins with its context is not joined to it again.

    Args:
        stories: n texts.
        contexts: n texts; may be blank.
        joins: whether a context is the beginning of its story; None: `is_beginning` decides.

    >>> join_contexts(["She ate.", "Ann ran. She fell."], ["Ann ran.", "Ann ran."], True)
    ['Ann ran. She ate.', 'Ann ran. She fell.']
    """
    if joins is False:
        return list(stories)
    return [
        f"{context.strip()} {story.strip()}".strip()
        if not begins_with_context(story, context) and (joins or is_beginning(context, story))
        else story
        for story, context in zip(stories, contexts, strict=True)
    ]


def begins_with_context(story: object, context: object) -> bool:
    """Whether a story already begins with its context, which is not blank; False for anything but texts.

    Only letters and digits count, in any case and without accents: one of the two may be tokenised, or have other quotes
    and spaces, or store an accent as a character of its own. But where the context's sentence ends, the story's must not
    go on with a lower-case word, unless all its words are in lower case.

    >>> [begins_with_context(story, "Ann ran.") for story in ("Ann ran. She fell.", "She fell.", "Ann rants.")]
    [True, False, False]
    >>> begins_with_context("Ann ran home. She fell.", "Ann ran.")
    False
    >>> begins_with_context("ann did n't run . she fell .", "Ann didn’t run.")
    True
    """
    return isinstance(story, str) and isinstance(context, str) and _context_end(story, context) is not None


def without_context(story: str, context: str) -> str:
    """A story without the context that it begins with; unchanged if it does not, or if nothing else is left.

    >>> without_context("Ann ran . She fell .", "Ann ran."), without_context("Ann ran.", "Ann ran.")
    ('She fell .', 'Ann ran.')
    """
    end = _context_end(story, context)
    rest = "" if end is None else _REST_OF_SENTENCE.sub("", story[end:])
    return rest if any(map(str.isalnum, rest)) else story


def _context_end(story: str, context: str) -> int | None:
    """Where the context ends in a story that begins with it, after its last letter or digit; else None."""
    wanted = _letters(context)
    if not wanted:  # such as "…"
        beginning = context.strip()
        return (
            story.find(beginning) + len(beginning)
            if beginning and story.strip().startswith(beginning)
            else None
        )
    found = 0
    for place, letter in enumerate(story):
        for character in _letters(letter):
            if found == len(wanted) or character != wanted[found]:
                return None
            found += 1
        if found == len(wanted):
            end = place + 1
            while unicodedata.combining(story[end : end + 1] or " "):
                end += 1
            goes_on = _WORD_GOES_ON.match(story, end) or _sentence_goes_on(story, end, context)
            return None if goes_on else end
    return None


def _sentence_goes_on(story: str, end: int, context: str) -> bool:
    """Whether a story's sentence does not end at `end`, where that of the context does."""
    if not context.rstrip(" \t\n\"'’”)]}").endswith((".", "!", "?", "…")):
        return False
    between = _WITHIN_SENTENCE.match(story, end)
    following = story[between.end() : between.end() + 1] if between else ""
    return following.islower() and any(map(str.isupper, _PLACEHOLDER.sub("", story)))


def _letters(text: str) -> list[str]:
    """Letters and digits, in lower case, without accents."""
    plain = text.casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFD", plain)
    return [character for character in plain if character.isalnum()]
