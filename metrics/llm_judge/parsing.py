"""From a reply to a rating: a whole number from 1 to 5, or the expected value over the probabilities of the five."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

LOW, HIGH = 1, 5
LEAST_MASS = 0.1
_THOUGHT = re.compile(r"\A.*</think>", re.DOTALL)  # where the prompt ends in <think>, the reply lacks it
_RATING = re.compile(
    r"""[\s*_"'`({\[]*(?:[a-z]+(?:[\ _][a-z]+)?[\s*_"'`]*[:=][\s*_"'`(]*)?
        (?P<rating>[1-5])(?:\s*(?:/|out\ of)\s*5)?[\s*_"'`)}\].!]*""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Token:
    """A token of a reply.

    Attributes:
        text: as the model wrote it.
        top: likely tokens at its place with their log-probabilities (natural logarithm), itself among them.
    """

    text: str
    top: tuple[tuple[str, float], ...]


def read_rating(reply: str) -> tuple[int, int] | None:
    """The rating that a reply consists of and where it stands, or None where it is anything else.

    A word before it (`Rating: 4`), `/5` after it, quotes, brackets, and thoughts up to `</think>` do no harm; prose,
    several numbers, fractions and numbers off the scale are no rating.

    >>> read_rating("4"), read_rating("**Rating:** 4/5"), read_rating("4.5"), read_rating("I would say 4")
    ((4, 0), (4, 12), None, None)
    """
    thought = _THOUGHT.match(reply)
    start = thought.end() if thought else 0
    found = _RATING.fullmatch(reply, start)
    return (int(found["rating"]), found.start("rating")) if found else None


def expected_rating(reply: str, tokens: Sequence[Token]) -> tuple[float | None, dict[int, float], str]:
    """G-Eval's score (Liu et al. 2023, section 2): the sum of each rating times its probability.

    The probabilities are those at the place where the reply's rating stands, shared out among the ratings: what the
    other tokens there have is left out. A reply of one token is read by its probabilities, whatever it is.

    Args:
        reply: the whole of it.
        tokens: its tokens in order; together they hold the reply.

    Returns:
        The expected rating, 1 to 5; the probability of each rating, 0 to 1, before sharing out; and "" — or None,
        what there is, and the reason why it cannot be read.
    """
    found = read_rating(reply)
    if found is None and len(tokens) != 1:
        return None, {}, unreadable(reply)
    place = _place(reply, found[1] if found else 0, tokens)
    if place is None:
        return None, {}, "the tokens whose probabilities are given do not hold the reply"
    masses: dict[int, float] = dict.fromkeys(range(LOW, HIGH + 1), 0.0)
    for text, logprob in tokens[place].top:
        if math.isnan(logprob) or logprob > 0.01:
            return None, {}, f"expected log-probabilities, got {logprob}"
        rating = read_rating(text)
        if rating:
            masses[rating[0]] += math.exp(logprob)
    total = math.fsum(masses.values())
    if total < LEAST_MASS:
        return (
            None,
            masses,
            f"{total:.1%} of the probability is on the ratings 1 to 5, expected {LEAST_MASS:.0%}",
        )
    return math.fsum(rating * mass for rating, mass in masses.items()) / total, masses, ""


def _place(reply: str, offset: int, tokens: Sequence[Token]) -> int | None:
    """Index of the token that holds the reply's character at `offset`; thoughts and end tokens may stand around it."""
    start = "".join(token.text for token in tokens).rfind(reply)
    if len(tokens) == 1:
        return 0
    end = 0
    for index, token in enumerate(tokens):
        end += len(token.text)
        if start >= 0 and start + offset < end:
            return index
    return None


def unreadable(reply: str) -> str:
    """Why a reply is no rating, in words."""
    if not reply.strip():
        return "the reply is empty"
    return f"expected a whole number from {LOW} to {HIGH} alone, got the reply {reply.strip()[:60]!r}"
