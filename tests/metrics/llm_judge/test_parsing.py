"""Parsing of ratings, and the expected rating compared with a manual computation."""

import math

import pytest

from openmeva.metrics.llm_judge.parsing import Token, expected_rating, read_rating


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("4", 4),
        (" 4.\n", 4),
        ("Rating: 4", 4),
        ("**Coherence rating**: 2", 2),
        ("Score: 3/5", 3),
        ("5 out of 5", 5),
        ('{"rating": 1}', 1),
        ('```{"overall_score": 2}```', 2),
        ("<think>It is 3, or 5.</think>\n\n4", 4),
        ("It is 3, or 5.\n</think>\n\n4", 4),
        ("**4**/5", 4),
        ("Rating: **4**/5", 4),
        ("(4)/5", 4),
        ('```json\n{"rating": 4}\n```', 4),
        ("“4”", 4),
    ],
)
def test_rating_is_read_from_reply(reply: str, rating: int) -> None:
    result = read_rating(reply)
    assert result is not None
    assert (result[0], reply[result[1]]) == (rating, str(rating))


@pytest.mark.parametrize(
    "reply",
    ["", " ", "0", "6", "-4", "45", "4.5", ".4", "4 or 5", "4-5", "4/10", "four", "I would say 4", "4 because it is good",
     '{"rating": ', "<think>4", "N/A", "1. The story", "٤", "²"],
)  # fmt: skip
def test_reply_without_a_single_rating_is_rejected(reply: str) -> None:
    assert read_rating(reply) is None


@pytest.mark.timeout(120)
@pytest.mark.parametrize("beginning", ["", "{", "json{", "a", "a ", "Rating:", "4", "4 /"])
@pytest.mark.parametrize("repeated", [" ", "*", "a", "_", "."])
def test_long_reply_is_read_in_linear_time(beginning: str, repeated: str) -> None:
    """In quadratic time each of these would take many minutes."""
    assert read_rating(f"{beginning}{repeated * 200_000}x") is None


def top_log_probabilities(**probabilities: float) -> tuple[tuple[str, float], ...]:
    return tuple((name.replace("_", " ").strip("n"), math.log(p)) for name, p in probabilities.items())


def test_expected_rating_equals_g_eval() -> None:
    likely = top_log_probabilities(n4=0.5, n5=0.2, _4=0.1, The=0.15, n2=0.05)
    value, probabilities, reason = expected_rating("4", [Token("4", likely)])
    assert value == pytest.approx((4 * 0.6 + 5 * 0.2 + 2 * 0.05) / 0.85)
    assert probabilities == pytest.approx({1: 0, 2: 0.05, 3: 0, 4: 0.6, 5: 0.2})
    assert reason == ""


def test_position_of_the_rating_is_found() -> None:
    """Reasoning before the reply, which may contain numbers, and an end token after it are ignored."""
    tokens = [
        Token(text, top_log_probabilities(n1=0.9))
        for text in ("<think>", "5", " or 4", "</think>", "Rating", ":")
    ]
    tokens += [
        Token(" 4", top_log_probabilities(_4=0.75, _3=0.25)),
        Token("/", top_log_probabilities(n1=0.9)),
        Token("5", top_log_probabilities(n5=1.0)),
        Token("<end>", ()),
    ]
    value, _, _ = expected_rating("Rating: 4/5", tokens)
    assert value == pytest.approx(3.75)


def test_reasoning_may_differ_from_its_tokens() -> None:
    """A character split over two tokens is not in their texts."""
    tokens = [Token(text, ()) for text in ("<think>", "sweet ", "\ufffd", "\ufffd", "</think>", "\n\n")]
    tokens.append(Token("4", top_log_probabilities(n4=0.75, n3=0.25)))
    assert expected_rating("<think>sweet 😀</think>\n\n4", tokens)[0] == pytest.approx(3.75)


@pytest.mark.parametrize(
    ("reply", "tokens", "reason"),
    [
        (
            "good",
            [Token("go", top_log_probabilities(n4=0.9)), Token("od", ())],
            "expected only a whole number from 1 to 5, got",
        ),
        (
            "The",
            [Token("The", top_log_probabilities(The=0.96, n4=0.04))],
            "4.0% of the probability is on the ratings",
        ),
        ("4", [Token("a", ()), Token("b", ())], "do not contain the reply"),
        ("4", [Token("4", (("4", math.nan),))], "expected log-probabilities, got nan"),
        ("4", [Token("4", (("4", 0.9),))], "expected log-probabilities, got 0.9"),
        ("", [], "the reply is empty"),
    ],
)
def test_undetermined_rating_is_none_with_reason(reply: str, tokens: list[Token], reason: str) -> None:
    value, _, why = expected_rating(reply, tokens)
    assert value is None
    assert reason in why
